/** The tables of a bulk load, on the connection of its transaction. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { AuditRecord } from '../../models/audit.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { createAccount, replaceUser, type NewAccount } from '../accounts/account-tables.ts'
import { putRecord } from '../audit/audit-trail.ts'
import { isForeignKeyError, type Database } from '../db/database.ts'
import { isFree, type WrittenCode } from '../documents/distinct-codes.ts'
import { getDocument } from '../documents/document-tables.ts'
import { lookUp, type LookUp } from '../documents/text-look-up.ts'
import { tableOf } from '../schema/names.ts'
import type { SearchRow } from '../search/pending-rows.ts'
import { moveDocument, type MovingTables } from './document-writes.ts'
import { gatherInserts, type NewRow } from './group-inserts.ts'

/** What a new user begins with, the user's document included. */
export type AccountOf = (document: JsonObject) => NewAccount

export interface BulkParts extends MovingTables {
  readonly accountOf: AccountOf
  /** Of new documents; 1 writes each immediately. */
  readonly rowsPerStatement: number
}

interface WritingTables extends MovingTables {
  readonly inserts: GatheredInserts | undefined
}

type GatheredInserts = ReturnType<typeof gatherInserts<NewDocument>>

interface NewDocument extends NewRow {
  readonly search: SearchRow | undefined
}

/** `flush` is to be called at the end of the work of each transaction, and `discard` behind each. */
export function bulkTables({ accountOf, rowsPerStatement, ...moving }: BulkParts) {
  const { database, search } = moving
  const inserts =
    rowsPerStatement === 1
      ? undefined
      : gatherInserts<NewDocument>(database, rowsPerStatement, (model, row, seq) => {
          if (row.search !== undefined) search.add({ model, seq, row: row.search })
        })
  const writing = { ...moving, inserts }
  const tables: BulkTables = {
    textOf(model, id) {
      if (inserts?.has(model, id) === true) inserts.flush()
      return getDocument(database, model, id)
    },
    lookUp: (...query) => lookUp(database, ...query),
    write: (model, row) => (model === user ? writeUser(database, row, accountOf) : writeDocument(writing, model, row)),
    record: (record) => putRecord(database, record),
    note(name, text) {
      database.run('DELETE FROM meta WHERE name = ?', name)
      if (text !== undefined) database.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, text)
    },
  }
  return {
    tables,
    flush: (): void => inserts?.flush(),
    discard: (): void => inserts?.discard(),
  }
}

export function readNotes(database: Database, prefix: string): ReadonlyMap<string, string> {
  const rows = database.all('SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?', prefix.length, prefix)
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
}

function writeDocument({ inserts, ...tables }: WritingTables, model: Model, { id, doc, search, basis, ...row }: BulkRow): BulkOutcome {
  if (basis === doc) return 'unchanged'
  const { database } = tables
  const isNew = basis === undefined
  const place = placeNamed(row.place, model)
  if (isNew && inserts !== undefined && isAlwaysTaken(place)) {
    inserts.add(place, { id, doc, search })
    return 'inserted'
  }
  inserts?.flush()
  const from = placeNamed(row.from, model)
  if (place.distinct !== undefined && !isFree(database, place, writtenCode(id, doc, from === place ? basis : undefined))) return 'taken'
  if (!isNew && from !== place) return replaceAndMove(tables, { model, from, place }, { id, doc })
  const seq = isNew ? insertDocument(database, place, id, doc) : replaceDocument(database, place, id, doc)
  if (seq === undefined) return 'orphan'
  if (search !== undefined) tables.search.add({ model, seq, row: search })
  return isNew ? 'inserted' : 'replaced'
}

/** Whether a new document with an id of its own is inserted, whatever is stored. */
function isAlwaysTaken({ distinct, unique, owned }: Model): boolean {
  return distinct === undefined && unique === undefined && owned === undefined
}

function placeNamed(name: string | undefined, model: Model): Model {
  return name === undefined ? model : (storedModelNamed(name) ?? model)
}

/** The table of the model never has an incomplete text, not even as an earlier version. */
function replaceAndMove(
  tables: MovingTables,
  { model, from, place }: { readonly model: Model; readonly from: Model; readonly place: Model },
  { id, doc }: Pick<BulkRow, 'id' | 'doc'>,
): BulkOutcome {
  if (from === model) moveDocument(tables, from, place, id)
  replaceDocument(tables.database, from === model ? place : from, id, doc)
  if (from !== model) moveDocument(tables, from, place, id)
  return 'replaced'
}

function writtenCode(id: string, doc: string, basis: string | undefined): WrittenCode {
  return { id, value: parseJson(doc) as JsonObject, stored: basis === undefined ? undefined : (parseJson(basis) as JsonObject) }
}

/** Undefined where the document belongs to a user who does not exist. */
function insertDocument(database: Database, model: Model, id: string, doc: string): number | undefined {
  try {
    return database.insert(`INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?)`, id, doc)
  } catch (error) {
    if (isForeignKeyError(error)) return undefined
    throw error
  }
}

function replaceDocument(database: Database, model: Model, id: string, doc: string): number | undefined {
  const row = database.get(`UPDATE ${tableOf(model)} SET doc = ? WHERE id = ? RETURNING seq`, doc, id)
  return row === undefined ? undefined : Number(row['seq'])
}

function writeUser(database: Database, { id, doc, basis }: BulkRow, accountOf: AccountOf): BulkOutcome {
  if (basis === doc) return 'unchanged'
  if (basis !== undefined) return replaceUser(database, id, doc)
  return createAccount(database, accountOf(parseJson(doc) as JsonObject)) === 'inserted' ? 'inserted' : 'taken'
}

// Many documents at once: what a bulk load writes, and the transactions in which it writes them.

export interface BulkRow {
  readonly id: string
  /** The document as it is to be stored. */
  readonly doc: string
  /** What the search index keeps of it; undefined where the model has none. */
  readonly search: SearchRow | undefined
  /** The name of the table for it, where that is not the one of the model: see models/incomplete.ts. */
  readonly place?: string | undefined
  /** The same of the document that it replaces. */
  readonly from?: string | undefined
  /** The document that it replaces, as `textOf` gave it in this transaction; undefined where there was none. */
  readonly basis: string | undefined
}

/** 'taken': another document has its unique value, or its code. 'orphan': the user that it belongs to does not exist. */
export type BulkOutcome = 'inserted' | 'replaced' | 'unchanged' | 'taken' | 'orphan' | 'last-admin'

/** What work in a transaction may do. */
export interface BulkTables {
  /** The JSON text of a stored document. */
  textOf(model: Model, id: string): string | undefined
  /** Stored documents by a text of theirs, without new ones that this load has written to the same model. */
  readonly lookUp: LookUp
  write(model: Model, row: BulkRow): BulkOutcome
  /** Adds a record to the audit trail, or replaces the one with the same id. */
  record(record: AuditRecord): void
  /** Keeps a note under a name, or deletes it. */
  note(name: string, text: string | undefined): void
}

/**
 * A note can be written in the same transaction as documents, so that what is noted as done is done, whatever happens to
 * the process.
 */
export interface BulkWriter {
  /**
   * Runs the work in one transaction and returns its result when that is committed. With `keep` false everything is rolled
   * back. `prepared` gets the result of work that is kept: ahead of the commit, or behind it where the work may run several
   * times, as over the log of a cluster. Throws networkError where nothing can be written now.
   */
  transact<T>(work: (tables: BulkTables) => T, keep: boolean, prepared?: (result: T) => void): Promise<T>
  /**
   * To be called behind each transaction, with the time that it took: resolves when others that wait to write have done so,
   * with whether others have written since the last call, or may have.
   */
  giveWay(ms: number): Promise<boolean>
  /** Resolves when all that was committed is durable. */
  sync(): Promise<void>
  /** The notes whose name begins so, by their names. */
  notes(prefix: string): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}
