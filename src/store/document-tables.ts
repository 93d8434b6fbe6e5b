/** Documents by id: one statement each. Functions that change something run inside a transaction. */
import { parseJson, writeJson, type JsonObject } from '../base/json.ts'
import type { Model } from '../models/schema.ts'
import { isForeignKeyError, type Database } from './database.ts'
import { tableOf, valueAt } from './schema-sql.ts'
import type { Document, InsertOutcome } from './store.ts'

export function getDocument(database: Database, model: Model, id: string): string | undefined {
  const row = database.get(`SELECT doc FROM ${tableOf(model)} WHERE id = ?`, id)
  return row === undefined ? undefined : String(row['doc'])
}

export function insertDocument(database: Database, model: Model, { id, value }: Document): InsertOutcome {
  const sql = `INSERT INTO ${tableOf(model)} (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING`
  try {
    return database.run(sql, id, writeJson(value)) === 1 ? 'inserted' : 'exists'
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
  const stored = getDocument(database, model, id)
  if (stored === undefined) return undefined
  const doc = writeJson(change(parseJson(stored) as JsonObject))
  database.run(`UPDATE ${tableOf(model)} SET doc = ? WHERE id = ?`, doc, id)
  return doc
}

export function removeDocument(database: Database, model: Model, id: string): boolean {
  return database.run(`DELETE FROM ${tableOf(model)} WHERE id = ?`, id) === 1
}

export function countActive(database: Database, model: Model): number {
  const row = database.get("SELECT n FROM status_count WHERE model = ? AND status = 'active'", model.name)
  return Number(row?.['n'] ?? 0)
}

/**
 * One probe of an index for each country:
 * `SELECT id FROM country WHERE EXISTS (SELECT 1 FROM headline WHERE doc ->> '$."eventCountry"."id"' = country.id AND …)`
 */
export function countriesInUse(database: Database, use: 'eventCountry' | 'headquarters'): readonly string[] {
  const table = use === 'eventCountry' ? 'headline' : 'source'
  const rows = database.all(
    `SELECT id FROM country WHERE EXISTS (
      SELECT 1 FROM ${table} AS item WHERE item.${valueAt(`${use}.id`)} = country.id AND item.${valueAt('status')} = 'active')`,
  )
  return rows.map((row) => String(row['id']))
}
