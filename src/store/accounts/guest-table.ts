/**
 * Inactive guests. Without its token a guest account cannot be used again, so it only fills the disk.
 *
 * `guest_seen` has the first time of the last hour in which a guest was active: a guest with a thousand requests an hour
 * costs one write. A guest without a row gets one with the present time, so that no guest is removed whose inactivity was
 * not observed. The limit of `--guest-days` counts whole days (UTC), from the end of that of the last visit.
 */
import { DAY_MS, HOUR_MS } from '../../base/duration.ts'
import { isPlainGuest } from '../../models/guest.ts'
import type { User } from '../../models/user.ts'
import type { Database } from '../db/database.ts'
import { valueAt } from '../schema/names.ts'
import { LARGE_GUEST_BYTES } from '../schema/tables.ts'
import { deleteAccount } from './account-tables.ts'

/** Some guests were deleted. */
export interface GuestStep {
  readonly removed: number
  readonly isDone: boolean
}

/** Users that one step looks at, and guests that it removes. */
const USERS_PER_STEP = 500
const GUESTS_PER_STEP = 20
const APP_ROLE = valueAt('appRole')

export function seeGuest(database: Database, id: string, now: number): void {
  database.run(
    `INSERT INTO guest_seen SELECT id, ? FROM user WHERE id = ? AND ${APP_ROLE} = 'guestUser'
      ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at / ${HOUR_MS} < excluded.at / ${HOUR_MS}`,
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
    if (!isPlainGuest(JSON.parse(String(doc)) as User)) continue
    database.run('INSERT INTO guest_seen VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING', String(id), now)
  }
  return rows.length < USERS_PER_STEP ? undefined : Number(rows.at(-1)?.['seq'])
}

interface RemovedGuests {
  /** Their ids. */
  readonly removed: readonly string[]
  readonly isDone: boolean
}

/** Deletes some of the guests who were last active on a day before that of a time, as they could themselves. */
export function removeGuests(database: Database, before: number, now: number): RemovedGuests {
  return removeSeenBefore(database, { before: before - (before % DAY_MS), now, isEnough: () => false })
}

/**
 * Deletes some guests, until all together have no more bytes: the large ones, of which those go first who were last active
 * in an hour before that of a time, and then the small ones who were last active before it. So a stranger who fills the
 * disk with a few large guests makes room with these, and not with readers.
 */
export function makeGuestRoom(database: Database, bytesMax: number, before: number, now: number): RemovedGuests {
  const removal: Removal = { before: before - (before % HOUR_MS), now, isEnough: () => guestStorage(database).bytes <= bytesMax }
  const large = database.all(
    `SELECT user_id FROM guest_size JOIN user ON id = user_id LEFT JOIN guest_seen USING (user_id)
      WHERE bytes > ${LARGE_GUEST_BYTES} AND ${APP_ROLE} = 'guestUser' ORDER BY coalesce(at, 0) < ? DESC, bytes DESC LIMIT ${GUESTS_PER_STEP}`,
    removal.before,
  )
  const removed = removeEach(database, removal, large.map((row) => String(row['user_id'])))
  return removed.length === 0 ? removeSeenBefore(database, removal) : { removed, isDone: removal.isEnough() }
}

interface Removal {
  readonly before: number
  readonly now: number
  /** Asked ahead of each guest. */
  readonly isEnough: () => boolean
}

/** The oldest first. */
function removeSeenBefore(database: Database, removal: Removal): RemovedGuests {
  const rows = database.all(`SELECT user_id FROM guest_seen WHERE at < ? ORDER BY at LIMIT ${GUESTS_PER_STEP}`, removal.before)
  const removed = removeEach(database, removal, rows.map((row) => String(row['user_id'])))
  return { removed, isDone: rows.length < GUESTS_PER_STEP || removal.isEnough() }
}

/** Deletes guests in this order, until it is enough. Gives the ids of those that it has deleted. */
function removeEach(database: Database, { now, isEnough }: Removal, ids: readonly string[]): readonly string[] {
  const removed: string[] = []
  for (const id of ids) {
    if (isEnough()) break
    // A guest who has become a user stays, and is no longer watched; so does an account whose role alone says guest.
    database.run('DELETE FROM guest_seen WHERE user_id = ?', id)
    const doc = database.get('SELECT doc FROM user WHERE id = ?', id)?.['doc']
    if (doc === undefined || !isPlainGuest(JSON.parse(String(doc)) as User)) continue
    if (deleteAccount(database, { id, now, keepLastAdmin: true }) === 'deleted') removed.push(id)
  }
  return removed
}

/*
 * What all guests together keep. Any stranger becomes a guest with one request, so that there is a budget for all of them.
 *
 * Triggers keep the bytes of each guest and their sum, so that asking costs one row, and a guest who becomes a user, or is
 * deleted by whatever path, leaves the sum (schema/triggers.ts).
 */

/** What all guests together have: documents, and rows beside them. */
export interface GuestStorage {
  readonly guests: number
  readonly bytes: number
}

/** What guests may keep. */
export interface GuestLimit {
  /** Of all guests together. */
  readonly bytesMax: number
  /** Whether the disk has no room for more of any reader, whatever guests have. */
  readonly isDiskShort: boolean
}

export const NO_GUEST_LIMIT: GuestLimit = { bytesMax: Number.MAX_SAFE_INTEGER, isDiskShort: false }

/** Bytes that a reader with the role may still add: guests share theirs, and others have what the disk has. None where this is not above 0. */
export function roomOf(database: Database, role: User['appRole'], { bytesMax, isDiskShort }: GuestLimit): number {
  if (isDiskShort) return 0
  return role === 'guestUser' ? bytesMax - guestStorage(database).bytes : Number.MAX_SAFE_INTEGER
}

export function guestStorage(database: Database): GuestStorage {
  const row = database.get('SELECT guests, bytes FROM guest_total')
  return { guests: Number(row?.['guests'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
}
