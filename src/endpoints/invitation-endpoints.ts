/** Invitations by mail, for administrators: what became of one, and sending it once more. */
import type { Accounts } from '../auth/accounts.ts'
import { whyNoInvitation, type InvitationWish } from '../auth/invitations.ts'
import type { Clock } from '../base/clock.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import type { Invitations, WantedMail } from '../content/user-changes.ts'
import { parseAcceptLanguage } from '../http/request/accept-language.ts'
import type { Exchange } from '../http/request/exchange.ts'
import { INVITATION_LANGUAGES } from '../mail/templates/invitation-mail.ts'
import { invitation, type Invitation } from '../models/responses.ts'
import { user, type User } from '../models/user.ts'
import type { Actor } from '../store/actor.ts'
import { endpointOn } from './endpoint.ts'
import { messageJson } from './outbox.ts'
import { readChoice } from './parameters.ts'
import { requireUser } from './user-sessions.ts'
import type { ReadStore } from '../store/read-store.ts'

export interface InvitationContext {
  readonly store: Pick<ReadStore, 'documents' | 'outbox'>
  readonly invitations: ReturnType<typeof invitationService>
  readonly now: Clock
}

interface ServiceParts {
  readonly accounts: Pick<Accounts, 'invite' | 'inviteAgain'>
  /** Whether mail is set up, which may change like the next. */
  readonly hasMail: () => boolean
  /** The address of the dashboard. */
  readonly url: () => string | undefined
  readonly wakeCourier: () => void
}

/** Invites by mail where the settings and the request want it. */
export function invitationService({ accounts, hasMail, url, wakeCourier }: ServiceParts) {
  const wishOf = ({ byMail, language, languages }: WantedMail): InvitationWish => {
    return { byMail, hasMail: hasMail(), url: url(), languages: language === undefined ? languages : [language] }
  }
  const invite: Invitations['invite'] = async ({ mail, ...invited }, actor) => {
    const { language } = mail
    const made = await accounts.invite({ ...invited, language, wish: wishOf(mail) }, actor)
    wakeCourier()
    return made
  }
  return {
    invite,
    async inviteAgain(invited: User, { mail, now }: { readonly mail: WantedMail; readonly now: number }, actor: Actor): Promise<void> {
      await accounts.inviteAgain(invited, { wish: wishOf(mail), now }, actor)
      wakeCourier()
    },
    canReach: ({ dashboardRole }: Pick<User, 'dashboardRole'>): boolean =>
      whyNoInvitation(dashboardRole, { hasMail: hasMail(), url: url() }) === undefined,
  }
}

/** What the parameters of a request say of the mail that invites a user. Throws badRequest. */
export function wantedMailOf({ query, headers }: Exchange): WantedMail {
  const byMail = readChoice(query, 'invitation', ['mail', 'none'])
  return {
    byMail: byMail === undefined ? undefined : byMail === 'mail',
    language: readChoice(query, 'language', INVITATION_LANGUAGES),
    languages: parseAcceptLanguage(headers['accept-language']),
  }
}

const endpoint = endpointOn<InvitationContext>('Administration')

export const INVITATIONS = [
  endpoint({
    route: 'GET /api/v1/admin/users/:id/invitation',
    id: 'invitation',
    access: 'administrator',
    summary: 'Read what became of the mail that invited a user',
    response: invitation,
    errors: ['notFound'],
    client: 'admin.invitation',
  }).handle((context, exchange) => shown(context, invitedUser(context, exchange))),
  endpoint({
    route: 'POST /api/v1/admin/users/:id/invitation',
    id: 'inviteAgain',
    access: 'administrator',
    summary: 'Invite a publisher or an administrator by another mail',
    description:
      'It takes the place of one that waits. 100 mails of an administrator in an hour, and three to an e-mail address in a day, ' +
      'those of new users included.',
    parameters: ['language'],
    body: 'empty',
    response: invitation,
    errors: ['badRequest', 'invalidInput', 'notFound', 'conflict', 'tooManyRequests', 'networkError'],
    client: 'admin.inviteAgain',
  }).handle(async (context, exchange, { caller, acting }) => {
    requireSignIn(caller)
    const invited = invitedUser(context, exchange)
    const mail = wantedMailOf(exchange)
    await context.invitations.inviteAgain(invited, { mail, now: context.now() }, acting(requireAdministrator))
    return shown(context, invited)
  }),
]

function invitedUser({ store }: InvitationContext, exchange: Exchange): User {
  const id = requireUser(store, exchange)
  return parseJson(store.documents.get(user, id) ?? '{}') as JsonObject & User
}

async function shown({ store, invitations, now }: InvitationContext, invited: User): Promise<Invitation> {
  const last = store.outbox.lastInvitation(invited.email, now())
  return { canBeSent: invitations.canReach(invited), mail: last === undefined ? null : messageJson(last) }
}
