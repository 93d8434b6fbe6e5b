/** Documents by id: one statement each. Functions that change something run inside a transaction. */
import { parseJson, writeJson, type JsonObject } from '../base/json.ts'
import type { Model } from '../models/schema.ts'
import { isForeignKeyError, type Database } from './database.ts'
import { tableOf } from './schema-sql.ts'
import type { Document, InsertOutcome } from './store.ts'
import { indexText, unindexText } from './trigram-index.ts'

export function getDocument(database: Database, model: Model, id: string): string | undefined {
  const row = database.get(`SELECT doc FROM ${tableOf(model)} WHERE id = ?`, id)
  return row === undefined ? undefined : String(row['doc'])
}

export function insertDocument(database: Database, model: Model, { id, value }: Document): InsertOutcome {
  const sql = `INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING seq`
  try {
    const row = database.get(sql, id, writeJson(value))
    if (row === undefined) return 'exists'
    indexText(database, model, Number(row['seq']), value)
    return 'inserted'
  } catch (error) {
    if (isForeignKeyError(error)) return 'orphan'
    throw error
  }
}

export function updateDocument(
  database: Database,
  model: Model,
  id: string,
  change: (stored: JsonObject) => JsonObject,
): string | undefined {
  const stored = database.get(`SELECT seq, doc FROM ${tableOf(model)} WHERE id = ?`, id)
  if (stored === undefined) return undefined
  const seq = Number(stored['seq'])
  const next = change(parseJson(String(stored['doc'])) as JsonObject)
  const doc = writeJson(next)
  database.run(`UPDATE ${tableOf(model)} SET doc = ? WHERE seq = ?`, doc, seq)
  unindexText(database, model, seq)
  indexText(database, model, seq, next)
  return doc
}

export function removeDocument(database: Database, model: Model, id: string): boolean {
  const row = database.get(`DELETE FROM ${tableOf(model)} WHERE id = ? RETURNING seq`, id)
  if (row !== undefined) unindexText(database, model, Number(row['seq']))
  return row !== undefined
}

export function countActive(database: Database, model: Model): number {
  const row = database.get("SELECT n FROM status_count WHERE model = ? AND status = 'active'", model.name)
  return Number(row?.['n'] ?? 0)
}

/** Ids of countries that active documents name, from the counts that the writes keep. */
export function countriesInUse(database: Database, use: 'eventCountry' | 'headquarters'): readonly string[] {
  const model = use === 'eventCountry' ? 'headline' : 'source'
  const rows = database.all('SELECT value FROM key_count WHERE model = ? AND path = ? AND n > 0', model, `${use}.id`)
  return rows.map((row) => String(row['value']))
}
