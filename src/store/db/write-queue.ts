/**
 * Group commit: all writes of one turn of the event loop share a transaction, and so one sync to disk.
 *
 * Work that fails takes nothing of the others with it. Most work that fails has changed nothing by then, and the others go
 * on. Otherwise the transaction is rolled back, and all of its work runs again, each piece in a savepoint: SQLite copies each
 * page that changes behind a savepoint, which is a tenth of the cost of a create, so only such transactions have them. So
 * work may run twice, as it may over the log of a cluster (cluster/replicated-queue.ts).
 *
 * A promise is settled after the commit is on disk, never before. Work is synchronous: there is no await inside a transaction.
 *
 * Work may say that it need not survive a power cut. A transaction of such work alone is written to the WAL and not
 * synced (`synchronous=NORMAL`): it survives the end of the process, in its order among the others, and is on disk with
 * the next transaction that is synced. The file is marked before (unsynced-mark.ts).
 */
import type { Arrivals } from '../../base/arrivals.ts'
import { fail, type Failure } from '../../base/failure.ts'
import { asStoreFailure, type Database } from './database.ts'
import type { UnsyncedMark } from './unsynced-mark.ts'
import type { WaitingWriters } from './waiting-writers.ts'

/**
 * Turns that are left to new connections ahead of a transaction, whose first requests share it then: in each turn, one is
 * accepted. A flood of them slows writes down, and does not stop them.
 */
const ARRIVAL_TURNS_MAX = 32

/** How writes become transactions: by this process alone, or in the order of a log (cluster/replicated-queue.ts). */
export interface WriteQueue {
  /** Runs the work in the next shared transaction; settles after its commit. What the work throws rolls it back. */
  write<T>(work: () => T): Promise<T>
  /** The same for work whose loss in a power cut does no harm. */
  writeUnsynced<T>(work: () => T): Promise<T>
  /** The same for work that changes only what each node of a cluster derives for itself: it is no entry of their log. */
  writeDerived<T>(work: () => T): Promise<T>
  /** Runs what is pending. Later work is rejected with networkError: the database is about to be closed. */
  close(): Promise<void>
}

interface Job {
  readonly work: () => unknown
  readonly isSynced: boolean
  readonly settle: (outcome: Outcome) => void
}
export type Outcome =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }

/** What jobs add to the search indexes, written at the end of their transaction (search/search-changes.ts). */
export interface SearchRows {
  mark(): number
  rollBackTo(mark: number): void
  flush(): void
  discard(): void
}

/** Rows of jobs that share a transaction, many to a statement (writes/group-inserts.ts). */
interface SharedInserts {
  begin(): void
  /** Differs where a job has changed anything. */
  mark(): string
  hasFailed(): boolean
  flush(): void
  end(): void
}

/** Keeps what each transaction changes, as a part of it (pending/pending-changes.ts). */
export interface TransactionRecorder {
  /** To be called at the begin of a transaction. */
  begin(): void
  /** To be called ahead of its commit. */
  keep(): void
  /** To be called when it has ended in any way. */
  end(): void
}

export interface WriteQueueParts {
  /** Called ahead of each transaction, when no other may be open. */
  readonly before: () => void
  /** Called behind each transaction, before promises settle. */
  readonly after: () => void
  readonly search: SearchRows
  readonly inserts: SharedInserts
  readonly recorder: TransactionRecorder
  readonly unsynced: UnsyncedMark
  /** New connections, to which a transaction leaves turns of the event loop. */
  readonly arrivals: Pick<Arrivals, 'areMany'>
  /** Other threads and processes that write, whose transactions are waited for without blocking the event loop. */
  readonly waiting: Pick<WaitingWriters, 'tryBegin' | 'attempt'>
}

export function createWriteQueue(
  database: Database,
  { before, after, arrivals, waiting, ...parts }: WriteQueueParts,
): WriteQueue {
  let pending: Job[] = []
  let isClosed = false

  /** False where another connection has the lock. */
  const flush = (begin: () => boolean): boolean => {
    const jobs = pending
    pending = []
    if (jobs.length === 0) return true
    before()
    const outcomes = commitTogether({ database, begin, ...parts }, jobs)
    if (outcomes === undefined) {
      pending = jobs
      return false
    }
    after()
    jobs.forEach((job, i) => job.settle(outcomes[i] as Outcome))
    return true
  }
  const flushInTurn = (turns: number): void => {
    if (turns < ARRIVAL_TURNS_MAX && arrivals.areMany()) setImmediate(flushInTurn, turns + 1)
    else waiting.attempt((isLast) => flush(() => waiting.tryBegin(isLast)))
  }

  /** Waits for the lock in this thread. */
  const begin = (): boolean => {
    database.run('BEGIN IMMEDIATE')
    return true
  }
  const enqueue = <T>(work: () => T, isSynced: boolean): Promise<T> => {
    if (isClosed) return Promise.reject(fail('networkError', 'The service is stopping'))
    if (pending.length === 0) setImmediate(flushInTurn, 0)
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        if (outcome.kind === 'done') resolve(outcome.value as T)
        else reject(asStoreFailure(outcome.error))
      }
      pending.push({ work, isSynced, settle })
    })
  }
  return {
    write: (work) => enqueue(work, true),
    writeUnsynced: (work) => enqueue(work, false),
    writeDerived: (work) => enqueue(work, false),
    async close() {
      if (isClosed) return
      isClosed = true
      flush(begin)
      parts.unsynced.end()
    },
  }
}

type Transactions = Pick<WriteQueueParts, 'search' | 'inserts' | 'recorder' | 'unsynced'> & { readonly database: Database }

/** Undefined where `begin` gives false. */
function commitTogether(
  { begin, ...parts }: Transactions & { readonly begin: () => boolean },
  jobs: readonly Job[],
): readonly Outcome[] | undefined {
  const { database, search, recorder, unsynced } = parts
  const mayBeLost = !jobs.some((job) => job.isSynced)
  const isSynced = !mayBeLost || !unsynced.isSet()
  try {
    // Takes effect outside a transaction only (sqlite.org/pragma.html#pragma_synchronous).
    if (!isSynced) database.exec('PRAGMA synchronous = NORMAL')
    if (!begin()) return undefined
    recorder.begin()
    let outcomes = jobs.length === 1 ? jobs.map(runJob) : runTogether(parts, jobs)
    if (outcomes === undefined) {
      database.run('ROLLBACK')
      search.discard()
      recorder.end()
      database.run('BEGIN IMMEDIATE')
      // Another program may have written meanwhile: what is recorded begins with what that has left.
      recorder.begin()
      outcomes = jobs.map((job) => runInSavepoint(database, search, job))
    }
    search.flush()
    recorder.keep()
    if (mayBeLost && isSynced) unsynced.set()
    database.run('COMMIT')
    return outcomes
  } catch (error) {
    // A full disk can end the transaction by itself (sqlite.org/lang_transaction.html); nothing of it is kept.
    if (database.inTransaction) database.exec('ROLLBACK')
    search.discard()
    return jobs.map(() => ({ kind: 'failed', error }))
  } finally {
    recorder.end()
    if (!isSynced) database.exec('PRAGMA synchronous = FULL')
  }
}

/**
 * Runs the jobs of a transaction without savepoints. Undefined where one has failed behind changes of its own, or rows of
 * some could not be inserted: then the transaction has to be rolled back. Throws where it has ended by itself.
 */
function runTogether({ database, inserts }: Pick<Transactions, 'database' | 'inserts'>, jobs: readonly Job[]): readonly Outcome[] | undefined {
  const outcomes: Outcome[] = []
  inserts.begin()
  try {
    for (const job of jobs) {
      const before = inserts.mark()
      try {
        outcomes.push(runJob(job))
      } catch (error) {
        if (!database.inTransaction) throw error
        if (inserts.hasFailed() || inserts.mark() !== before) return undefined
        outcomes.push({ kind: 'failed', error })
      }
      // A job may go on behind an error of a statement.
      if (inserts.hasFailed()) return undefined
    }
    inserts.flush()
    return outcomes
  } catch (error) {
    if (database.inTransaction && inserts.hasFailed()) return undefined
    throw error
  } finally {
    inserts.end()
  }
}

/** Throws what the job throws. */
function runJob({ work }: Pick<Job, 'work'>): Outcome {
  const value = work()
  if (value instanceof Promise) throw new Error('Work in a transaction must not be asynchronous')
  return { kind: 'done', value }
}

/** Runs one of several jobs of a transaction. Throws where the transaction has ended by itself. */
export function runInSavepoint(database: Database, search: Pick<SearchRows, 'mark' | 'rollBackTo'>, job: Pick<Job, 'work'>): Outcome {
  const mark = search.mark()
  database.run('SAVEPOINT job')
  try {
    const outcome = runJob(job)
    database.run('RELEASE job')
    return outcome
  } catch (error) {
    if (!database.inTransaction) throw error
    database.exec('ROLLBACK TO job; RELEASE job')
    search.rollBackTo(mark)
    return { kind: 'failed', error }
  }
}

// A write queue that can refuse work for a time, such as while the database is about to be replaced.

export type RefusableQueue = ReturnType<typeof refusableQueue>

export function refusableQueue({ write, writeUnsynced, writeDerived, close }: WriteQueue) {
  let reason: (() => Failure) | undefined
  const unlessRefused =
    (enqueue: WriteQueue['write']): WriteQueue['write'] =>
    (work) => (reason === undefined ? enqueue(work) : Promise.reject(reason()))
  return {
    write: unlessRefused(write),
    writeUnsynced: unlessRefused(writeUnsynced),
    writeDerived: unlessRefused(writeDerived),
    close,
    /** Rejects all later work; resolves when what came before is on disk, with a function that takes work again. */
    async refuse(failure: () => Failure): Promise<() => void> {
      reason = failure
      const takeWrites = (): void => void (reason = undefined)
      try {
        await write(() => undefined)
      } catch (error) {
        takeWrites()
        throw error
      }
      return takeWrites
    },
  }
}
