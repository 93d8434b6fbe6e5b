/** Invitations by mail, for administrators: what became of one, and sending it once more. */
import { parseJson, type JsonObject } from '../base/json.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import type { Exchange } from '../http/exchange.ts'
import { invitation, type Invitation } from '../models/responses.ts'
import { user, type User } from '../models/user.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { messageJson } from './outbox.ts'
import { wantedMailOf } from './invitation-sender.ts'
import { requireUser } from './user-sessions.ts'

const endpoint = endpointOn<Service>('Administration')

export const INVITATIONS = [
  endpoint({
    route: 'GET /api/v1/admin/users/:id/invitation',
    id: 'invitation',
    access: 'administrator',
    summary: 'Read what became of the mail that invited a user',
    response: invitation,
    errors: ['notFound'],
    client: 'admin.invitation',
  }).handle((service, exchange) => shown(service, invitedUser(service, exchange))),
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
  }).handle(async (service, exchange, { caller, acting }) => {
    requireSignIn(caller)
    const invited = invitedUser(service, exchange)
    const mail = wantedMailOf(exchange)
    await service.mail.invitations.inviteAgain(invited, { mail, now: service.now() }, acting(requireAdministrator))
    return shown(service, invited)
  }),
]

function invitedUser({ store }: Service, exchange: Exchange): User {
  const id = requireUser(store, exchange)
  return parseJson(store.documents.get(user, id) ?? '{}') as JsonObject & User
}

async function shown({ store, mail: { invitations }, now }: Service, invited: User): Promise<Invitation> {
  const last = store.outbox.lastInvitation(invited.email, now())
  return { canBeSent: invitations.canReach(invited), mail: last === undefined ? null : messageJson(last) }
}
