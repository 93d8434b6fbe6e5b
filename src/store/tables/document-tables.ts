/** Documents by id, one statement each. Functions that write run inside a transaction. */
import { isoDate } from '../../base/dates.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { isForeignKeyError, type Database } from '../sqlite/database.ts'
import { HOUR_CHARS, tableOf } from '../sqlite/schema-sql.ts'
import type { Change, Condition, Document, DocumentStore, HourCount, InsertOutcome, Moment, ReadDocument } from '../store.ts'
import type { SearchChanges } from './search-changes.ts'
import { searchRow } from './trigram-index.ts'

export function getDocument(database: Database, model: Model, id: string): string | undefined {
  const row = database.get(`SELECT doc FROM ${tableOf(model)} WHERE id = ?`, id)
  return row === undefined ? undefined : String(row['doc'])
}

/** The database, and what its transaction changes of the search indexes. */
export interface DocumentTables {
  readonly database: Database
  readonly search: SearchChanges
}

export function insertDocument({ database, search }: DocumentTables, model: Model, { id, value, text }: Document): InsertOutcome {
  const sql = `INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING seq`
  try {
    const row = database.get(sql, id, text ?? writeJson(value))
    if (row === undefined) return 'exists'
    if (model.trigrams !== undefined) search.add({ model, seq: Number(row['seq']), row: searchRow(model, value), isNew: true })
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
  { moment, known }: { readonly moment: Moment; readonly known?: ReadDocument | undefined },
): string | undefined {
  const stored = database.get(`SELECT seq, doc FROM ${tableOf(model)} WHERE id = ?`, id)
  if (stored === undefined) return undefined
  const seq = Number(stored['seq'])
  const text = String(stored['doc'])
  const value = known?.text === text ? known.value : (parseJson(text) as JsonObject)
  const next = change(value, text, moment)
  const doc = writeJson(next)
  database.run(`UPDATE ${tableOf(model)} SET doc = ? WHERE seq = ?`, doc, seq)
  if (model.trigrams !== undefined) search.add({ model, seq, row: searchRow(model, next), isNew: false })
  return doc
}

export function removeDocument(
  { database, search }: DocumentTables,
  model: Model,
  id: string,
  condition?: Condition,
): boolean {
  if (condition !== undefined) {
    const text = getDocument(database, model, id)
    if (text !== undefined) condition(text)
  }
  const row = database.get(`DELETE FROM ${tableOf(model)} WHERE id = ? RETURNING seq`, id)
  if (row === undefined) return false
  if (model.trigrams !== undefined) search.add({ model, seq: Number(row['seq']), row: undefined, isNew: false })
  return true
}

export function countActive(database: Database, model: Model): number {
  const row = database.get("SELECT n FROM status_count WHERE model = ? AND status = 'active'", model.name)
  return Number(row?.['n'] ?? 0)
}

/** How many documents of a counted model have each status that any has. */
export function countByStatus(database: Database, model: Model): ReadonlyMap<string, number> {
  const rows = database.all('SELECT status, n FROM status_count WHERE model = ? AND n > 0', model.name)
  return new Map(rows.map(({ status, n }) => [String(status), Number(n)]))
}

/** The hours with documents of a model with a timeline, from one to another, both included, oldest first. */
export function countByHour(
  database: Database,
  model: Model,
  { from, to }: Parameters<DocumentStore['countByHour']>[1],
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
