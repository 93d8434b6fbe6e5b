/**
 * Sessions behind a restore: those of accounts that the database in use has as well are as they are there. An administrator who
 * has ended the sessions of an intruder, and then restores a backup from before the damage, would let the intruder in again
 * otherwise. Sessions of other accounts are those of the backup: of accounts that were deleted since, or on another machine.
 */
import { endTokensUntil, revoke } from '../accounts/session-table.ts'
import type { Database } from '../db/database.ts'
import { readInUse } from './database-in-use.ts'

/** Runs inside a transaction. `now` in milliseconds. */
export function keepSessions(copy: Database, inUse: string, now: number): void {
  const sessionsOfCopy = copy.all('SELECT jti, user_id, expires_at FROM session WHERE expires_at > ?', now)
  const found = readInUse(inUse, (database) => ({
    ended: sessionsOfCopy.filter(
      ({ jti, user_id: userId }) =>
        database.get('SELECT 1 FROM user WHERE id = ?', userId as string) !== undefined &&
        database.get('SELECT 1 FROM session WHERE jti = ?', jti as string) === undefined,
    ),
    revoked: database.all('SELECT jti, expires_at FROM revoked_token WHERE expires_at > ?', now),
    signedOut: database.all('SELECT user_id, before FROM signed_out'),
    listed: database.all('SELECT jti, user_id, label, created_at, expires_at, used_at FROM session WHERE expires_at > ?', now),
  }))
  if (found === undefined) return
  for (const { jti, expires_at: expiresAt } of [...found.ended, ...found.revoked]) {
    revoke(copy, { jti: String(jti), expiresAt: Number(expiresAt), now })
  }
  for (const { user_id: userId, before } of found.signedOut) endTokensUntil(copy, String(userId), Number(before))
  for (const { jti, user_id: userId, label, created_at: createdAt, expires_at: expiresAt, used_at: usedAt } of found.listed) {
    copy.run(
      `INSERT INTO session (jti, user_id, label, created_at, expires_at, used_at) SELECT ?, id, ?, ?, ?, ? FROM user WHERE id = ?
        ON CONFLICT (jti) DO NOTHING`,
      ...([jti, label, createdAt, expiresAt, usedAt, userId] as (string | number)[]),
    )
  }
}
