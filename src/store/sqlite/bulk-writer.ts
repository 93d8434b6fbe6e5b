/**
 * Many documents at once, in transactions that the caller cuts to size.
 *
 * It works on a connection of its own, beside a running service or as the only one on the directory. A note can be
 * written in the same transaction as the documents, so that what is noted as done is done, whatever happens to the
 * process.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { AuditRecord } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { createAccount, replaceUser } from '../tables/account-tables.ts'
import { putRecord } from '../audit/audit-table.ts'
import { createCheckpoints } from '../wal/checkpoints.ts'
import { asStoreFailure, isBusy, isForeignKeyError, openDatabase, type Database, type Row } from './database.ts'
import { getDocument } from '../tables/document-tables.ts'
import { tableOf } from './schema-sql.ts'
import type { NewAccount } from '../store.ts'
import { createSearchChanges, type SearchChanges } from '../tables/search-changes.ts'

/** Each attempt waits for the busy timeout of the connection, five seconds. */
const BEGIN_TRIES_MAX = 12
/**
 * Pages of the WAL after which it is moved where no service waits meanwhile: the longer it is, the fewer pages are moved,
 * since a page that changed several times is moved once. 32 MiB.
 */
const ALONE_WAL_PAGES = 8_192

export interface BulkRow {
  readonly id: string
  /** The document as it is to be stored. */
  readonly doc: string
  /** What the search index keeps of it; undefined where the model has none. */
  readonly search: readonly string[] | undefined
  /** The document that it replaces, as `stored` gave it in this transaction; undefined where there was none. */
  readonly basis: string | undefined
}

/** 'taken': another document has its unique value. 'orphan': the user that it belongs to does not exist. */
export type BulkOutcome = 'inserted' | 'replaced' | 'unchanged' | 'taken' | 'orphan' | 'last-admin'

export interface BulkOptions {
  readonly file: string
  /** Whether no other process works on the database. */
  readonly isAlone: boolean
  /** What a new user begins with, the user's document included. */
  readonly accountOf: (document: JsonObject) => NewAccount
}

export type BulkWriter = ReturnType<typeof openBulkWriter>
/** What work in a transaction may do. */
export type BulkTables = ReturnType<typeof bulkTables>

export function openBulkWriter({ file, isAlone, accountOf }: BulkOptions) {
  const database = openDatabase(file)
  const limits = { pagesMax: ALONE_WAL_PAGES, longPages: Number.POSITIVE_INFINITY }
  const checkpoints = createCheckpoints(database, file, ...(isAlone ? [limits] : []))
  const search = createSearchChanges(database)
  const tables = bulkTables(database, search, accountOf)
  return {
    /**
     * Runs the work in one transaction and returns its result when that is on disk. With `keep` false everything is
     * rolled back. Throws networkError where the database stays busy for a minute, or the disk fails.
     */
    async transact<T>(work: (tables: BulkTables) => T, keep: boolean): Promise<T> {
      try {
        await begin(database)
        const result = work(tables)
        if (keep) search.flush()
        database.exec(keep ? 'COMMIT' : 'ROLLBACK')
        if (keep) checkpoints.afterCommit()
        return result
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK')
        throw asStoreFailure(error)
      } finally {
        search.discard()
      }
    },
    /** The notes whose name begins so, by their names. */
    notes(prefix: string): ReadonlyMap<string, string> {
      const rows = database.all('SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?', prefix.length, prefix)
      return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
    },
    close: (): Promise<void> => checkpoints.close(),
  }
}

function bulkTables(database: Database, search: SearchChanges, accountOf: BulkOptions['accountOf']) {
  return {
    stored: (model: Model, id: string): string | undefined => getDocument(database, model, id),
    write: (model: Model, row: BulkRow): BulkOutcome =>
      model === user ? writeUser(database, row, accountOf) : writeDocument(database, model, row, search),
    /** Adds a record to the audit trail, or replaces the one with the same id. */
    record: (record: AuditRecord): void => putRecord(database, record),
    /** Keeps a note under a name, or deletes it. */
    note(name: string, text: string | undefined): void {
      database.run('DELETE FROM meta WHERE name = ?', name)
      if (text !== undefined) database.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, text)
    },
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

function writeDocument(
  database: Database,
  model: Model,
  { id, doc, search, basis }: BulkRow,
  changes: SearchChanges,
): BulkOutcome {
  if (basis === doc) return 'unchanged'
  const isNew = basis === undefined
  const written = isNew
    ? insertDocument(database, model, id, doc)
    : database.get(`UPDATE ${tableOf(model)} SET doc = ? WHERE id = ? RETURNING seq`, doc, id)
  if (written === undefined) return 'orphan'
  if (search !== undefined) changes.add({ model, seq: Number(written['seq']), row: search, isNew })
  return isNew ? 'inserted' : 'replaced'
}

/** Undefined where the document belongs to a user who does not exist. */
function insertDocument(database: Database, model: Model, id: string, doc: string): Row | undefined {
  try {
    return database.get(`INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) RETURNING seq`, id, doc)
  } catch (error) {
    if (isForeignKeyError(error)) return undefined
    throw error
  }
}

function writeUser(database: Database, { id, doc, basis }: BulkRow, accountOf: BulkOptions['accountOf']): BulkOutcome {
  if (basis === doc) return 'unchanged'
  if (basis !== undefined) return replaceUser(database, id, doc)
  return createAccount(database, accountOf(parseJson(doc) as JsonObject)) === 'inserted' ? 'inserted' : 'taken'
}
