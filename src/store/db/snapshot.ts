/**
 * All reads of one turn of the event loop see one snapshot of the database.
 *
 * A statement outside a transaction takes and gives back SQLite's read lock by itself
 * (sqlite.org/wal.html#concurrency), which costs twice as much as finding a row by its id. A read transaction around
 * the turn pays that once for all requests that arrived together. It ends with the turn, or when a write begins, so it
 * never delays a checkpoint.
 *
 * A turn begins where the event loop polls for input. What a timer or an immediate reads belongs to the turn that ends: a
 * request may arrive right behind it that was sent after another process had committed.
 *
 * Beside a thread that writes, a snapshot also ends with each of its commits: part of a request may lie in the socket
 * before the turn begins, and the rest may be sent after a response with that commit.
 */
import { performance } from 'node:perf_hooks'
import type { Awaitable } from '../../base/awaitable.ts'
import { asStoreFailure, type Database } from './database.ts'
import type { ReaderGate } from './reader-gate.ts'

export type Snapshot = ReturnType<typeof createSnapshot>

/** `gate` is that of a thread that reads beside the one that writes. */
export function createSnapshot(database: Database, gate?: ReaderGate) {
  let isOpen = false
  let serial = 0
  let turn = 0
  let commits = 0
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    try {
      database.run('COMMIT')
    } catch {
      // After an error of the disk or of the file, there may be nothing to commit, and nothing was changed.
      if (database.inTransaction) database.exec('ROLLBACK')
    }
    gate?.leave()
  }
  return {
    /** Opens the snapshot of this turn, if it is not open, and returns its number: no two have the same. */
    begin(): number {
      const current = turnNow()
      const committed = gate === undefined ? 0 : gate.commits()
      if (isOpen && turn === current && commits === committed) return serial
      end()
      gate?.enter()
      database.run('BEGIN')
      isOpen = true
      turn = current
      commits = committed
      setImmediate(end)
      return ++serial
    },
    end,
  }
}

/** The number of the turn: libuv counts right before it polls (docs.libuv.org/en/v1.x/metrics.html). */
function turnNow(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}

// Reads in the snapshot of the turn, whose errors of SQLite are failures of requests.

/** Functions that read a database, by name. */
type Reads = Readonly<Record<string, (database: Database, ...query: never[]) => unknown>>

/** The same without the database. */
export type BoundReads<R extends Reads> = {
  readonly [Name in keyof R]: R[Name] extends (database: Database, ...query: infer Query) => infer Result
    ? (...query: Query) => Result
    : never
}

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
