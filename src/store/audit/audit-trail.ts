/**
 * The audit trail of the store: each write notes what it does, and its record is a row of the same transaction. So there
 * is no write without its record, and no record of a write that was rolled back. What is told outside, as the line in the
 * log, is told after the commit.
 */
import type { Clock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { DELETED_ACTOR, type AuditEvent, type AuditRecord } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { SYSTEM, type Actor, type Visitor } from '../actor.ts'
import { createAuditBounds } from './audit-bounds.ts'
import { recordOf, sourceOf, type AuditEntry, type AuditSource } from './audit-record.ts'
import { insertRecord } from './audit-table.ts'
import type { Database } from '../sqlite/database.ts'

/** What the trail needs of the world outside the store. */
export interface AuditOutside {
  /** Called for each record once it is on disk. */
  recorded(record: AuditRecord): void
  /** Called for each record that is left out because there are too many. */
  suppressed(event: AuditEvent): void
  /** What stands for an e-mail address: first the hash for new records, then those that older ones may have. */
  emailHashes(email: string): readonly string[]
}

/** Adds a record to the transaction of a write. */
export type Note = (entry: AuditEntry) => void

export interface AuditTrail {
  /**
   * The records of one write. `committed` or `rolledBack` is to be called at its end. `caller` has the roles of this
   * moment; undefined where no user writes.
   */
  begin(
    actor: Actor | Visitor,
    caller: Caller | undefined,
  ): { readonly note: Note; readonly committed: () => void; readonly rolledBack: () => void }
  /** Whether there are counts of records that were left out. */
  hasSuppressed(): boolean
  emailHash(email: string): string
  /** All that records of an address may have. */
  emailHashes(email: string): readonly string[]
  /** What stands for a deleted account, without any way back to it. */
  newPseudonym(): string
}

/** Makes a record of how many records were left out, if any were. */
export const SUPPRESSED: AuditEntry = { event: 'audit.suppressed' }

/** Roles whose records are bounded in number: acting in one of them takes no proof of anything. */
const BOUNDED_ROLES: readonly AuditRecord['role'][] = ['stranger', 'guestUser']

const SERVICE = sourceOf(SYSTEM, undefined)

export function createAuditTrail(
  database: Database,
  { now, outside }: { readonly now: Clock; readonly outside: AuditOutside },
): AuditTrail {
  const newId = idGenerator(now)
  const bounds = createAuditBounds(outside.suppressed)
  const insert = (entry: AuditEntry, source: AuditSource): AuditRecord => {
    const record = recordOf(entry, source, { id: newId(), now: now() })
    insertRecord(database, record)
    return record
  }
  const isAdmitted = ({ event, role }: AuditEntry, source: AuditSource): boolean =>
    !BOUNDED_ROLES.includes(role ?? source.role) || bounds.admits(event, source.clientAddress, now())
  return {
    hasSuppressed: () => bounds.hasCounts(),
    emailHash: (email) => outside.emailHashes(email)[0] ?? '',
    emailHashes: (email) => outside.emailHashes(email),
    newPseudonym: () => DELETED_ACTOR + newId(),
    begin(actor, caller) {
      const source = sourceOf(actor, caller)
      const records: AuditRecord[] = []
      const counted: ReturnType<typeof bounds.take>[] = []
      const noteCounts = (): void => {
        const counts = bounds.take()
        if (counts.size === 0) return
        counted.push(counts)
        const details = [...counts].map(([name, count]) => ({ name, value: String(count) }))
        records.push(insert({ ...SUPPRESSED, details }, SERVICE))
      }
      return {
        note(entry) {
          if (entry === SUPPRESSED) return noteCounts()
          if (bounds.isDue(now())) noteCounts()
          if (isAdmitted(entry, source)) records.push(insert(entry, source))
        },
        committed: () => records.forEach((record) => outside.recorded(record)),
        rolledBack: () => counted.forEach((counts) => bounds.restore(counts)),
      }
    },
  }
}
