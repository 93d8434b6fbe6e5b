/**
 * Writes that wait for a place in the log, each for a bounded time.
 *
 * A write that is given up says which of two things is true: it was not made, or its entry was sent and no response came,
 * so that it may have been made. Jobs of this node alone, below, wait for no place: they run between two others.
 */
import { fail, type Failure } from '../../base/failure.ts'
import { asStoreFailure, type Database } from '../db/database.ts'
import type { Outcome } from '../db/write-queue.ts'
import type { SearchChanges } from '../search/search-changes.ts'

/** How long a write waits, its repetitions included. */
const WAIT_MS_MAX = 5_000
/** Jobs of one entry: they run, and are applied elsewhere, in one turn of the event loop. */
const JOBS_PER_ENTRY_MAX = 200
/** Writes that wait at the same time; a client that sends more is rejected immediately. */
const WAITING_MAX = 10_000

/** Why a write was not made where the log could not be asked. */
export const NO_ANSWER = 'the cluster cannot take writes now'

const RETRY_SOON = { headers: { 'Retry-After': '1' } }

export function notMade(reason: string): Failure {
  return fail('networkError', `The change was not made: ${reason}: try again soon`, RETRY_SOON)
}

export function mayHaveHappened(): Failure {
  const advice = 'read before you try again'
  return fail('networkError', `The change may have happened: the cluster did not answer in time: ${advice}`, RETRY_SOON)
}

export interface WaitingJob {
  readonly work: () => unknown
  readonly givenUpAt: number
  isSettled: boolean
  readonly settle: (outcome: Outcome) => void
}

export type WaitingJobs = ReturnType<typeof createWaitingJobs>

/** `ticks` are milliseconds of a clock that is never set. */
export function createWaitingJobs(ticks: () => number) {
  let waiting: WaitingJob[] = []
  let isHurried = false

  /** The jobs that still wait for their outcome, after those whose time is over got this failure. */
  const giveUp = (jobs: readonly WaitingJob[], failure: () => Failure): WaitingJob[] => {
    const now = ticks()
    for (const job of jobs) {
      if (!job.isSettled && (isHurried || now >= job.givenUpAt)) job.settle({ kind: 'failed', error: failure() })
    }
    return jobs.filter(({ isSettled }) => !isSettled)
  }
  const dropLate = (): void => void (waiting = giveUp(waiting, () => notMade(NO_ANSWER)))
  return {
    add<T>(work: () => T): Promise<T> {
      if (waiting.length >= WAITING_MAX) return Promise.reject(notMade('too many writes are waiting'))
      return new Promise<T>((resolve, reject) => {
        const job: WaitingJob = {
          work,
          givenUpAt: ticks() + WAIT_MS_MAX,
          isSettled: false,
          settle(outcome) {
            if (job.isSettled) return
            job.isSettled = true
            if (outcome.kind === 'done') resolve(outcome.value as T)
            else reject(asStoreFailure(outcome.error))
          },
        }
        waiting.push(job)
      })
    },
    isEmpty: (): boolean => waiting.length === 0,
    count: (): number => waiting.length,
    /** Takes the jobs of the next entry. */
    take: (): readonly WaitingJob[] => waiting.splice(0, JOBS_PER_ENTRY_MAX),
    /** Jobs that were taken wait again, ahead of the others; those that are settled do not. */
    putBack(jobs: readonly WaitingJob[]): void {
      waiting = [...jobs.filter(({ isSettled }) => !isSettled), ...waiting]
    },
    /** Settles jobs that wait and whose time is over. */
    dropLate,
    /** The same, and for jobs that were taken. Returns those of them that are left. */
    giveUpLate(jobs: readonly WaitingJob[], failure: () => Failure): WaitingJob[] {
      dropLate()
      return giveUp(jobs, failure)
    },
    /** From now on, no job waits for the log to come back. */
    hurry(): void {
      isHurried = true
    },
    /** Settles all that were not taken. */
    rejectAll(failure: () => Failure): void {
      for (const job of waiting.splice(0)) job.settle({ kind: 'failed', error: failure() })
    },
  }
}

// Jobs that change only what this node derives for itself: they are in no entry of the log, and need no other node.

export interface DerivedJobParts {
  readonly search: Pick<SearchChanges, 'flush' | 'discard'>
  /** Called behind each commit. */
  readonly committed: () => void
}

export function createDerivedJobs(database: Database, { search, committed }: DerivedJobParts) {
  let waiting: { readonly carryOut: () => void; readonly reject: (error: unknown) => void }[] = []

  const transact = <T>(work: () => T): T => {
    try {
      database.run('BEGIN IMMEDIATE')
      const value = work()
      search.flush()
      database.run('COMMIT')
      committed()
      return value
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK')
      search.discard()
      throw asStoreFailure(error)
    }
  }
  return {
    isEmpty: (): boolean => waiting.length === 0,
    add: <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        waiting.push({ carryOut: () => resolve(transact(work)), reject })
      }),
    /** Runs what waits, each job in a transaction of its own; to be called while none is open. */
    run(): void {
      const jobs = waiting
      waiting = []
      for (const { carryOut, reject } of jobs) {
        try {
          carryOut()
        } catch (error) {
          reject(error)
        }
      }
    },
    rejectAll(failure: () => Failure): void {
      for (const { reject } of waiting) reject(failure())
      waiting = []
    },
  }
}
