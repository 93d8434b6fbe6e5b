/**
 * What readers add to the disk ends where it is nearly full: the rest is for those who run the service. What guests add ends
 * earlier, where all of them together have what the operator lets them keep.
 */
import { fail } from '../../base/failure.ts'
import { writeJson, type JsonObject } from '../../base/json.ts'
import { classOf, type Caller } from '../../models/caller.ts'
import { guestsFull } from '../../models/guest.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'

/** No document of a guest is longer: where one may add so much, it is not measured. Other readers have room without end, or none. */
const GROWTH_MAX = 2 * 1024 * 1024
/** The operator has to make room. */
const RETRY_SECONDS = 60

interface Growth {
  readonly stored: JsonObject | undefined
  readonly next: JsonObject
  readonly caller: Caller
}

/** Throws networkError for a document of a reader that grows by more than there is room for. One that shrinks is always taken. */
export function requireRoom({ stored, next, caller }: Growth, roomOf: TransactionView['roomOf']): void {
  const kind = classOf(caller)
  if (kind === 'dashboard') return
  const room = roomOf(caller.appRole)
  if (room >= GROWTH_MAX) return
  const growth = bytesOf(next) - bytesOf(stored)
  if (growth <= 0 || growth <= room) return
  if (kind === 'guest') throw guestsFull('Cannot keep more for a guest')
  throw fail('networkError', 'Cannot keep more: the disk of the service is nearly full: try again later', { headers: { 'Retry-After': String(RETRY_SECONDS) } })
}

function bytesOf(document: JsonObject | undefined): number {
  return document === undefined ? 0 : Buffer.byteLength(writeJson(document))
}
