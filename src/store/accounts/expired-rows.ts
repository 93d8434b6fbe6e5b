/** Expired rows. Each write of such a row removes a few; this removes the rest. */
import type { Database } from '../db/database.ts'

const ROWS_PER_STEP = 200
/** Tables with a time in `expires_at` and an index on it, with the columns of their keys. */
const KEYS = {
  ...{ code: 'email, maker', revoked_token: 'jti', session: 'jti' },
  ...{ rate_hit: 'seq', client_try: 'seq', email_try: 'seq', first_response: 'seq' },
} as const
const TABLES = Object.keys(KEYS) as readonly (keyof typeof KEYS)[]

/** Removes some of each. Returns whether there may be more. */
export function removeExpired(database: Database, now: number): boolean {
  const removed = TABLES.map((table) =>
    database.run(
      `DELETE FROM ${table} WHERE (${KEYS[table]}) IN
        (SELECT ${KEYS[table]} FROM ${table} WHERE expires_at <= ? LIMIT ${ROWS_PER_STEP})`,
      now,
    ),
  )
  return removed.some((rows) => rows >= ROWS_PER_STEP)
}
