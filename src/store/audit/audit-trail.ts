/** The audit trail: the record of a write is a row of the same transaction. Listeners hear of it after the commit. */
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import { idGenerator } from '../../base/ids.ts'
import { limitKey } from '../../http/client-address.ts'
import { DELETED_ACTOR, type AuditEvent, type AuditRecord } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { SYSTEM, type Actor, type Visitor } from '../actor.ts'
import type { Database } from '../db/database.ts'
import { recordOf, sourceOf, type AuditEntry, type AuditSource } from './audit-record.ts'
import { insertRecord, type GatheredRecords } from './audit-table.ts'

export interface AuditOutside {
  /** Called for each record once it is on disk. */
  recorded(record: AuditRecord): void
  /** Called for each record that is left out because there are too many. */
  suppressed(event: AuditEvent): void
  /** The hashes of an email: first the one for new records, then those that older records may have. */
  emailHashes(email: string): readonly string[]
}

interface AuditTrailParts {
  readonly now: Clock
  readonly outside: AuditOutside
  readonly inserts: GatheredRecords
}

export type AuditTrail = ReturnType<typeof createAuditTrail>

/** Makes a record of how many records were left out, if any were. */
export const SUPPRESSED: AuditEntry = { event: 'audit.suppressed' }

/** Roles whose records are bounded in number: acting in one of them takes no proof of anything. */
const BOUNDED_ROLES: readonly AuditRecord['role'][] = ['stranger', 'guestUser']

const SERVICE = sourceOf(SYSTEM, undefined)

export function createAuditTrail(
  database: Database,
  { now, outside, inserts }: AuditTrailParts,
) {
  const newId = idGenerator(now)
  const bounds = createAuditBounds(outside.suppressed)
  const insert = (entry: AuditEntry, source: AuditSource): AuditRecord => {
    const record = recordOf(entry, source, { id: newId(), now: now() })
    insertRecord({ database, inserts }, record)
    return record
  }
  const isAdmitted = ({ event, role }: AuditEntry, source: AuditSource): boolean =>
    !BOUNDED_ROLES.includes(role ?? source.role) || bounds.admits(event, source.clientAddress, now())
  return {
    hasSuppressed: (): boolean => bounds.hasCounts(),
    emailHash: (email: string): string => outside.emailHashes(email)[0] ?? '',
    /** All hashes that records of an email may have. */
    emailHashes: (email: string): readonly string[] => outside.emailHashes(email),
    /** Replaces the id of a deleted account. It is random: nothing leads from it to the account. */
    newPseudonym: (): string => DELETED_ACTOR + newId(),
    /**
     * The records of one run of a write, which ends in `committed` or `rolledBack`. `caller` has the roles of this moment.
     * A write that runs again hands over `admitted` of its last run: its records are within the bounds once.
     */
    begin(actor: Actor | Visitor, caller: Caller | undefined, admitted: boolean[] = []) {
      const source = sourceOf(actor, caller)
      const records: AuditRecord[] = []
      let entries = 0
      const counted: ReadonlyMap<AuditEvent, number>[] = []
      const addCounts = (): void => {
        const counts = bounds.take()
        if (counts.size === 0) return
        counted.push(counts)
        const details = [...counts].map(([name, count]) => ({ name, value: String(count) }))
        records.push(insert({ ...SUPPRESSED, details }, SERVICE))
      }
      return {
        add(entry: AuditEntry): void {
          if (entry === SUPPRESSED) return addCounts()
          if (bounds.isDue(now())) addCounts()
          if ((admitted[entries++] ??= isAdmitted(entry, source))) records.push(insert(entry, source))
        },
        admitted,
        committed: (): void => records.forEach((record) => outside.recorded(record)),
        /** May be called again: a run that was rolled back may be followed by one that does not begin. */
        rolledBack: (): void => counted.splice(0).forEach((counts) => bounds.restore(counts)),
      }
    },
  }
}

// Limits what visitors and guests add to the audit trail: one record counts those above the limit of their minute.

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
