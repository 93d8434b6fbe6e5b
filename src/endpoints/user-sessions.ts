/** The sessions of every user, for administrators. */
import { describe, fail } from '../base/failure.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import type { Exchange } from '../http/exchange.ts'
import { sessionsEnded, userSessions } from '../models/responses.ts'
import { user } from '../models/user.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { sessionList, unknownSession } from './listed-sessions.ts'
import type { ReadStore } from '../store/read-store.ts'

const endpoint = endpointOn<Service>('Administration')

export const USER_SESSIONS = [
  endpoint({
    route: 'GET /api/v1/admin/users/:id/sessions',
    id: 'sessions',
    access: 'administrator',
    summary: 'List the sessions of a user, newest first',
    response: userSessions,
    errors: ['notFound'],
    client: 'admin.sessions',
  }).handle(async ({ store, now }, exchange, { claim }) =>
    sessionList(requireUser(store, exchange), { store, now: now(), current: claim.jti }),
  ),
  endpoint({
    route: 'DELETE /api/v1/admin/users/:id/sessions',
    id: 'endSessions',
    access: 'administrator',
    summary: 'End all sessions and other tokens of a user',
    response: sessionsEnded,
    errors: ['notFound'],
    client: 'admin.endSessions',
  }).handle(async ({ store, now }, exchange, { caller, acting }) => {
    requireSignIn(caller)
    const id = requireUser(store, exchange)
    return { ended: await store.as(acting(requireAdministrator)).endSessions(id, now()) }
  }),
  endpoint({
    route: 'DELETE /api/v1/admin/users/:id/sessions/:session',
    id: 'endSession',
    access: 'administrator',
    summary: 'End one session of a user, which may be your own',
    errors: ['notFound'],
    client: 'admin.endSession',
  }).handle(async ({ store, now }, exchange, { caller, acting }) => {
    requireSignIn(caller)
    const id = requireUser(store, exchange)
    const one = exchange.params['session'] ?? ''
    const ended = await store.as(acting(requireAdministrator)).endSession(id, one, now())
    if (!ended) throw unknownSession(`User ${id} has`, one)
  }),
]

/** The id of the user that the path names. Throws notFound where there is none. */
export function requireUser(store: Pick<ReadStore, 'documents'>, { params }: Exchange): string {
  const id = params['id'] ?? ''
  if (store.documents.get(user, id) !== undefined) return id
  throw fail('notFound', `No user has the id ${describe(id)}`)
}
