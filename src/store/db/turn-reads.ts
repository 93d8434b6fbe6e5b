/** Reads in the snapshot of the turn, whose errors of SQLite are failures of requests. */
import type { Awaitable } from '../../base/awaitable.ts'
import { asStoreFailure } from './database.ts'
import type { Snapshot } from './snapshot.ts'

export function createTurnReads(snapshot: Pick<Snapshot, 'begin'>) {
  const readNow = <T>(work: () => T): T => {
    try {
      snapshot.begin()
      return work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  /** The same for work that may have to wait. */
  const readSoon = <T>(work: () => Awaitable<T>): Awaitable<T> => {
    const found = readNow(work)
    return found instanceof Promise ? found.catch(throwStoreFailure) : found
  }
  const read = async <T>(work: () => Awaitable<T>): Promise<T> => readSoon(work)
  return { readNow, readSoon, read }
}

function throwStoreFailure(error: unknown): never {
  throw asStoreFailure(error)
}
