/** The transactions of one actor: each checks the actor (authority.ts) and adds the audit records of its job. */
import type { Clock } from '../../base/clock.ts'
import type { Actor, Visitor } from '../actor.ts'
import type { AuditEntry } from '../audit/audit-record.ts'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import type { GuestLimit } from '../accounts/guest-storage.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import type { Checkpoints } from '../db/wal/checkpoints.ts'
import { momentOf } from './authority.ts'
import type { Database } from '../db/database.ts'
import type { GroupInserts } from './group-inserts.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import type { Moment } from '../documents/moment.ts'

export interface WriterParts {
  readonly database: Database
  readonly queue: WriteQueue
  readonly search: SearchChanges
  readonly inserts: GroupInserts
  readonly capture: Pick<ChangeCapture, 'actBy' | 'restoring' | 'following' | 'moving'>
  readonly checkpoints: Checkpoints
  readonly trail: AuditTrail
  readonly guestLimit: () => GuestLimit
  readonly now: Clock
}

export type ActorTransactions = ReturnType<typeof transactionsOf>

export function transactionsOf(actor: Actor | Visitor, { database, queue, search, inserts, capture, trail, guestLimit, now }: WriterParts) {
  return {
    database,
    search,
    inserts,
    capture,
    /** Runs a job in a transaction. `record` adds an entry to the audit trail in the same transaction. */
    async write<T>(job: (moment: Moment, record: (entry: AuditEntry) => void) => T): Promise<T> {
      let records: ReturnType<AuditTrail['begin']> | undefined
      try {
        const result = await queue.write(() => {
          // Over a log, a job runs again where another node was faster: what its last run counted counts no more.
          records?.rolledBack()
          const moment = momentOf(database, actor, { now: now(), guestLimit })
          capture.actBy(actor)
          records = trail.begin(actor, moment.caller, records?.admitted)
          return job(moment, records.add)
        })
        records?.committed()
        return result
      } catch (error) {
        records?.rolledBack()
        throw error
      }
    },
    /** The same for a job that needs no record, and whose loss in a power cut does no harm. */
    writeUnsynced: <T>(job: () => T): Promise<T> =>
      queue.writeUnsynced(() => {
        momentOf(database, actor, { now: now(), guestLimit })
        capture.actBy(actor)
        return job()
      }),
  }
}
