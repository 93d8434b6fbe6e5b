/** Checks of a database file that do not change it: whether it is sound, and how many documents it holds. */
import { describe } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from './database.ts'
import { tableOf, valueAt } from './schema-sql.ts'

/** One fault is reason enough to restore a backup, so a few are listed. */
const FAULTS_MAX = 5

/**
 * The faults of the whole file, at most a few: in pages and indexes (sqlite.org/pragma.html#pragma_integrity_check, which
 * also checks the text index), foreign keys, and foreign triggers and views. Reads everything, which takes a second or two
 * per gigabyte, and blocks no other connection.
 */
export function faultsOf(database: Database): readonly string[] {
  const lines = database
    .all(`PRAGMA integrity_check(${FAULTS_MAX})`)
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'))
  if (lines.length > 0) return lines
  const foreign = foreignObjects(database)
  if (foreign.length > 0) return foreign
  const orphans = database.all('PRAGMA foreign_key_check')
  return orphans
    .slice(0, FAULTS_MAX)
    .map((row) => `a row of ${String(row['table'])} belongs to a user that is not there`)
}

/**
 * Triggers and views that this program did not create. In a file from elsewhere they could change what is written, or
 * pose as a table. Ours have a slash in their names; those that no declaration names are dropped when the file is opened
 * (migrations.ts).
 */
function foreignObjects(database: Database): readonly string[] {
  return database
    .all("SELECT type, name FROM sqlite_schema WHERE type = 'view' OR (type = 'trigger' AND instr(name, '/') = 0)")
    .slice(0, FAULTS_MAX)
    .map(({ type, name }) => `the ${String(type)} ${describe(name)} was not made by dateline`)
}

export type ItemCounts = Readonly<Record<string, number>>

/** The number of documents of each model; 0 where its table does not exist yet. */
export function countItems(database: Database, models: readonly Model[]): ItemCounts {
  const tables = new Set(database.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row['name']))
  const count = (model: Model): number =>
    tables.has(model.name) ? Number(database.get(`SELECT count(*) AS n FROM ${tableOf(model)}`)?.['n']) : 0
  return Object.fromEntries(models.map((model) => [model.name, count(model)]))
}

/**
 * Reads the first page of each table, which is fast, so that a truncated or overwritten file is noticed when the service
 * starts and not at a later query. Throws what SQLite throws.
 */
export function touchTables(database: Database): void {
  const tables = database.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
  for (const { name } of tables) database.get(`SELECT 1 FROM "${String(name)}" NOT INDEXED LIMIT 1`)
}

/** The latest `updatedAt` of the models that have it indexed; undefined where nothing is stored. */
export function newestDate(database: Database, models: readonly Model[]): string | undefined {
  const dated = models.filter(({ indexes }) => indexes.some(([first]) => first === 'updatedAt:desc'))
  const dates = dated.map((model) => {
    const date = valueAt('updatedAt')
    return database.get(`SELECT ${date} AS date FROM ${tableOf(model)} ORDER BY ${date} DESC LIMIT 1`)?.['date']
  })
  return dates
    .filter((date) => typeof date === 'string')
    .sort()
    .at(-1)
}
