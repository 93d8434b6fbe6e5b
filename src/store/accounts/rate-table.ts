/**
 * Rate limits that survive a restart: a sliding window over the accepted events of a key.
 *
 * Rejected events are not counted, so a client that keeps trying is let in as soon as the window allows. Wrong codes have
 * rings of their own: a flood of requests must not push out the events that keep an account from being guessed.
 */
import type { Database, Row } from '../db/database.ts'

/** A sliding window: at most `max` events of one key within `windowMs`. */
export interface Rate {
  readonly key: Uint8Array
  readonly max: number
  readonly windowMs: number
  /** Where its events are kept, apart from those of other rings: 500,000 in each. `rate_hit` without it. */
  readonly ring?: 'rate_hit' | 'client_try' | 'email_try'
}

const PURGE_ROWS_MAX = 200
/**
 * Events that a ring keeps, of all keys together: some 50 MB. Many clients, each within its limits, could otherwise fill the
 * disk; past this the oldest events are forgotten.
 */
const HITS_MAX = 500_000

/** Counts an event in all windows, or in none of them. Returns the first that is full. */
export function countRates(
  database: Database,
  rates: readonly Rate[],
  now: number,
): { readonly full: number; readonly retryAfterMs: number } | undefined {
  for (const [full, rate] of rates.entries()) {
    const retryAfterMs = rateWait(database, rate, now)
    if (retryAfterMs !== undefined) return { full, retryAfterMs }
  }
  for (const rate of rates) addHit(database, rate, now)
  return undefined
}

/** Milliseconds until the window has room again; undefined where it has. */
export function rateWait(
  database: Database,
  { ring = 'rate_hit', key, max, windowMs }: Rate,
  now: number,
): number | undefined {
  // The event that has to leave the window before another may come: the max-th from the end. An event of a time to come is of a
  // clock that was wrong, or of a forged backup; one within a window may be of another node.
  const row = database.get(
    `SELECT at FROM ${ring} WHERE key = ? AND at > ? AND at <= ? ORDER BY at DESC LIMIT 1 OFFSET ?`,
    key,
    now - windowMs,
    now + windowMs,
    max - 1,
  )
  return row === undefined ? undefined : Number(row['at']) + windowMs - now
}

export function addHit(database: Database, { ring = 'rate_hit', key, windowMs }: Rate, now: number): void {
  database.run(`DELETE FROM ${ring} WHERE seq IN (SELECT seq FROM ${ring} WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`, now)
  const { seq } = database.get(
    `INSERT INTO ${ring} (key, at, expires_at) VALUES (?, ?, ?) RETURNING seq`,
    key,
    now,
    now + windowMs,
  ) as Row
  // An INTEGER PRIMARY KEY counts upward (sqlite.org/autoinc.html), so these are the oldest.
  database.run(`DELETE FROM ${ring} WHERE seq <= ?`, Number(seq) - HITS_MAX)
}

/** Makes a window empty. */
export function forgetHits(database: Database, { ring = 'rate_hit', key }: Pick<Rate, 'ring' | 'key'>): void {
  database.run(`DELETE FROM ${ring} WHERE key = ?`, key)
}
