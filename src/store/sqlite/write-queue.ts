/**
 * Group commit: all writes of one turn of the event loop share a transaction, and so one sync to disk.
 *
 * Each piece of work runs in a savepoint of its own, so that one that fails takes nothing with it. A promise is
 * settled after the commit is on disk, never before. Work is synchronous: nobody awaits inside a transaction.
 *
 * Work may say that it need not outlive a power cut. A transaction of such work alone is written to the log and not
 * synced (`synchronous=NORMAL`): it survives the end of the process in any way, in its place among the others, and is
 * on disk with the next one that is synced.
 */
import { fail } from '../../base/failure.ts'
import { asStoreFailure, type Database } from './database.ts'

export interface WriteQueue {
  /** Runs the work in the next shared transaction; settles after its commit. What the work throws rolls it back. */
  write<T>(work: () => T): Promise<T>
  /** The same for work whose loss in a power cut does no harm. */
  writeUnsynced<T>(work: () => T): Promise<T>
  /** Runs what is waiting now. What comes later is rejected with networkError: the database is about to be closed. */
  close(): void
}

interface Job {
  readonly work: () => unknown
  readonly isSynced: boolean
  readonly settle: (outcome: Outcome) => void
}
type Outcome = { readonly kind: 'done'; readonly value: unknown } | { readonly kind: 'failed'; readonly error: unknown }

export interface WriteQueueHooks {
  /** Called before each transaction, so that no other is open. */
  readonly before: () => void
  /** Called after each transaction, before anybody is told. */
  readonly after: () => void
}

export function createWriteQueue(database: Database, { before, after }: WriteQueueHooks): WriteQueue {
  let waiting: Job[] = []
  let isClosed = false

  const flush = (): void => {
    const jobs = waiting
    waiting = []
    if (jobs.length === 0) return
    before()
    const outcomes = commitTogether(database, jobs)
    after()
    jobs.forEach((job, i) => job.settle(outcomes[i] as Outcome))
  }

  const enqueue = <T>(work: () => T, isSynced: boolean): Promise<T> => {
    if (isClosed) return Promise.reject(fail('networkError', 'The service is stopping'))
    if (waiting.length === 0) setImmediate(flush)
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        if (outcome.kind === 'done') resolve(outcome.value as T)
        else reject(asStoreFailure(outcome.error))
      }
      waiting.push({ work, isSynced, settle })
    })
  }
  const close = (): void => {
    isClosed = true
    flush()
  }
  return { close, write: (work) => enqueue(work, true), writeUnsynced: (work) => enqueue(work, false) }
}

function commitTogether(database: Database, jobs: readonly Job[]): readonly Outcome[] {
  const isSynced = jobs.some((job) => job.isSynced)
  try {
    // Takes effect outside a transaction only (sqlite.org/pragma.html#pragma_synchronous).
    if (!isSynced) database.exec('PRAGMA synchronous = NORMAL')
    database.exec('BEGIN IMMEDIATE')
    const outcomes = jobs.map((job) => runInSavepoint(database, job))
    database.exec('COMMIT')
    return outcomes
  } catch (error) {
    // A full disk can end the transaction by itself (sqlite.org/lang_transaction.html); nothing of it is kept.
    if (database.inTransaction) database.exec('ROLLBACK')
    return jobs.map(() => ({ kind: 'failed', error }))
  } finally {
    if (!isSynced) database.exec('PRAGMA synchronous = FULL')
  }
}

function runInSavepoint(database: Database, job: Job): Outcome {
  database.exec('SAVEPOINT job')
  try {
    const value = job.work()
    if (value instanceof Promise) throw new Error('Work in a transaction must not be asynchronous')
    database.exec('RELEASE job')
    return { kind: 'done', value }
  } catch (error) {
    if (!database.inTransaction) throw error
    database.exec('ROLLBACK TO job; RELEASE job')
    return { kind: 'failed', error }
  }
}
