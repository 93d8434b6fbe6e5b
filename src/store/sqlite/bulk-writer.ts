/**
 * Many documents at once, in transactions that the caller cuts to size.
 *
 * It works on a connection of its own, beside a service that runs or with the directory to itself. A note can be kept
 * in the same transaction as the documents, so that what is noted as done is done, whatever happens to the process.
 *
 * Whether a document is there is found out beforehand, without a lock; `basis` says what was found. Here it is only
 * made sure that this still holds: where it does not, the row is 'stale', and the caller prepares it anew, within the
 * transaction.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { AuditRecord } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { createAccount, replaceUser } from '../tables/account-tables.ts'
import { putRecord } from '../audit/audit-table.ts'
import { createCheckpoints } from '../wal/checkpoints.ts'
import { asStoreFailure, isBusy, isForeignKeyError, openDatabase, type Database } from './database.ts'
import { getDocument } from '../tables/document-tables.ts'
import { tableOf } from './schema-sql.ts'
import type { NewAccount } from '../store.ts'
import { putSearchRow, unindexText } from '../tables/trigram-index.ts'

/** Each try waits for as long as the connection does, five seconds. */
const BEGIN_TRIES_MAX = 12
/**
 * With the directory to ourselves, nobody waits while the log is moved, and moving more at a time moves less: a page
 * that changed several times is moved once. 32 MiB.
 */
const ALONE_LOG_PAGES = 8_192

export interface BulkRow {
  readonly id: string
  /** The document as it is to be stored. */
  readonly doc: string
  /** What the search index keeps of it; undefined where the model has none. */
  readonly search: readonly string[] | undefined
  /** The document that it replaces, as it was found; undefined where there was none. */
  readonly basis: string | undefined
}

/** 'taken': another document has its unique value. 'orphan': the user that it belongs to is not there. */
export type BulkOutcome = 'inserted' | 'replaced' | 'unchanged' | 'stale' | 'taken' | 'orphan' | 'last-admin'

/** What work in a transaction may do. */
export interface BulkTables {
  stored(model: Model, id: string): string | undefined
  write(model: Model, row: BulkRow): BulkOutcome
  /** Adds a record to the audit trail, or puts it in the place of the one with the same id. */
  record(record: AuditRecord): void
  /** Keeps a note under a name, or forgets it. */
  note(name: string, text: string | undefined): void
}

export interface BulkWriter {
  /**
   * Runs the work in one transaction and gives its result when that is on disk. With `keep` false everything is undone
   * again. Throws networkError where the database stays busy for a minute, or the disk fails.
   */
  transact<T>(work: (tables: BulkTables) => T, keep: boolean): Promise<T>
  /** The notes whose name begins so, by their names. */
  notes(prefix: string): ReadonlyMap<string, string>
  close(): Promise<void>
}

export interface BulkOptions {
  readonly file: string
  /** Whether nobody else works on the database. */
  readonly isAlone: boolean
  /** What a new user begins with, the user's document among it. */
  readonly accountOf: (document: JsonObject) => NewAccount
}

export function openBulkWriter({ file, isAlone, accountOf }: BulkOptions): BulkWriter {
  const database = openDatabase(file)
  const limits = { pagesMax: ALONE_LOG_PAGES, longPages: Number.POSITIVE_INFINITY }
  const checkpoints = createCheckpoints(database, file, ...(isAlone ? [limits] : []))
  const search = searchChanges(database)
  const tables: BulkTables = {
    stored: (model, id) => getDocument(database, model, id),
    write: (model, row) =>
      model === user ? writeUser(database, row, accountOf) : writeDocument(database, model, row, search),
    record: (record) => putRecord(database, record),
    note(name, text) {
      database.run('DELETE FROM meta WHERE name = ?', name)
      if (text !== undefined) database.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, text)
    },
  }
  return {
    async transact(work, keep) {
      try {
        await begin(database)
        const result = work(tables)
        if (keep) search.make()
        search.forget()
        database.exec(keep ? 'COMMIT' : 'ROLLBACK')
        if (keep) checkpoints.afterCommit()
        return result
      } catch (error) {
        search.forget()
        if (database.inTransaction) database.exec('ROLLBACK')
        throw asStoreFailure(error)
      }
    },
    notes(prefix) {
      const rows = database.all('SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?', prefix.length, prefix)
      return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
    },
    close: () => checkpoints.close(),
  }
}

/**
 * Changes of the search index, made together at the end of a transaction. SQLite opens a savepoint for each statement
 * that could fail half-way, as an INSERT with triggers can, and at each savepoint FTS5 writes out what it has gathered
 * (sqlite.org/vtab.html#xsavepoint): row by row that takes as long as all other work together.
 */
interface SearchChanges {
  add(model: Model, seq: number, row: BulkRow['search']): void
  replace(model: Model, seq: number, row: BulkRow['search']): void
  make(): void
  forget(): void
}

function searchChanges(database: Database): SearchChanges {
  let changes: { model: Model; seq: number; row: readonly string[]; isNew: boolean }[] = []
  const note = (model: Model, seq: number, row: BulkRow['search'], isNew: boolean): void => {
    if (row !== undefined) changes.push({ model, seq, row, isNew })
  }
  return {
    add: (model, seq, row) => note(model, seq, row, true),
    replace: (model, seq, row) => note(model, seq, row, false),
    make() {
      for (const { model, seq, row, isNew } of changes) {
        if (!isNew) unindexText(database, model, seq)
        putSearchRow(database, model, seq, row)
      }
    },
    forget() {
      changes = []
    },
  }
}

/** Between two tries the event loop gets a turn, so that signals are heard. */
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

function writeDocument(database: Database, model: Model, row: BulkRow, changes: SearchChanges): BulkOutcome {
  const { id, doc, search, basis } = row
  if (basis === undefined) return insertRow(database, model, row, changes)
  if (basis === doc) {
    return database.get(`SELECT 1 FROM ${tableOf(model)} WHERE id = ? AND doc = ?`, id, doc) === undefined
      ? 'stale'
      : 'unchanged'
  }
  const sql = `UPDATE ${tableOf(model)} SET doc = ? WHERE id = ? AND doc = ? RETURNING seq`
  const replaced = database.get(sql, doc, id, basis)
  if (replaced === undefined) return 'stale'
  changes.replace(model, Number(replaced['seq']), search)
  return 'replaced'
}

function insertRow(database: Database, model: Model, row: BulkRow, changes: SearchChanges): BulkOutcome {
  const sql = `INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING seq`
  try {
    const inserted = database.get(sql, row.id, row.doc)
    if (inserted === undefined) return 'stale'
    changes.add(model, Number(inserted['seq']), row.search)
    return 'inserted'
  } catch (error) {
    if (isForeignKeyError(error)) return 'orphan'
    throw error
  }
}

function writeUser(database: Database, { id, doc, basis }: BulkRow, accountOf: BulkOptions['accountOf']): BulkOutcome {
  const stored = getDocument(database, user, id)
  if (stored !== basis) return 'stale'
  if (stored === doc) return 'unchanged'
  if (stored !== undefined) return replaceUser(database, id, doc)
  return createAccount(database, accountOf(parseJson(doc) as JsonObject)) === 'inserted' ? 'inserted' : 'taken'
}
