/** The transactions of one actor: each checks the actor and adds the audit records of its job. */
import type { Clock } from '../../base/clock.ts'
import { fail, type Failure } from '../../base/failure.ts'
import { createCallerReader, type Caller } from '../../models/caller.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { roomOf, type GuestLimit } from '../accounts/guest-table.ts'
import { holds } from '../accounts/session-table.ts'
import type { Actor, Visitor } from '../actor.ts'
import type { AuditEntry, AuditTrail } from '../audit/audit-trail.ts'
import type { Database } from '../db/database.ts'
import type { Checkpoints } from '../db/wal/checkpoints.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import { getDocument } from '../documents/document-tables.ts'
import { lookUp } from '../documents/text-look-up.ts'
import type { TransactionView } from '../documents/transaction-view.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { getTrashed } from '../history/trash-table.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import type { GroupInserts } from './group-inserts.ts'

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
    /**
     * Runs a job in a transaction. `record` adds an entry to the audit trail in the same transaction. Without a sync, a power cut may
     * take it.
     */
    async write<T>(job: (view: TransactionView, record: (entry: AuditEntry) => void) => T, isSynced = true): Promise<T> {
      let records: ReturnType<AuditTrail['begin']> | undefined
      try {
        const result = await queue[isSynced ? 'write' : 'writeUnsynced'](() => {
          // Over a log, a job runs again where another node was faster: what its last run counted counts no more.
          records?.rolledBack()
          const view = viewOf(database, actor, { now: now(), guestLimit })
          capture.actBy(actor)
          records = trail.begin(actor, view.caller, records?.admitted)
          return job(view, records.add)
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
        viewOf(database, actor, { now: now(), guestLimit })
        capture.actBy(actor)
        return job()
      }),
  }
}

// Whether an actor may still write: checked inside the transaction that writes, see actor.ts.

interface Surroundings {
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly guestLimit: () => GuestLimit
}

/**
 * What a job sees inside its transaction. Throws unauthorized where the caller's token is no longer valid, and what
 * `authorize` throws.
 */
function viewOf(database: Database, actor: Actor | Visitor, { now, guestLimit }: Surroundings): TransactionView {
  return {
    caller: actor.kind === 'caller' ? admit(database, actor, now) : undefined,
    textOf: (model: Model, id: string) => getDocument(database, model, id),
    isTrashed: (model, id) => placesOf(model, true).some((place) => getTrashed(database, place, id) !== undefined),
    lookUp: (...query) => lookUp(database, ...query),
    roomOf: (role) => roomOf(database, role, guestLimit()),
  }
}

/** What it returns follows from the text alone, so all stores share it. */
const readCaller = createCallerReader()

function admit(database: Database, { claim, authorize }: Actor & { readonly kind: 'caller' }, now: number): Caller {
  const text = holds(database, claim, now)
  if (text === undefined) throw signInFirst(ENDED_MEANWHILE)
  const caller = readCaller(claim, text)
  authorize(caller)
  return caller
}

/** The cause for a token that was valid when its request arrived. */
export const ENDED_MEANWHILE = 'ended while the request was under way'

/** The same answer to every invalid token; the cause goes to the log. */
export function signInFirst(cause: string): Failure {
  return fail('unauthorized', 'Sign in first: the access token is missing, invalid or expired', {
    cause,
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
