/** Limits what visitors and guests add to the audit trail: one record counts those above the limit of their minute. */
import { MINUTE_MS } from '../../base/duration.ts'
import type { AuditEvent } from '../../models/audit.ts'
import { limitKey } from '../../http/request/client-address.ts'

const WINDOW_MS = MINUTE_MS
const RECORDS_PER_CLIENT_MAX = 20
const RECORDS_MAX = 300

/** `onSuppressed` is called for each record that is left out. */
export function createAuditBounds(onSuppressed: (event: AuditEvent) => void) {
  let [window, total] = [Number.NEGATIVE_INFINITY, 0]
  /** Only clients with records in this window, so there are never more than RECORDS_MAX. */
  const clients = new Map<string, number>()
  let suppressed = new Map<AuditEvent, number>()
  const windowOf = (now: number): number => Math.floor(now / WINDOW_MS)
  const count = (event: AuditEvent, n: number): void => {
    suppressed.set(event, (suppressed.get(event) ?? 0) + n)
  }
  return {
    /** Whether one more record of a client is within the bounds. Counts it in either case. */
    admits(event: AuditEvent, clientAddress: string, now: number): boolean {
      if (windowOf(now) !== window) {
        window = windowOf(now)
        total = 0
        clients.clear()
      }
      const client = limitKey(clientAddress)
      const records = clients.get(client) ?? 0
      if (total < RECORDS_MAX && records < RECORDS_PER_CLIENT_MAX) {
        total++
        clients.set(client, records + 1)
        return true
      }
      count(event, 1)
      onSuppressed(event)
      return false
    },
    /** Whether there are counts of a past minute. */
    isDue: (now: number) => suppressed.size > 0 && windowOf(now) !== window,
    hasCounts: () => suppressed.size > 0,
    /** Takes the counts, which restart at 0. Empty where nothing was suppressed. */
    take(): ReadonlyMap<AuditEvent, number> {
      const counts = suppressed
      suppressed = new Map()
      return counts
    },
    /** Adds counts whose record was not committed back to the current ones. */
    restore(counts: ReadonlyMap<AuditEvent, number>): void {
      for (const [event, n] of counts) count(event, n)
    },
  }
}
