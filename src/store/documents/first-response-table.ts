/**
 * First responses to requests with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), one row for each key of
 * a user. A row is written in the transaction of what the request does, so that neither is there without the other. Of a
 * request that takes several transactions, each replaces what the one before has kept.
 */
import { DAY_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import type { Database } from '../db/database.ts'

/** A request with an Idempotency-Key, and a hash of what it wants. */
export interface RepeatableRequest {
  readonly key: string
  readonly fingerprint: Uint8Array
  readonly now: number
}

/** What a repetition of the request gets: the status and `data` of the response. */
export interface FirstResponse {
  readonly status: number
  readonly data: string
}

const KEPT_MS = DAY_MS
/** Of one user; past these the oldest are forgotten. */
const RESPONSES_MAX = 1_000
const BYTES_MAX = 8 * 1024 * 1024
const PURGE_ROWS_MAX = 50

/** The response that a key has got, with the hash of its request; undefined for a key that is new or expired. */
export function firstResponse(
  database: Database,
  userId: string,
  key: string,
  now: number,
): (FirstResponse & Pick<RepeatableRequest, 'fingerprint'>) | undefined {
  const row = database.get(
    'SELECT fingerprint, status, data FROM first_response WHERE user_id = ? AND key = ? AND expires_at > ?',
    userId,
    key,
    now,
  )
  if (row === undefined) return undefined
  return { fingerprint: row['fingerprint'] as Uint8Array, status: Number(row['status']), data: String(row['data']) }
}

/**
 * `before` is what the transaction before has kept of the same request. Throws conflict where another process has used the
 * key, or gone on, meanwhile: then the request must do nothing.
 */
export function keepFirstResponse(
  database: Database,
  userId: string,
  { key, fingerprint, now }: RepeatableRequest,
  { status, data }: FirstResponse,
  before?: string,
): void {
  if (before !== undefined) {
    const sql = 'UPDATE first_response SET status = ?, data = ?, bytes = ?, expires_at = ? WHERE user_id = ? AND key = ? AND data = ?'
    if (database.run(sql, status, data, Buffer.byteLength(data), now + KEPT_MS, userId, key, before) === 0) throw stillRunning()
    return
  }
  database.run(
    `DELETE FROM first_response WHERE (user_id = ? AND key = ? AND expires_at <= ?)
      OR seq IN (SELECT seq FROM first_response WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    userId,
    key,
    now,
    now,
  )
  const kept = database.run(
    `INSERT INTO first_response (user_id, key, fingerprint, status, data, bytes, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
    userId,
    key,
    fingerprint,
    status,
    data,
    Buffer.byteLength(data),
    now + KEPT_MS,
  )
  if (kept === 0) throw stillRunning()
  forgetOldest(database, userId)
}

export function stillRunning(): Error {
  const message = 'Another request with this Idempotency-Key is running: send it again in a moment for its response'
  return fail('conflict', message, { headers: { 'Retry-After': '1' } })
}

/** An index has all that is summed up. The newest stays, however long it is. */
function forgetOldest(database: Database, userId: string): void {
  database.run(
    `DELETE FROM first_response WHERE seq IN (
      SELECT seq FROM (
        SELECT seq, row_number() OVER newest AS n, sum(bytes) OVER newest AS total FROM first_response WHERE user_id = ?
        WINDOW newest AS (ORDER BY expires_at DESC, seq DESC))
      WHERE n > 1 AND (n > ${RESPONSES_MAX} OR total > ${BYTES_MAX}))`,
    userId,
  )
}
