/**
 * Sessions behind a restore: those of accounts that the database in use has as well are as they are there. An administrator who
 * has ended the sessions of an intruder, and then restores a backup from before the damage, would let the intruder in again
 * otherwise. So would one who has deleted the account of an intruder: an account that comes back has no session.
 *
 * On another machine, sessions are those of the backup: no account of it was deleted there. So are those of guests, who could not
 * sign in again.
 */
import { isGuest } from '../../models/guest.ts'
import type { User } from '../../models/user.ts'
import { endTokensUntil, revoke } from '../accounts/session-table.ts'
import type { Database } from '../db/database.ts'
import { readInUse } from './database-in-use.ts'

/** Runs inside a transaction. `now` in milliseconds. */
export function keepSessions(copy: Database, inUse: string, now: number): void {
  const sessionsOfCopy = copy.all('SELECT jti, user_id, expires_at FROM session WHERE expires_at > ?', now)
  const found = readInUse(inUse, (database) => {
    const deleted = deletedSince(copy, database)
    const isOver = (jti: unknown, userId: unknown): boolean =>
      deleted.has(String(userId)) || (hasAccount(database, userId) && database.get('SELECT 1 FROM session WHERE jti = ?', jti as string) === undefined)
    return {
      deleted,
      ended: sessionsOfCopy.filter(({ jti, user_id: userId }) => isOver(jti, userId)),
      revoked: database.all('SELECT jti, expires_at FROM revoked_token WHERE expires_at > ?', now),
      signedOut: database.all('SELECT user_id, before FROM signed_out'),
      listed: database.all('SELECT jti, user_id, label, created_at, expires_at, used_at FROM session WHERE expires_at > ?', now),
    }
  })
  if (found === undefined) return
  for (const { jti, expires_at: expiresAt } of [...found.ended, ...found.revoked]) {
    revoke(copy, { jti: String(jti), expiresAt: Number(expiresAt), now })
  }
  for (const { user_id: userId, before } of found.signedOut) endTokensUntil(copy, String(userId), Number(before))
  // Those that began behind the backup are in no list. One may have begun in this second.
  for (const userId of found.deleted) endTokensUntil(copy, userId, Math.floor(now / 1000) + 1)
  for (const { jti, user_id: userId, label, created_at: createdAt, expires_at: expiresAt, used_at: usedAt } of found.listed) {
    copy.run(
      `INSERT INTO session (jti, user_id, label, created_at, expires_at, used_at) SELECT ?, id, ?, ?, ?, ? FROM user WHERE id = ?
        ON CONFLICT (jti) DO NOTHING`,
      ...([jti, label, createdAt, expiresAt, usedAt, userId] as (string | number)[]),
    )
  }
}

/** The accounts of the copy, without guests, that were deleted from the database in use. Ids are random: with one in common, both are of one site. */
function deletedSince(copy: Database, inUse: Database): ReadonlySet<string> {
  const deleted = new Set<string>()
  let isSameSite = false
  for (const { id, doc } of copy.iterate('SELECT id, doc FROM user')) {
    if (hasAccount(inUse, id)) isSameSite = true
    else if (!isGuest(JSON.parse(String(doc)) as User)) deleted.add(String(id))
  }
  return isSameSite ? deleted : new Set()
}

function hasAccount(database: Database, id: unknown): boolean {
  return database.get('SELECT 1 FROM user WHERE id = ?', id as string) !== undefined
}
