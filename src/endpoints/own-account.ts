/** A user's own account: its sessions, and its deletion. Every user may, guests included. */
import { sessionsEnded, userSessions } from '../models/responses.ts'
import { anyCaller } from '../store/actor.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { clientOf, sessionList, unknownSession } from './listed-sessions.ts'

const endpoint = endpointOn<Service>('Accounts')

export const OWN_ACCOUNT = [
  endpoint({
    route: 'GET /api/v1/auth/sessions',
    id: 'ownSessions',
    access: 'limitedUser',
    summary: 'List your sessions, newest first',
    response: userSessions,
    client: 'auth.sessions',
  }).handle(({ store, now }, _exchange, { caller, claim }) =>
    sessionList(caller.id, { store, now: now(), current: claim.jti }),
  ),
  endpoint({
    route: 'DELETE /api/v1/auth/sessions',
    id: 'endOtherSessions',
    access: 'limitedUser',
    summary: 'End all of your sessions but the current one',
    response: sessionsEnded,
    client: 'auth.endOtherSessions',
  }).handle(async ({ auth: { sessions }, now }, exchange, session) => ({
    ended: await sessions.endOthers(session, { label: clientOf(exchange), now: now() }),
  })),
  endpoint({
    route: 'DELETE /api/v1/auth/sessions/:session',
    id: 'endOwnSession',
    access: 'limitedUser',
    summary: 'End one of your sessions, which may be the current one',
    errors: ['notFound'],
    client: 'auth.endSession',
  }).handle(async ({ store, auth: { sessions }, now }, { params }, session) => {
    const one = params['session'] ?? ''
    // The current one is ended as by signing out, also where no row lists it.
    if (one === session.claim.jti) return sessions.end(session, now())
    // A session of another user is as unknown as one that never was.
    const ended = await store.as(session.acting(anyCaller)).endSession(session.caller.id, one, now())
    if (!ended) throw unknownSession('You have', one)
  }),
  endpoint({
    route: 'DELETE /api/v1/auth/delete-account',
    id: 'deleteAccount',
    access: 'user',
    summary: 'Delete your account and everything that belongs to it',
    client: 'auth.deleteAccount',
  }).handle(({ auth: { accounts }, now }, _exchange, session) => accounts.deleteOwn(session, now())),
]
