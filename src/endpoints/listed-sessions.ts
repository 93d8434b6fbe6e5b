/** Where a user is signed in, as the user and administrators see it. */
import { isoDate } from '../base/dates.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import type { Exchange } from '../http/exchange.ts'
import type { UserSessions } from '../models/responses.ts'
import { clientName } from '../models/user-agent.ts'
import type { ReadStore } from '../store/read-store.ts'

/** What a client calls itself, which becomes the label of its session. */
export function clientOf({ headers }: Pick<Exchange, 'headers'>): string {
  return headers['user-agent'] ?? ''
}

interface Listed {
  readonly store: Pick<ReadStore, 'accounts'>
  readonly now: number
  /** The id of the current session. */
  readonly current: string
}

export async function sessionList(userId: string, { store, now, current }: Listed): Promise<UserSessions> {
  const sessions = store.accounts.sessionsOf(userId, now)
  return {
    items: sessions.map(({ jti, label, createdAt, usedAt, expiresAt }) => ({
      id: jti,
      client: clientName(label),
      label,
      createdAt: isoDate(createdAt),
      lastUsedAt: isoDate(usedAt),
      expiresAt: isoDate(expiresAt),
      current: jti === current,
    })),
  }
}

/** `owner` begins the sentence: `You have`, `User 1 has`. */
export function unknownSession(owner: string, session: string): Failure {
  return fail('notFound', `${owner} no session ${describe(session)}: it may have ended meanwhile`)
}
