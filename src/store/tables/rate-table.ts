/**
 * Rate limits that survive a restart: a sliding window over the accepted events of a key.
 *
 * Rejected events are not counted, so a client that keeps trying is let in as soon as the window allows.
 */
import type { Database, Row } from '../sqlite/database.ts'
import type { Rate } from '../store.ts'

const PURGE_ROWS_MAX = 200
/**
 * Events that are kept, of all keys together: some 50 MB. Many clients, each within its limits, could otherwise fill the
 * disk; past this the oldest events are forgotten.
 */
const HITS_MAX = 500_000

/** Counts an event, or returns the milliseconds to wait. */
export function countRate(database: Database, rate: Rate, now: number): number | undefined {
  const wait = rateWait(database, rate, now)
  if (wait === undefined) addHit(database, rate, now)
  return wait
}

/** Milliseconds until the window has room again; undefined where it has. */
export function rateWait(database: Database, { key, max, windowMs }: Rate, now: number): number | undefined {
  // The event that has to leave the window before another may come: the max-th from the end.
  const row = database.get(
    'SELECT at FROM rate_hit WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?',
    key,
    now - windowMs,
    max - 1,
  )
  return row === undefined ? undefined : Number(row['at']) + windowMs - now
}

export function addHit(database: Database, { key, windowMs }: Rate, now: number): void {
  database.run(
    `DELETE FROM rate_hit WHERE seq IN (SELECT seq FROM rate_hit WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    now,
  )
  const { seq } = database.get(
    'INSERT INTO rate_hit (key, at, expires_at) VALUES (?, ?, ?) RETURNING seq',
    key,
    now,
    now + windowMs,
  ) as Row
  // An INTEGER PRIMARY KEY counts upward (sqlite.org/autoinc.html), so these are the oldest.
  database.run('DELETE FROM rate_hit WHERE seq <= ?', Number(seq) - HITS_MAX)
}

/** Makes a window empty. */
export function forgetHits(database: Database, key: Uint8Array): void {
  database.run('DELETE FROM rate_hit WHERE key = ?', key)
}
