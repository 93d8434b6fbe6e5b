/** Where users are signed in: each user sees and ends the own sessions, an administrator those of every user. */
import type { Session, Sessions } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import { requireAdministrator } from '../content/access.ts'
import { noContent, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import type { SessionsEnded, UserSessions } from '../models/replies.ts'
import { user } from '../models/user.ts'
import { clientName } from '../models/user-agent.ts'
import { anyCaller } from '../store/actor.ts'
import type { AccountStore, DocumentStore, Writable } from '../store/store.ts'

export interface SessionParts {
  readonly store: Pick<DocumentStore, 'get'> & Pick<AccountStore, 'sessionsOf'> & Writable
  readonly sessions: Pick<Sessions, 'end'>
  readonly now: Clock
}

type Handle = (exchange: Exchange, session: Session) => Promise<HttpResponse>

export interface SessionRoutes {
  readonly list: Handle
  /** Ends one, which may be the one that asks. */
  readonly end: Handle
  readonly endAll: Handle
}

export interface OwnSessionRoutes {
  readonly list: Handle
  /** Ends one, which may be the one that asks. That of another user is as unknown as one that never was. */
  readonly end: Handle
  /** Ends all but the one that asks. */
  readonly endOthers: Handle
}

/** For administrators. */
export function sessionRoutes(parts: SessionParts): SessionRoutes {
  const { store, now } = parts
  const requireUser = async ({ params }: Exchange): Promise<string> => {
    const id = params['id'] ?? ''
    if ((await store.get(user, id)) !== undefined) return id
    throw fail('notFound', `No user has the id ${describe(id)}`)
  }
  return {
    list: async (exchange, { claim }) => listed(parts, await requireUser(exchange), claim.jti),
    async end(exchange, { acting }) {
      const id = await requireUser(exchange)
      const one = exchange.params['session'] ?? ''
      if (!(await store.as(acting(requireAdministrator)).endSession(id, one, now()))) throw unknown(`User ${id} has`, one)
      return noContent()
    },
    async endAll(exchange, { acting }) {
      const id = await requireUser(exchange)
      const ended = await store.as(acting(requireAdministrator)).endSessions(id, now())
      return ok(JSON.stringify({ ended } satisfies SessionsEnded))
    },
  }
}

/** For every user, guests included. */
export function ownSessionRoutes(parts: SessionParts): OwnSessionRoutes {
  const { store, sessions, now } = parts
  return {
    list: (_exchange, { caller, claim }) => listed(parts, caller.id, claim.jti),
    async end(exchange, session) {
      const { id } = session.caller
      const one = exchange.params['session'] ?? ''
      // The own one is ended as by signing out, also where no row lists it.
      if (one === session.claim.jti) await sessions.end(session, now())
      else if (!(await store.as(session.acting(anyCaller)).endSession(id, one, now()))) throw unknown('You have', one)
      return noContent()
    },
    async endOthers(_exchange, { caller: { id }, claim, acting }) {
      const ended = await store.as(acting(anyCaller)).endOtherSessions(id, claim.jti, now())
      return ok(JSON.stringify({ ended } satisfies SessionsEnded))
    },
  }
}

async function listed({ store, now }: SessionParts, userId: string, asking: string): Promise<HttpResponse> {
  const items = (await store.sessionsOf(userId, now())).map(({ jti, label, createdAt, usedAt, expiresAt }) => ({
    id: jti,
    client: clientName(label),
    label,
    createdAt: isoDate(createdAt),
    lastUsedAt: isoDate(usedAt),
    expiresAt: isoDate(expiresAt),
    current: jti === asking,
  }))
  return ok(JSON.stringify({ items } satisfies UserSessions))
}

function unknown(who: string, session: string): Failure {
  return fail('notFound', `${who} no session ${describe(session)}: it may have ended meanwhile`)
}
