/** What guests add to the disk ends where all of them together have what the operator lets them keep. */
import { writeJson, type JsonObject } from '../../base/json.ts'
import { guestsFull } from '../../models/guest.ts'

/** No document of a guest is longer: where guests may add so much, it is not measured. */
const GROWTH_MAX = 2 * 1024 * 1024

interface Growth {
  readonly stored: JsonObject | undefined
  readonly next: JsonObject
}

/** Throws networkError for a document that grows by more than there is room for. One that shrinks is always taken. */
export function requireGuestRoom({ stored, next }: Growth, guestRoom: () => number): void {
  const room = guestRoom()
  if (room >= GROWTH_MAX) return
  const growth = bytesOf(next) - bytesOf(stored)
  if (growth > 0 && growth > room) throw guestsFull('Cannot keep more for a guest')
}

function bytesOf(document: JsonObject | undefined): number {
  return document === undefined ? 0 : Buffer.byteLength(writeJson(document))
}
