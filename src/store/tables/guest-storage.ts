/**
 * What all guests together keep. Any stranger becomes a guest with one request, so that there is a budget for all of them.
 *
 * Triggers keep the bytes of each guest and their sum, so that asking costs one row, and a guest who becomes a user, or is
 * deleted by whatever path, leaves the sum. Both tables are derived: each node of a cluster has its own.
 */
import { GUEST_DOMAIN } from '../../models/guest.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { userAppSettings } from '../../models/user-app-settings.ts'
import { userContentPreferences } from '../../models/user-content-preferences.ts'
import type { Database } from '../sqlite/database.ts'

/** What all guests together have: documents, and rows beside them. */
export interface GuestStorage {
  readonly guests: number
  readonly bytes: number
}

/** What guests may keep. */
export interface GuestLimit {
  /** Of all guests together. */
  readonly bytesMax: number
  /** Whether the disk has no room for more, whatever guests have. */
  readonly isDiskShort: boolean
}

/** Of a guest beside the documents: rows of sessions and of the change log, and the entries of indexes. */
const BYTES_BESIDE = 2_048
const OWNED: readonly Model[] = [userAppSettings, userContentPreferences]

export const NO_GUEST_LIMIT: GuestLimit = { bytesMax: Number.MAX_SAFE_INTEGER, isDiskShort: false }

/** Bytes that guests may still add; none where this is not above 0. */
export function guestRoom(database: Database, { bytesMax, isDiskShort }: GuestLimit): number {
  return isDiskShort ? 0 : bytesMax - guestStorage(database).bytes
}

export function guestStorage(database: Database): GuestStorage {
  const row = hasTables(database) ? database.get('SELECT guests, bytes FROM guest_total') : undefined
  return { guests: Number(row?.['guests'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
}

/** A command may read a file that a service of an earlier version has not brought up to date. */
function hasTables(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE name = 'guest_total'") !== undefined
}

export const GUEST_STORAGE_SCHEMA: readonly { readonly name: string; readonly sql: string }[] = [
  { name: 'guest_size', sql: 'CREATE TABLE guest_size (user_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID' },
  {
    name: 'guest_total',
    sql: 'CREATE TABLE guest_total (one INTEGER PRIMARY KEY CHECK (one = 1), guests INTEGER NOT NULL, bytes INTEGER NOT NULL)',
  },
  totalTrigger('INSERT', '1, new.bytes'),
  totalTrigger('UPDATE', '0, new.bytes - old.bytes'),
  totalTrigger('DELETE', '-1, -old.bytes'),
]

function totalTrigger(event: string, added: string): { name: string; sql: string } {
  const name = `guest_size/total ${event}`
  const add = `INSERT INTO guest_total VALUES (1, ${added})
      ON CONFLICT (one) DO UPDATE SET guests = guests + excluded.guests, bytes = bytes + excluded.bytes;`
  return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON guest_size BEGIN ${add} END` }
}

/** Whether the row of a user is that of a guest; see models/guest.ts. */
const isGuestRow = (row: string): string => `${row}.doc ->> '$."email"' = ${row}.id || '@${GUEST_DOMAIN}'`
const sizeOf = (row: string): string => {
  const owned = OWNED.map(({ name }) => `coalesce((SELECT octet_length(doc) FROM "${name}" WHERE id = ${row}.id), 0)`)
  return `${BYTES_BESIDE} + octet_length(${row}.doc) + ${owned.join(' + ')}`
}

/**
 * The triggers of a user, and of what users own. What a user owns may be there before the user: a changeset of a cluster has
 * it first, and deletes it first.
 */
export function guestTriggers(model: Model): { name: string; sql: string }[] {
  const trigger = (event: string, when: string, body: string): { name: string; sql: string } => {
    const name = guestTrigger(model, event)
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON "${model.name}" ${when} BEGIN ${body} END` }
  }
  if (model === user) {
    const add = `INSERT INTO guest_size SELECT new.id, ${sizeOf('new')} WHERE ${isGuestRow('new')};`
    return [
      trigger('INSERT', `WHEN ${isGuestRow('new')}`, add),
      trigger('UPDATE', `WHEN ${isGuestRow('old')} OR ${isGuestRow('new')}`, `DELETE FROM guest_size WHERE user_id = old.id; ${add}`),
      trigger('DELETE', `WHEN ${isGuestRow('old')}`, 'DELETE FROM guest_size WHERE user_id = old.id;'),
    ]
  }
  if (!OWNED.includes(model)) return []
  const change = (id: string, bytes: string): string => `UPDATE guest_size SET bytes = bytes + ${bytes} WHERE user_id = ${id};`
  return [
    trigger('INSERT', '', change('new.id', 'octet_length(new.doc)')),
    trigger('UPDATE', '', change('new.id', '(octet_length(new.doc) - octet_length(old.doc))')),
    trigger('DELETE', '', change('old.id', '(0 - octet_length(old.doc))')),
  ]
}

export function guestTrigger(model: Model, event: string): string {
  return `${model.name}/guests ${event}`
}

/** Counts what the triggers count, for a file without them. */
export function recountGuests(database: Database): void {
  database.exec(`DELETE FROM guest_size; DELETE FROM guest_total;
    INSERT INTO guest_size SELECT id, ${sizeOf('user')} FROM user WHERE ${isGuestRow('user')};`)
}
