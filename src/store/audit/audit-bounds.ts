/**
 * Bounds on what strangers and guests add to the audit trail: a flood of failures must fill neither the disk nor the
 * trail. What is one too many in its minute is counted, and a record of the counts takes its place.
 */
import { MINUTE_MS } from '../../base/duration.ts'
import type { AuditEvent } from '../../models/audit.ts'
import { limitKey } from '../../http/request/client-address.ts'

const WINDOW_MS = MINUTE_MS
const RECORDS_PER_CLIENT_MAX = 20
const RECORDS_MAX = 300

export interface AuditBounds {
  /** Whether one more record of a client is within the bounds; counts it in either case. */
  admits(event: AuditEvent, clientAddress: string, now: number): boolean
  /** Whether counts of a minute that is over wait for their record. */
  isDue(now: number): boolean
  hasCounts(): boolean
  /** The counts since the last call, which begin again at 0; undefined where nothing was suppressed. */
  take(): ReadonlyMap<AuditEvent, number> | undefined
}

/** `onSuppressed` is called for each record that is left out. */
export function createAuditBounds(onSuppressed: (event: AuditEvent) => void): AuditBounds {
  let [window, total] = [Number.NEGATIVE_INFINITY, 0]
  /** Only clients with records in this window are in here, so that there are never more than RECORDS_MAX. */
  const clients = new Map<string, number>()
  let suppressed = new Map<AuditEvent, number>()
  const windowOf = (now: number): number => Math.floor(now / WINDOW_MS)
  return {
    admits(event, clientAddress, now) {
      if (windowOf(now) !== window) {
        window = windowOf(now)
        total = 0
        clients.clear()
      }
      const client = limitKey(clientAddress)
      const count = clients.get(client) ?? 0
      if (total < RECORDS_MAX && count < RECORDS_PER_CLIENT_MAX) {
        total++
        clients.set(client, count + 1)
        return true
      }
      suppressed.set(event, (suppressed.get(event) ?? 0) + 1)
      onSuppressed(event)
      return false
    },
    isDue: (now) => suppressed.size > 0 && windowOf(now) !== window,
    hasCounts: () => suppressed.size > 0,
    take() {
      if (suppressed.size === 0) return undefined
      const counts = suppressed
      suppressed = new Map()
      return counts
    },
  }
}
