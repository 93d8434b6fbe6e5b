/**
 * Sessions, so that users can see and end them.
 *
 * A token is valid by its signature. Its row here is not required, so tokens of a service that shares the secret are valid
 * too. Ending a session stores its token as revoked. Ending all sessions of a user also stores the time: unlisted tokens
 * from an earlier second are rejected by it. Tokens count whole seconds (RFC 7519 NumericDate), so those of the same
 * second are rejected by their rows.
 *
 * A guest costs nothing, and may renew its token for ever. So of a guest no revoked tokens are stored, but the time alone,
 * which is one row of the guest and goes with it.
 */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { isGuest } from '../../models/guest.ts'
import type { User } from '../../models/user.ts'
import type { CallerClaim, Token } from '../actor.ts'
import type { Database } from '../db/database.ts'
import { revokeTokensOf, useApiToken, userOfApiToken } from './api-token-table.ts'

/** A session as it is stored. */
export interface SessionRecord extends Token {
  /** The client that uses it, or its purpose. */
  readonly label: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

export interface ListedSession extends SessionRecord {
  /** When it was last used, in milliseconds since the epoch; useSession() keeps it. */
  readonly usedAt: number
}

/** A token that another one takes the place of. */
export type EndedToken = Pick<CallerClaim, 'jti' | 'iat' | 'expiresAt'>

const PURGE_ROWS_MAX = 50
/** Of one user, who may sign in as often as the limits of codes allow, or a proxy of `--auth-header`. */
export const SESSIONS_MAX = 1_000

/**
 * The JSON text of a token's user: undefined where the user is gone, or the token or all tokens of the user were ended.
 *
 */
export function caller(database: Database, claim: CallerClaim): string | undefined {
  const { userId, jti, iat, apiToken } = claim
  if (apiToken !== undefined) return userOfApiToken(database, claim)
  // Accounts and their sessions are never gathered.
  const row = database.getApart(
    `SELECT doc FROM user WHERE id = ? AND NOT EXISTS (SELECT 1 FROM revoked_token WHERE jti = ?)
      AND NOT EXISTS (SELECT 1 FROM signed_out WHERE user_id = user.id AND before > ?
        AND NOT EXISTS (SELECT 1 FROM session WHERE jti = ? AND user_id = user.id))`,
    userId,
    jti,
    iat,
    jti,
  )
  return row?.['doc'] as string | undefined
}

/** The same for a token that may have expired meanwhile. */
export function holds(database: Database, claim: CallerClaim, now: number): string | undefined {
  return claim.expiresAt > now ? caller(database, claim) : undefined
}

export function revoke(database: Database, token: Token & { readonly now: number }): void {
  addRevoked(database, token)
  database.run('DELETE FROM session WHERE jti = ?', token.jti)
}

/** A ticket that was used is a token that has ended. False where it was used before. */
export function useTicket(database: Database, ticket: Token & { readonly now: number }): boolean {
  return addRevoked(database, ticket)
}

/** Returns whether the token was valid until now. */
function addRevoked(database: Database, { jti, expiresAt, now }: Token & { readonly now: number }): boolean {
  database.run(
    `DELETE FROM revoked_token WHERE jti IN (SELECT jti FROM revoked_token WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    now,
  )
  return database.run('INSERT INTO revoked_token VALUES (?, ?) ON CONFLICT (jti) DO NOTHING', jti, expiresAt) === 1
}

/** Past SESSIONS_MAX, it ends the sessions of the user that were used longest ago. */
export function addSession(
  database: Database,
  userId: string,
  { jti, label, createdAt, expiresAt }: SessionRecord,
): 'added' | 'missing' {
  database.run(
    `DELETE FROM session WHERE jti IN (SELECT jti FROM session WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    createdAt,
  )
  const added = database.run(
    `INSERT INTO session (jti, user_id, label, created_at, expires_at, used_at)
      SELECT ?, id, ?, ?, ?, ? FROM user WHERE id = ?`,
    jti,
    label,
    createdAt,
    expiresAt,
    createdAt,
    userId,
  )
  endUnused(database, userId)
  return added === 1 ? 'added' : 'missing'
}

function endUnused(database: Database, userId: string): void {
  const unused = database.all(
    'SELECT jti, created_at FROM session WHERE user_id = ? ORDER BY used_at DESC, created_at DESC LIMIT -1 OFFSET ?',
    userId,
    SESSIONS_MAX,
  )
  // Without a row for each of them, which would be kept as long as the sessions.
  for (const { jti, created_at: createdAt } of unused) {
    endUnlisted(database, userId, { jti: String(jti), iat: Math.floor(Number(createdAt) / 1000) })
  }
}

/**
 * Ends a token, and adds the session that goes on in its place, by the label that the ended one is listed under. 'missing'
 * where the user is gone: then nothing changes.
 */
export function replaceSession(
  database: Database,
  userId: string,
  old: EndedToken,
  session: SessionRecord,
): 'added' | 'missing' {
  const user = database.get('SELECT doc FROM user WHERE id = ?', userId)
  if (user === undefined) return 'missing'
  const before = database.get('SELECT label FROM session WHERE jti = ?', old.jti)
  const label = before === undefined ? session.label : String(before['label'])
  // Ahead of the new one, which would end another one where the user has SESSIONS_MAX.
  if (isGuest(parseJson(String(user['doc'])) as JsonObject & User)) endUnlisted(database, userId, old)
  else revoke(database, { ...old, now: session.createdAt })
  return addSession(database, userId, { ...session, label })
}

/** Ends a token of a user with all unlisted ones that were issued until then. */
function endUnlisted(database: Database, userId: string, { jti, iat }: Pick<EndedToken, 'jti' | 'iat'>): void {
  database.run('DELETE FROM session WHERE jti = ?', jti)
  endTokensUntil(database, userId, iat + 1)
}

/** Ends all unlisted tokens of a user that were issued in an earlier second than `before`. */
export function endTokensUntil(database: Database, userId: string, before: number): void {
  database.run(
    `INSERT INTO signed_out (user_id, before) SELECT id, ? FROM user WHERE id = ?
      ON CONFLICT (user_id) DO UPDATE SET before = max(before, excluded.before)`,
    before,
    userId,
  )
}

/** The sessions of a user that have not expired, newest first, at most a thousand. */
export function sessionsOf(database: Database, userId: string, now: number): readonly ListedSession[] {
  return database
    .all(
      `SELECT jti, label, created_at, expires_at, used_at FROM session WHERE user_id = ? AND expires_at > ?
        ORDER BY created_at DESC, jti DESC LIMIT ${SESSIONS_MAX}`,
      userId,
      now,
    )
    .map((row) => ({
      jti: String(row['jti']),
      label: String(row['label']),
      createdAt: Number(row['created_at']),
      expiresAt: Number(row['expires_at']),
      usedAt: Number(row['used_at']),
    }))
}

export function useSession(database: Database, jti: string, now: number): void {
  if (database.run('UPDATE session SET used_at = ? WHERE jti = ? AND used_at < ?', now, jti, now) === 0) useApiToken(database, jti, now)
}

/** Ends one session of a user; false where the user has none with that id. */
export function endSession(database: Database, userId: string, jti: string, now: number): boolean {
  const row = database.get('SELECT expires_at FROM session WHERE jti = ? AND user_id = ?', jti, userId)
  if (row === undefined) return false
  revoke(database, { jti, expiresAt: Number(row['expires_at']), now })
  return true
}

/**
 * Ends all sessions of a user but `kept`, unlisted ones included: a backup that is restored on another machine lists none of
 * those that began behind it. Where `kept` is one of them, it is listed. Returns how many listed sessions had not expired.
 */
export function endOtherSessions(database: Database, userId: string, kept: SessionRecord, now: number): number {
  const isListed = database.get('SELECT 1 FROM session WHERE jti = ? AND user_id = ?', kept.jti, userId) !== undefined
  if (!isListed) addSession(database, userId, kept)
  endTokensUntil(database, userId, Math.floor(now / 1000))
  return endListed(database, userId, kept.jti, now)
}

/** Ends all sessions of a user, unlisted ones and tokens of the API included. Returns how many listed sessions had not expired. */
export function endSessions(database: Database, userId: string, now: number): number {
  endTokensUntil(database, userId, Math.floor(now / 1000))
  revokeTokensOf(database, userId)
  return endListed(database, userId, '', now)
}

function endListed(database: Database, userId: string, kept: string, now: number): number {
  const ended = database.run(
    `INSERT INTO revoked_token SELECT jti, expires_at FROM session WHERE user_id = ? AND jti <> ? AND expires_at > ?
      ON CONFLICT (jti) DO NOTHING`,
    userId,
    kept,
    now,
  )
  database.run('DELETE FROM session WHERE user_id = ? AND jti <> ?', userId, kept)
  return ended
}
