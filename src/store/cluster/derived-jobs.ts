/** Jobs that change only what this node derives for itself: they are in no entry of the log, and need no other node. */
import type { Failure } from '../../base/failure.ts'
import { asStoreFailure, type Database } from '../db/database.ts'
import type { SearchChanges } from '../search/search-changes.ts'

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
