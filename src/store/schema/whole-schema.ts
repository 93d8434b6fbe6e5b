/** The whole schema of a file, and the digest of one that is found. */
import { createHash } from 'node:crypto'
import type { Model } from '../../models/schema.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { modelIndexes } from './indexes.ts'
import type { SchemaPart } from './names.ts'
import { searchParts } from './search-tables.ts'
import { DERIVED_TABLES, modelTable, SERVICE_TABLES } from './tables.ts'
import { modelTriggers, SHARED_TRIGGERS } from './triggers.ts'

/** Tables of the planner, which an operator's `ANALYZE` makes (sqlite.org/fileformat2.html#the_sqlite_stat1_table). */
export const STATISTICS: readonly string[] = ['sqlite_stat1', 'sqlite_stat4']

/** A row of `sqlite_schema`. */
export interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly table: string
  /** Empty for an index that a constraint of its table implies. */
  readonly sql: string
}

/** Makes all that a file of these models has. To be called on an empty database. */
export function createSchema(database: Database, models: readonly Model[]): void {
  database.exec(SERVICE_TABLES)
  database.exec(DERIVED_TABLES)
  for (const model of models) {
    for (const { sql } of [modelTable(model), ...searchParts(model), ...derivedParts(model)]) database.exec(sql)
  }
  for (const { sql } of SHARED_TRIGGERS) database.exec(sql)
}

/** The indexes and triggers of the models, which a migration can make again; a slash is in no other name. */
export function remakeDerived(database: Database, models: readonly Model[]): void {
  const wanted = [...models.flatMap(derivedParts), ...SHARED_TRIGGERS]
  const isWanted = ({ name, sql }: SchemaObject): boolean => wanted.some((part) => part.name === name && part.sql === sql)
  const found = objectsOf(database).filter(({ name, sql }) => name.includes('/') && sql !== '')
  for (const { type, name } of found.filter((one) => !isWanted(one))) database.exec(`DROP ${type} "${name}"`)
  const kept = new Set(found.filter(isWanted).map(({ name }) => name))
  for (const { sql } of wanted.filter(({ name }) => !kept.has(name))) database.exec(sql)
}

function derivedParts(model: Model): readonly SchemaPart[] {
  return [...modelIndexes(model), ...modelTriggers(model)]
}

const newSchemas = new WeakMap<readonly Model[], ReadonlyMap<string, SchemaObject>>()

/** What a new file of these models has, by name; takes some ten milliseconds, and is kept for the next check of a file. */
export function newSchema(models: readonly Model[]): ReadonlyMap<string, SchemaObject> {
  const known = newSchemas.get(models)
  if (known !== undefined) return known
  const database = openDatabase(':memory:')
  try {
    createSchema(database, models)
    const made = new Map(objectsOf(database).map((object) => [object.name, object]))
    newSchemas.set(models, made)
    return made
  } finally {
    database.close()
  }
}

/** All that a file has but statistics of the planner. */
export function objectsOf(database: Database): readonly SchemaObject[] {
  return database
    .all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
    .map(({ type, name, tbl_name: table, sql }) => {
      return { type: String(type), name: String(name), table: String(table), sql: String(sql ?? '') }
    })
    .filter(({ name }) => !STATISTICS.includes(name))
}

/** The same for files of the same schema alone. */
export function schemaDigest(database: Database): string {
  return createHash('sha256').update(JSON.stringify(objectsOf(database))).digest('hex')
}
