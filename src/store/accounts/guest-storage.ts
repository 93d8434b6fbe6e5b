/**
 * What all guests together keep. Any stranger becomes a guest with one request, so that there is a budget for all of them.
 *
 * Triggers keep the bytes of each guest and their sum, so that asking costs one row, and a guest who becomes a user, or is
 * deleted by whatever path, leaves the sum (schema/triggers.ts).
 */
import type { Database } from '../db/database.ts'

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

export const NO_GUEST_LIMIT: GuestLimit = { bytesMax: Number.MAX_SAFE_INTEGER, isDiskShort: false }

/** Bytes that guests may still add; none where this is not above 0. */
export function guestRoom(database: Database, { bytesMax, isDiskShort }: GuestLimit): number {
  return isDiskShort ? 0 : bytesMax - guestStorage(database).bytes
}

export function guestStorage(database: Database): GuestStorage {
  const row = database.get('SELECT guests, bytes FROM guest_total')
  return { guests: Number(row?.['guests'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
}
