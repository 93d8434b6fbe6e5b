/** Invitations by mail, where the settings and the request want one. */
import type { Accounts } from '../auth/accounts.ts'
import { whyNoInvitation, type InvitationWish } from '../auth/invitations.ts'
import type { Invitations, WantedMail } from '../content/user-changes.ts'
import { parseAcceptLanguage } from '../http/accept-language.ts'
import type { Exchange } from '../http/exchange.ts'
import { INVITATION_LANGUAGES } from '../mail/templates/invitation-mail.ts'
import type { User } from '../models/user.ts'
import type { Actor } from '../store/actor.ts'
import { readChoice } from './parameters.ts'

interface InvitationSenderOptions {
  readonly accounts: Pick<Accounts, 'invite' | 'inviteAgain'>
  /** Whether mail is set up, which may change like the next. */
  readonly hasMail: () => boolean
  /** The address of the dashboard. */
  readonly url: () => string | undefined
  readonly wakeCourier: () => void
}

export type InvitationSender = ReturnType<typeof createInvitationSender>

/** Invites by mail where the settings and the request want it. */
export function createInvitationSender({ accounts, hasMail, url, wakeCourier }: InvitationSenderOptions) {
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

/** The same for a document that is no user. */
export const NO_MAIL: WantedMail = { byMail: undefined, language: undefined, languages: [] }
