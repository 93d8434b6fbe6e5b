/**
 * Tokens of the API, which administrators make for programs. A token is 32 random bytes, so that its SHA-256 says nothing
 * about it and finds its row. It acts for the user who made it, with at most the roles that this user still has, and
 * goes with that user.
 */
import { isObject, parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import type { TokenLimits } from '../../models/caller.ts'
import type { Database, Row } from '../db/database.ts'

const LISTED_MAX = 1_000

export interface ApiTokenRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly limits: TokenLimits
  /** Milliseconds since the epoch, as below. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Undefined where it was not used yet. */
  readonly usedAt: number | undefined
}

/** The token of a hash; undefined where there is none, also where it was revoked. It may have expired. */
export function apiToken(database: Database, hash: string): ApiTokenRecord | undefined {
  const row = database.get('SELECT * FROM api_token WHERE hash = ?', hash)
  return row === undefined ? undefined : recordOf(row)
}

/** The newest first, at most a thousand; expired ones too, until the next is made. */
export function apiTokens(database: Database): readonly ApiTokenRecord[] {
  return database.all(`SELECT * FROM api_token ORDER BY created_at DESC, id DESC LIMIT ${LISTED_MAX}`).map(recordOf)
}

/** 'missing' where the user is gone, 'full' where there are a thousand. */
export function addApiToken(database: Database, hash: string, token: ApiTokenRecord): 'added' | 'missing' | 'full' {
  database.run('DELETE FROM api_token WHERE expires_at <= ?', token.createdAt)
  if (Number(database.get('SELECT count(*) AS n FROM api_token')?.['n']) >= LISTED_MAX) return 'full'
  const { id, userId, name, limits, createdAt, expiresAt } = token
  const added = database.run(
    `INSERT INTO api_token (id, user_id, hash, name, limits, created_at, expires_at)
      SELECT ?, id, ?, ?, ?, ?, ? FROM user WHERE id = ?`,
    ...[id, hash, name, writeJson(limits as unknown as JsonObject), createdAt, expiresAt, userId],
  )
  return added === 1 ? 'added' : 'missing'
}

/** Returns the token that was revoked; undefined where there is none of that id. */
export function revokeApiToken(database: Database, id: string): ApiTokenRecord | undefined {
  const row = database.get('DELETE FROM api_token WHERE id = ? RETURNING *', id)
  return row === undefined ? undefined : recordOf(row)
}

export function revokeTokensOf(database: Database, userId: string): void {
  database.run('DELETE FROM api_token WHERE user_id = ?', userId)
}

export function useApiToken(database: Database, id: string, now: number): void {
  database.run('UPDATE api_token SET used_at = ? WHERE id = ? AND coalesce(used_at, 0) < ?', now, id, now)
}

/** The JSON text of the user of a token; undefined where either is gone. */
export function userOfApiToken(database: Database, { userId, jti }: { readonly userId: string; readonly jti: string }): string | undefined {
  const row = database.get(
    'SELECT doc FROM user WHERE id = ? AND EXISTS (SELECT 1 FROM api_token WHERE id = ? AND user_id = user.id)',
    userId,
    jti,
  )
  return row?.['doc'] as string | undefined
}

function recordOf(row: Row): ApiTokenRecord {
  const limits = parseJson(String(row['limits']))
  if (!isObject(limits)) throw new Error('The limits of a token are no object')
  return {
    id: String(row['id']),
    userId: String(row['user_id']),
    name: String(row['name']),
    limits: limits as unknown as TokenLimits,
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    usedAt: row['used_at'] === null ? undefined : Number(row['used_at']),
  }
}
