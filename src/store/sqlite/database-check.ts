/** What can be found out about a database file without changing it: whose it is, whether it is sound, what is in it. */
import { describe } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from './database.ts'
import { tableOf, valueAt } from './schema-sql.ts'

/** More lines say no more: one fault is enough to put a copy in the file's place. */
const FAULTS_MAX = 5

/**
 * What SQLite finds wrong in the whole file, at most a few lines: pages and indexes (sqlite.org/pragma.html#
 * pragma_integrity_check, which also asks the text index), foreign keys, and what does not belong into it. Reads everything, which takes a second or
 * two for each gigabyte, and holds nobody up.
 */
export function faultsOf(database: Database): readonly string[] {
  const lines = database
    .all(`PRAGMA integrity_check(${FAULTS_MAX})`)
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'))
  if (lines.length > 0) return lines
  const strangers = strangersIn(database)
  if (strangers.length > 0) return strangers
  const orphans = database.all('PRAGMA foreign_key_check')
  return orphans
    .slice(0, FAULTS_MAX)
    .map((row) => `a row of ${String(row['table'])} belongs to a user that is not there`)
}

/**
 * Triggers and views that this program does not make. In a file from elsewhere they could delete or change what is
 * written, or pretend to be a table. Ours have a slash in their names, and such that no declaration knows are dropped as
 * the file is opened (migrations.ts).
 */
function strangersIn(database: Database): readonly string[] {
  return database
    .all("SELECT type, name FROM sqlite_schema WHERE type = 'view' OR (type = 'trigger' AND instr(name, '/') = 0)")
    .slice(0, FAULTS_MAX)
    .map(({ type, name }) => `the ${String(type)} ${describe(name)} was not made by dateline`)
}

export type ItemCounts = Readonly<Record<string, number>>

/** How many items each model has. A model whose table is not there yet has none. */
export function countItems(database: Database, models: readonly Model[]): ItemCounts {
  const tables = new Set(database.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row['name']))
  const count = (model: Model): number =>
    tables.has(model.name) ? Number(database.get(`SELECT count(*) AS n FROM ${tableOf(model)}`)?.['n']) : 0
  return Object.fromEntries(models.map((model) => [model.name, count(model)]))
}

/**
 * Looks at the first page of each table, which takes no time, so that a file that was cut off or overwritten is
 * noticed when the service starts and not when somebody asks for the rest of it. Throws what SQLite throws.
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
