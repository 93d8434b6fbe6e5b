/** A bulk load on a connection of its own: beside a running service, or as the only one on the directory. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { OPERATOR } from '../actor.ts'
import type { BulkWriter } from './bulk.ts'
import { captureChanges } from '../history/change-capture.ts'
import { createCheckpoints } from '../db/wal/checkpoints.ts'
import { readPosition } from '../cluster/position-table.ts'
import { bulkTables, readNotes, type AccountOf } from './bulk-tables.ts'
import { DataDirError } from '../db/data-dir.ts'
import { asStoreFailure, isBusy, openDatabase, type Database } from '../db/database.ts'
import { GATHERED_ROWS_MAX } from './gathered-inserts.ts'
import { createSearchChanges } from '../search/search-changes.ts'

/** Each attempt waits for the busy timeout of the connection, five seconds. */
const BEGIN_TRIES_MAX = 12
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
 * Throws DataDirError where the file belongs to a cluster: a node writes through its log (writes/log-bulk-writer.ts).
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
  // Beside others, the time of a batch is measured row by row.
  const rowsPerStatement = isAlone ? GATHERED_ROWS_MAX : 1
  const { tables, ...inserts } = bulkTables({ database, search, capture, accountOf, rowsPerStatement })
  return {
    async transact(work, keep, prepared) {
      try {
        await begin(database)
        const result = work(tables)
        inserts.flush()
        if (keep) prepared?.(result)
        if (keep) search.flush()
        database.exec(keep ? 'COMMIT' : 'ROLLBACK')
        if (keep) checkpoints.afterCommit()
        return result
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK')
        throw asStoreFailure(error)
      } finally {
        inserts.discard()
        search.discard()
      }
    },
    notes: async (prefix) => readNotes(database, prefix),
    close: (): Promise<void> => checkpoints.close(),
  }
}

/** Between two attempts the event loop gets a turn, so that signals are handled. */
async function begin(database: Database): Promise<void> {
  for (let left = BEGIN_TRIES_MAX; ; left--) {
    try {
      return database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (!isBusy(error) || left <= 1) throw error
      await turn()
    }
  }
}
