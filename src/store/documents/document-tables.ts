/** Documents by id, one statement each. Functions that write run inside a transaction. */
import { isoDate } from '../../base/dates.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { incompleteOf } from '../../models/incomplete.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { isForeignKeyError, type Database } from '../db/database.ts'
import { DUE_AT, dueIndex, HANDED_IN_AT, handedInIndex, IS_HANDED_IN } from '../schema/indexes.ts'
import { HOUR_CHARS, tableOf } from '../schema/names.ts'
import { changedSearchRow, searchRow } from '../search/pending-rows.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { requireDistinct } from './distinct-codes.ts'
import type { Change, Condition, ReadDocument, TransactionView, Versions } from './transaction-view.ts'

/** A document to be stored; `id` is the same text as its member. */
export interface Document {
  readonly id: string
  readonly value: JsonObject
  /** The JSON text of the value, where the caller has it. */
  readonly text?: string
}

/** The start of an hour in UTC, as `2026-03-01T12:00:00.000Z`, and its number of documents. */
export interface HourCount {
  readonly hour: string
  readonly n: number
}

/** 'exists': the id or a unique value is taken; 'orphan': the user that it belongs to does not exist. */
export type InsertOutcome = 'inserted' | 'exists' | 'orphan'

/** A document whose status changes at a time. */
export interface DueDocument {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** The JSON text of a document. */
export function getDocument(database: Database, model: Model, id: string): string | undefined {
  const row = database.get(`SELECT doc FROM ${tableOf(model)} WHERE id = ?`, id)
  return row === undefined ? undefined : String(row['doc'])
}

/** The database, and what its transaction changes of the search indexes. */
export interface DocumentTables {
  readonly database: Database
  readonly search: SearchChanges
}

/** Whether the id is that of a document in the other of the two tables of a model: complete ones, and incomplete drafts. */
export function isInTwin(database: Database, model: Model, id: string): boolean {
  const twin = twinOf(model)
  return twin !== undefined && getDocument(database, twin, id) !== undefined
}

/** The other of the two tables of a model. */
export function twinOf(model: Model): Model | undefined {
  return model.draftsOf === undefined ? incompleteOf(model) : storedModelNamed(model.draftsOf)
}

export function insertDocument({ database, search }: DocumentTables, model: Model, { id, value, text }: Document): InsertOutcome {
  if (isInTwin(database, model, id)) return 'exists'
  if (model.distinct !== undefined) requireDistinct(database, model, { id, value })
  const sql = `INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING`
  try {
    const seq = database.insert(sql, id, text ?? writeJson(value))
    if (seq === undefined) return 'exists'
    if (model.trigrams !== undefined) search.add({ model, seq, row: searchRow(model, value) })
    return 'inserted'
  } catch (error) {
    if (isForeignKeyError(error)) return 'orphan'
    throw error
  }
}

export function updateDocument(
  { database, search }: DocumentTables,
  model: Model,
  id: string,
  change: Change,
  { view, known }: { readonly view: TransactionView; readonly known?: ReadDocument | undefined },
): Versions | undefined {
  const stored = database.get(`SELECT seq, doc FROM ${tableOf(model)} WHERE id = ?`, id)
  if (stored === undefined) return undefined
  const seq = Number(stored['seq'])
  const text = String(stored['doc'])
  const value = known?.text === text ? known.value : (parseJson(text) as JsonObject)
  const next = change(value, text, view)
  if (model.distinct !== undefined) requireDistinct(database, model, { id, value: next, stored: value })
  const doc = writeJson(next)
  database.run(`UPDATE ${tableOf(model)} SET doc = ? WHERE seq = ?`, doc, seq)
  if (model.trigrams !== undefined) search.add({ model, seq, row: changedSearchRow(model, value, next) })
  return { before: text, after: doc }
}

/** Removes a document for which the condition holds, and returns its JSON text; undefined where there is none. */
export function removeDocument(
  { database, search }: DocumentTables,
  model: Model,
  id: string,
  condition?: Condition,
): string | undefined {
  const row = database.get(`SELECT seq, doc FROM ${tableOf(model)} WHERE id = ?`, id)
  if (row === undefined) return undefined
  const [seq, text] = [Number(row['seq']), String(row['doc'])]
  condition?.(text)
  database.run(`DELETE FROM ${tableOf(model)} WHERE seq = ?`, seq)
  if (model.trigrams !== undefined) search.add({ model, seq, row: undefined })
  return text
}

/** Documents of a scheduled model with a time to come or past, the earliest first, behind one of them; at most `limit`. */
export function dueDocuments(
  database: Database,
  model: Model,
  after: Pick<DueDocument, 'id' | 'at'> | undefined,
  limit: number,
): readonly DueDocument[] {
  const [from, id] = after === undefined ? ['', ''] : [isoDate(after.at), after.id]
  const sql = `SELECT id, doc, ${DUE_AT} AS at FROM ${tableOf(model)} INDEXED BY "${dueIndex(model)}"
    WHERE ${DUE_AT} IS NOT NULL AND (${DUE_AT}, id) > (?, ?) ORDER BY ${DUE_AT}, id LIMIT ?`
  return database.all(sql, from, id, limit).map((row) => ({ id: String(row['id']), at: Date.parse(String(row['at'])), text: String(row['doc']) }))
}

/** Drafts of a reviewed model that were handed in, the longest waiting first, at most `limit`; and how many there are. */
export function handedIn(database: Database, model: Model, limit: number): readonly { readonly id: string; readonly text: string }[] {
  const sql = `SELECT id, doc FROM ${tableOf(model)} INDEXED BY "${handedInIndex(model)}"
    WHERE ${IS_HANDED_IN} ORDER BY ${HANDED_IN_AT}, id LIMIT ?`
  return database.all(sql, limit).map((row) => ({ id: String(row['id']), text: String(row['doc']) }))
}

export function countHandedIn(database: Database, model: Model): number {
  const sql = `SELECT count(*) AS n FROM ${tableOf(model)} INDEXED BY "${handedInIndex(model)}" WHERE ${IS_HANDED_IN}`
  return Number(database.get(sql)?.['n'])
}

/** How many documents of a counted model have the status `active`. */
export function countActive(database: Database, model: Model): number {
  const row = database.get("SELECT n FROM status_count WHERE model = ? AND status = 'active'", model.name)
  return Number(row?.['n'] ?? 0)
}

/** How many documents of a counted model have each status that any has. */
export function countByStatus(database: Database, model: Model): ReadonlyMap<string, number> {
  const rows = database.all('SELECT status, n FROM status_count WHERE model = ? AND n > 0', model.name)
  return new Map(rows.map(({ status, n }) => [String(status), Number(n)]))
}

/**
 * The hours with documents of a model with a timeline, oldest first. Each of the two hours is given by any moment in
 * it, in milliseconds since the epoch. Costs the same however many documents there are.
 */
export function countByHour(
  database: Database,
  model: Model,
  { from, to }: { readonly from: number; readonly to: number },
): readonly HourCount[] {
  const sql = 'SELECT hour, n FROM hour_count WHERE model = ? AND hour BETWEEN ? AND ? ORDER BY hour'
  const rows = database.all(sql, model.name, isoDate(from).slice(0, HOUR_CHARS), isoDate(to).slice(0, HOUR_CHARS))
  return rows.map(({ hour, n }) => ({ hour: `${String(hour)}:00:00.000Z`, n: Number(n) }))
}

/** Ids of countries that active documents name, from the counts that the writes keep. */
export function countriesInUse(database: Database, use: 'eventCountry' | 'headquarters'): readonly string[] {
  const model = use === 'eventCountry' ? 'headline' : 'source'
  const rows = database.all('SELECT value FROM key_count WHERE model = ? AND path = ? AND n > 0', model, `${use}.id`)
  return rows.map((row) => String(row['value']))
}
