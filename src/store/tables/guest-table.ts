/**
 * Inactive guests. Without its token a guest account cannot be used again, so it only fills the disk.
 *
 * `guest_seen` has the first time of the last day (UTC) on which a guest was active: a guest with a thousand requests a
 * day costs one write. So inactivity is counted from the end of that day. A guest without a row gets one with the present
 * time, so that no guest is removed whose inactivity was not observed.
 */
import { DAY_MS } from '../../base/duration.ts'
import { isGuest } from '../../models/guest.ts'
import type { User } from '../../models/user.ts'
import type { Database } from '../sqlite/database.ts'
import { deleteAccount } from './account-tables.ts'
import { valueAt } from '../sqlite/schema-sql.ts'

/** Users that one step looks at, and guests that it removes. */
const USERS_PER_STEP = 500
const GUESTS_PER_STEP = 20
const APP_ROLE = valueAt('appRole')

export function seeGuest(database: Database, id: string, now: number): void {
  database.run(
    `INSERT INTO guest_seen SELECT id, ? FROM user WHERE id = ? AND ${APP_ROLE} = 'guestUser'
      ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at / ${DAY_MS} < excluded.at / ${DAY_MS}`,
    now,
    id,
  )
}

/** Adds a row for guests without one, starting after a user. Returns the user to go on from; undefined at the end. */
export function registerGuests(database: Database, after: number, now: number): number | undefined {
  const rows = database.all(
    `SELECT seq, id, doc FROM user WHERE seq > ? ORDER BY seq LIMIT ${USERS_PER_STEP}`,
    after,
  )
  for (const { id, doc } of rows) {
    if (!isGuest(JSON.parse(String(doc)) as User)) continue
    database.run('INSERT INTO guest_seen VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING', String(id), now)
  }
  return rows.length < USERS_PER_STEP ? undefined : Number(rows.at(-1)?.['seq'])
}

interface GuestStep {
  /** Their ids. */
  readonly removed: readonly string[]
  readonly isDone: boolean
}

/** Deletes some of the guests who were last active on a day before that of a time, as they could themselves. */
export function removeGuests(database: Database, before: number, now: number): GuestStep {
  const rows = database.all(
    `SELECT user_id, (SELECT doc FROM user WHERE id = user_id) AS doc FROM guest_seen
      WHERE at < ? ORDER BY at LIMIT ${GUESTS_PER_STEP}`,
    before - (before % DAY_MS),
  )
  const removed: string[] = []
  for (const row of rows) {
    const id = String(row['user_id'])
    // A guest who has become a user stays, and is no longer watched; so does an account whose role alone says guest.
    database.run('DELETE FROM guest_seen WHERE user_id = ?', id)
    if (row['doc'] === null || !isGuest(JSON.parse(String(row['doc'])) as User)) continue
    if (deleteAccount(database, { id, now, keepLastAdmin: true }) === 'deleted') removed.push(id)
  }
  return { removed, isDone: rows.length < GUESTS_PER_STEP }
}
