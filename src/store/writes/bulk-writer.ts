/** A bulk load on a connection of its own: beside a running service, or as the only one on the directory. */
import type { Clock } from '../../base/clock.ts'
import { machineStart } from '../../base/machine-start.ts'
import { nextTurn, pause } from '../../base/pause.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { OPERATOR } from '../actor.ts'
import { readPosition } from '../cluster/position-table.ts'
import { DataDirError } from '../db/data-dir.ts'
import { asStoreFailure, openDatabase, type Database } from '../db/database.ts'
import { renewUnsyncedMark, unsyncedMark } from '../db/unsynced-mark.ts'
import { createWaitingWriters, type WaitingWriters } from '../db/waiting-writers.ts'
import { createCheckpoints } from '../db/wal/checkpoints.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import { captureChanges, type ChangeCapture } from '../history/change-capture.ts'
import { createPendingRecorder } from '../pending/pending-changes.ts'
import { createSearchChanges, type SearchChanges } from '../search/search-changes.ts'
import { bulkTables, readNotes, type AccountOf, type BulkWriter } from './bulk-tables.ts'
import { GATHERED_ROWS_MAX } from './group-inserts.ts'

const BEGIN_MS_MAX = 60_000
/** Of a statement, beside others: its rows are written in some milliseconds, between two looks at the time of the batch. */
const SHARED_ROWS = 32
/**
 * Pages of the WAL after which a thread moves it where no service waits meanwhile: the longer it is, the fewer pages are
 * moved, since a page that changed several times is moved once. 32 MiB; with what is written during a move 128 MiB.
 */
const ALONE_WAL_PAGES = 8_192
const ALONE_WAL_PAGES_MAX = 32_768

export interface BulkOptions {
  readonly file: string
  /** Whether no other process works on the database. */
  readonly isAlone: boolean
  readonly accountOf: AccountOf
  readonly now: Clock
}

/**
 * Throws DataDirError where the file belongs to a cluster: a node writes through its log.
 * Transactions throw networkError where the database stays busy for a minute, or the disk fails.
 */
export function openBulkWriter({ file, isAlone, accountOf, now }: BulkOptions): BulkWriter {
  const database = openDatabase(file)
  if (readPosition(database) !== undefined) {
    database.close()
    throw new DataDirError(`Cannot write to "${file}" past the log of its cluster: write through the API of a node`)
  }
  const limits = { pagesMax: ALONE_WAL_PAGES, longPages: ALONE_WAL_PAGES, restartPages: ALONE_WAL_PAGES_MAX }
  const checkpoints = createCheckpoints(database, file, ...(isAlone ? [limits] : []))
  const search = createSearchChanges(database)
  const capture = captureChanges(database, { models: STORED_MODELS, now, trash: true })
  capture.actBy(OPERATOR)
  capture.start()
  const recorder = createPendingRecorder(database, { models: STORED_MODELS, now })
  const waiting = createWaitingWriters(database, file)
  const unsynced = unsyncedMark(database, machineStart(now), false)
  /** A number that differs behind each commit of another connection (sqlite.org/pragma.html#pragma_data_version). */
  const commitsOfOthers = (): unknown => database.get('PRAGMA data_version')?.['data_version']
  let others = commitsOfOthers()
  const rowsPerStatement = isAlone ? GATHERED_ROWS_MAX : SHARED_ROWS
  const { tables, ...inserts } = bulkTables({ database, search, capture, accountOf, rowsPerStatement })
  return {
    async transact(work, keep, prepared) {
      // Others wait for the lock meanwhile, and a sync would take as long as the rows of a short batch.
      const isSynced = isAlone || !unsynced.isSet()
      database.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`)
      try {
        await begin(waiting)
        recorder.begin()
        const result = work(tables)
        inserts.flush()
        if (keep) prepared?.(result)
        if (keep) search.flush()
        if (keep) recorder.keep()
        if (isSynced && !isAlone) unsynced.set()
        database.exec(keep ? 'COMMIT' : 'ROLLBACK')
        if (keep) checkpoints.afterCommit()
        return result
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK')
        throw asStoreFailure(error)
      } finally {
        recorder.end()
        inserts.discard()
        search.discard()
      }
    },
    async giveWay() {
      if (isAlone) {
        await nextTurn()
        return false
      }
      const hasWaited = await waiting.giveWay()
      const before = others
      others = commitsOfOthers()
      return hasWaited || others !== before
    },
    async sync() {
      database.exec('PRAGMA synchronous = FULL')
      await begin(waiting)
      renewUnsyncedMark(database)
      database.exec('COMMIT')
    },
    notes: async (prefix) => readNotes(database, prefix),
    close: (): Promise<void> => checkpoints.close(),
  }
}

/** Begins a transaction; the event loop goes on meanwhile, so that signals are handled. */
function begin({ attempt, tryBegin }: WaitingWriters): Promise<void> {
  return new Promise((resolve, reject) => {
    attempt((isLast) => {
      try {
        if (!tryBegin(isLast)) return false
        resolve()
      } catch (error) {
        reject(error)
      }
      return true
    }, BEGIN_MS_MAX)
  })
}

/*
 * A bulk load through the log of a cluster: each transaction is a job beside others, and becomes a part of an entry that
 * all nodes apply. An entry takes at most ENTRY_BYTES_MAX, sealed, so transactions have to be small.
 */

interface LogBulkParts {
  /** The connection that writes. */
  readonly database: Database
  readonly queue: Pick<WriteQueue, 'write'>
  readonly search: SearchChanges
  readonly capture: Pick<ChangeCapture, 'actBy' | 'moving'>
  readonly accountOf: AccountOf
}

/** Other nodes write while it pauses, and none of them can say that it waits. */
const PAUSE_MS_MIN = 10
const PAUSE_MS_MAX = 200

/** Thrown out of a job whose changes are not wanted, so that its savepoint is rolled back. */
class NotKept extends Error {}

/** Transactions throw what writes of a node throw: networkError where the log does not answer, payloadTooLarge. */
export function createLogBulkWriter({ database, queue, search, capture, accountOf }: LogBulkParts): BulkWriter {
  // A job ends without a call of ours, so each row is written immediately.
  const { tables } = bulkTables({ database, search, capture, accountOf, rowsPerStatement: 1 })
  return {
    async transact(work, keep, prepared) {
      let result: ReturnType<typeof work> | undefined
      try {
        const kept = await queue.write(() => {
          capture.actBy(OPERATOR)
          result = work(tables)
          if (!keep) throw new NotKept()
          return result
        })
        prepared?.(kept)
        return kept
      } catch (error) {
        if (error instanceof NotKept) return result as ReturnType<typeof work>
        throw error
      }
    },
    async giveWay(ms) {
      await pause(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, 2 * ms)))
      return true
    },
    notes: (prefix) => queue.write(() => readNotes(database, prefix)),
    // An entry of the log is durable.
    sync: async () => {},
    // The store ends what it is made of.
    close: async () => {},
  }
}
