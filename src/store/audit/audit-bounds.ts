/** Limits what visitors, guests and readers add to the audit trail: one record counts those above the limit of their minute or day. */
import { setNewest } from '../../base/bounded-map.ts'
import { DAY_MS, MINUTE_MS } from '../../base/duration.ts'
import { limitKey } from '../../http/client-address.ts'
import type { AuditEvent, AuditRecord, AuditRole } from '../../models/audit.ts'

/** Accounts of readers, who renew and end their sessions as often as the limits of requests allow. */
const READERS: readonly AuditRole[] = ['standardUser', 'premiumUser']
/** Roles whose records are bounded in number: acting in one of the first two takes no proof of anything. */
const BOUNDED_ROLES: readonly AuditRole[] = ['stranger', 'guestUser', ...READERS]

const WINDOW_MS = MINUTE_MS
const RECORDS_PER_CLIENT_MAX = 20
const RECORDS_MAX = 300
/** Retention keeps few of what strangers cause (audit-retention.ts). What guests do has the names of what users do, and stays. */
const GUEST_RECORDS_PER_DAY_MAX = 5_000
/** Of one account. Its token alone may be renewed 2,880 times a day. */
const READER_RECORDS_PER_DAY_MAX = 200
/** Accounts that are counted; past it, the one that was heard of longest ago is forgotten. */
const READERS_MAX = 10_000

/** `onSuppressed` is called for each record that is left out. */
export function createAuditBounds(onSuppressed: (event: AuditEvent) => void) {
  let [window, total] = [Number.NEGATIVE_INFINITY, 0]
  let [day, ofGuests] = [Number.NEGATIVE_INFINITY, 0]
  /** Only clients with records in this window, so there are never more than RECORDS_MAX. */
  const clients = new Map<string, number>()
  /** Records of this day, by account. */
  const readers = new Map<string, number>()
  let suppressed = new Map<AuditEvent, number>()
  const windowOf = (now: number): number => Math.floor(now / WINDOW_MS)
  const count = (event: AuditEvent, n: number): void => {
    suppressed.set(event, (suppressed.get(event) ?? 0) + n)
  }
  const beginWindows = (now: number): void => {
    if (windowOf(now) !== window) {
      window = windowOf(now)
      total = 0
      clients.clear()
    }
    if (Math.floor(now / DAY_MS) === day) return
    [day, ofGuests] = [Math.floor(now / DAY_MS), 0]
    readers.clear()
  }
  const admitsReader = (account: string): boolean => {
    const records = readers.get(account) ?? 0
    setNewest(readers, account, records + 1, READERS_MAX)
    return records < READER_RECORDS_PER_DAY_MAX
  }
  const admitsClient = (role: AuditRole, clientAddress: string): boolean => {
    const guests = role === 'guestUser' ? 1 : 0
    const client = limitKey(clientAddress)
    const records = clients.get(client) ?? 0
    if (total >= RECORDS_MAX || records >= RECORDS_PER_CLIENT_MAX || ofGuests + guests > GUEST_RECORDS_PER_DAY_MAX) return false
    total++
    ofGuests += guests
    clients.set(client, records + 1)
    return true
  }
  return {
    /**
     * Whether one more record of a client, or of the account of a reader, is within the bounds. Counts it in either case.
     * Other roles have no bounds.
     */
    admits(event: AuditEvent, { role, actor, clientAddress }: Pick<AuditRecord, 'role' | 'actor' | 'clientAddress'>, now: number): boolean {
      if (!BOUNDED_ROLES.includes(role)) return true
      beginWindows(now)
      if (READERS.includes(role) ? admitsReader(actor) : admitsClient(role, clientAddress)) return true
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
