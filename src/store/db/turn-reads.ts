/** Reads in the snapshot of the turn, whose errors of SQLite are failures of requests. */
import type { Awaitable } from '../../base/awaitable.ts'
import { asStoreFailure, type Database } from './database.ts'
import type { Snapshot } from './snapshot.ts'

/** Functions that read a database, by name. */
type Reads = Readonly<Record<string, (database: Database, ...query: never[]) => unknown>>

/** The same without the database. */
export type BoundReads<R extends Reads> = {
  readonly [Name in keyof R]: R[Name] extends (database: Database, ...query: infer Query) => infer Result
    ? (...query: Query) => Result
    : never
}

export type TurnReads = ReturnType<typeof createTurnReads>

export function createTurnReads(database: Database, snapshot: Pick<Snapshot, 'begin'>) {
  const read = <T>(work: () => T): T => {
    try {
      snapshot.begin()
      return work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  return {
    read,
    /** The same for work that may have to wait. */
    readSoon<T>(work: () => Awaitable<T>): Awaitable<T> {
      const found = read(work)
      return found instanceof Promise ? found.catch(throwStoreFailure) : found
    },
    /** Has each of these functions read this database in the snapshot of the turn. */
    bind<R extends Reads>(reads: R): BoundReads<R> {
      const bound = Object.entries(reads).map(([name, work]) => [name, (...query: never[]) => read(() => work(database, ...query))])
      return Object.fromEntries(bound) as BoundReads<R>
    },
  }
}

function throwStoreFailure(error: unknown): never {
  throw asStoreFailure(error)
}
