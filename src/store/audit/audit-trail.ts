/** The audit trail: the record of a write is a row of the same transaction. Listeners hear of it after the commit. */
import type { Clock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { DELETED_ACTOR, type AuditEvent, type AuditRecord } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { SYSTEM, type Actor, type Visitor } from '../actor.ts'
import { createAuditBounds } from './audit-bounds.ts'
import { recordOf, sourceOf, type AuditEntry, type AuditSource } from './audit-record.ts'
import { insertRecord, type GatheredRecords } from './audit-table.ts'
import type { Database } from '../db/database.ts'

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
