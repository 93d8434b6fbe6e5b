/** What can be found out about a database file without changing it: whose it is, whether it is sound, what is in it. */
import type { Model } from '../models/schema.ts'
import type { Database } from './database.ts'
import { tableOf } from './schema-sql.ts'

/** More lines say no more: one fault is enough to put a copy in the file's place. */
const FAULTS_MAX = 5

/**
 * What SQLite finds wrong in the whole file, at most a few lines: pages and indexes (sqlite.org/pragma.html#
 * pragma_integrity_check, which also asks the text index) and foreign keys. Reads everything, which takes a second or
 * two for each gigabyte, and holds nobody up.
 */
export function faultsOf(database: Database): readonly string[] {
  const lines = database
    .all(`PRAGMA integrity_check(${FAULTS_MAX})`)
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'))
  if (lines.length > 0) return lines
  const orphans = database.all('PRAGMA foreign_key_check')
  return orphans
    .slice(0, FAULTS_MAX)
    .map((row) => `a row of ${String(row['table'])} belongs to a user that is not there`)
}

export type ItemCounts = Readonly<Record<string, number>>

/** How many items each model has. A model whose table is not there yet has none. */
export function countItems(database: Database, models: readonly Model[]): ItemCounts {
  const tables = new Set(database.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row['name']))
  const count = (model: Model): number =>
    tables.has(model.name) ? Number(database.get(`SELECT count(*) AS n FROM ${tableOf(model)}`)?.['n']) : 0
  return Object.fromEntries(models.map((model) => [model.name, count(model)]))
}
