/** Where a user is signed in, for administrators, who can end it there. */
import type { Session } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { Log } from '../base/log.ts'
import { requireAdministrator } from '../content/access.ts'
import { noContent, ok, type Exchange, type Reply } from '../http/exchange.ts'
import type { SessionsEnded, UserSessions } from '../models/replies.ts'
import { user } from '../models/user.ts'
import type { AccountStore, DocumentStore, Writable } from '../store/store.ts'

export interface SessionParts {
  readonly store: Pick<DocumentStore, 'get'> & Pick<AccountStore, 'sessionsOf'> & Writable
  readonly now: Clock
  readonly log: Log
}

export interface SessionRoutes {
  list(exchange: Exchange, session: Session): Promise<Reply>
  /** Ends one, which may be the one that asks. */
  end(exchange: Exchange, session: Session): Promise<Reply>
  endAll(exchange: Exchange, session: Session): Promise<Reply>
}

export function sessionRoutes({ store, now, log }: SessionParts): SessionRoutes {
  const requireUser = async ({ params }: Exchange): Promise<string> => {
    const id = params['id'] ?? ''
    if ((await store.get(user, id)) !== undefined) return id
    throw fail('notFound', `No user has the id ${describe(id)}`)
  }
  return {
    async list(exchange, { claim }) {
      const sessions = await store.sessionsOf(await requireUser(exchange), now())
      const items = sessions.map(({ jti: id, label, createdAt, expiresAt }) => ({
        id,
        label,
        createdAt: isoDate(createdAt),
        expiresAt: isoDate(expiresAt),
        current: id === claim.jti,
      }))
      return ok(JSON.stringify({ items } satisfies UserSessions))
    },
    async end(exchange, { caller, acting }) {
      const id = await requireUser(exchange)
      const one = exchange.params['session'] ?? ''
      if (!(await store.as(acting(requireAdministrator)).endSession(id, one, now()))) {
        throw fail('notFound', `User ${id} has no session ${describe(one)}: it may have ended meanwhile`)
      }
      log.info('sessions.ended', { user: id, by: caller.id, ended: 1 })
      return noContent()
    },
    async endAll(exchange, { caller, acting }) {
      const id = await requireUser(exchange)
      const ended = await store.as(acting(requireAdministrator)).endSessions(id, now())
      log.info('sessions.ended', { user: id, by: caller.id, ended })
      return ok(JSON.stringify({ ended } satisfies SessionsEnded))
    },
  }
}
