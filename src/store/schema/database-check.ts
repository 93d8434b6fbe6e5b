/** Checks of a database file that do not change it: whether it is sound, and how many documents it holds. */
import { audit } from '../../models/audit.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from './names.ts'
import { schemaFaults } from './schema-check.ts'

/** One fault is reason enough to restore a backup, so a few are listed. */
const FAULTS_MAX = 5

/**
 * The faults of the whole file, at most a few: in pages and indexes (sqlite.org/pragma.html#pragma_integrity_check, which
 * also checks the text index), in the schema, and in foreign keys. Reads everything, which takes a second or two per
 * gigabyte, and blocks no other connection.
 */
export function faultsOf(database: Database, models: readonly Model[] = STORED_MODELS): readonly string[] {
  const lines = database
    .all(`PRAGMA integrity_check(${FAULTS_MAX})`)
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'))
  if (lines.length > 0) return lines
  const foreign = schemaFaults(database, models)
  if (foreign.length > 0) return foreign.slice(0, FAULTS_MAX)
  const orphans = database.all('PRAGMA foreign_key_check')
  return orphans
    .slice(0, FAULTS_MAX)
    .map((row) => `a row of ${String(row['table'])} belongs to a user that is not there`)
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
  const dated = models.filter((model) => model.indexes.some(([first]) => first === 'updatedAt:desc'))
  const dates = dated.map((model) => {
    const date = valueAt('updatedAt')
    return database.get(`SELECT ${date} AS date FROM ${tableOf(model)} ORDER BY ${date} DESC LIMIT 1`)?.['date']
  })
  return dates
    .filter((date) => typeof date === 'string')
    .sort()
    .at(-1)
}

/** When the newest record of the audit trail was written, by the clock of that moment; undefined where there is none. */
export function lastRecordDate(database: Database): string | undefined {
  const date = database.get(`SELECT ${valueAt('time')} AS date FROM ${tableOf(audit)} ORDER BY seq DESC LIMIT 1`)?.['date']
  return typeof date === 'string' ? date : undefined
}
