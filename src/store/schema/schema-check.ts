/**
 * Compares the schema of a file with the one that this program makes, or with the one of the earlier release that wrote it.
 * SQLite reads a table from the text of its statement: where the texts are equal, so are columns, constraints, collations
 * and generated values, and a trigger does what ours does.
 */
import { describe } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { fileFacts, FIRST_SCHEMA, MIGRATIONS, schemaOf, type Migration } from './migrate.ts'
import { lexiconTable, searchTables } from './search-tables.ts'
import { newSchema, objectsOf, schemaDigest } from './whole-schema.ts'

/**
 * A sentence for each object that the program did not make, made otherwise, or misses. Reads the schema only. A file that
 * requireReadable() refuses is not judged.
 */
export function schemaFaults(
  database: Database,
  models: readonly Model[],
  migrations: readonly Migration[] = MIGRATIONS,
): readonly string[] {
  const { schema } = fileFacts(database)
  if (schema < FIRST_SCHEMA || schema > schemaOf(migrations)) return []
  const encoding = String(database.get('PRAGMA encoding')?.['encoding'])
  if (encoding !== 'UTF-8') return [`its texts are stored as ${encoding}, and dateline stores UTF-8`]
  const earlier = migrations[schema - FIRST_SCHEMA]
  if (earlier === undefined) return [...differences(database, models), ...searchSettings(database, models)]
  if (earlier.from !== schemaDigest(database)) return [`its tables are not those of schema ${schema}`]
  return searchSettings(database, models)
}

function differences(database: Database, models: readonly Model[]): readonly string[] {
  const wanted = newSchema(models)
  const found = objectsOf(database)
  const strange = found.flatMap((object) => {
    const { type, name } = object
    const own = wanted.get(name)
    if (own !== undefined && JSON.stringify(own) === JSON.stringify(object)) return []
    return [`the ${type} ${describe(name)} ${own?.type === type ? 'is not as dateline makes it' : 'was not made by dateline'}`]
  })
  const names = new Set(found.map(({ name }) => name))
  const missing = [...wanted.values()].filter(({ name }) => !names.has(name))
  return [...strange, ...missing.map(({ type, name }) => `the ${type} ${describe(name)} is missing`)]
}

/**
 * FTS5 takes its settings from a table of the file (sqlite.org/fts5.html#fts5_configuration_options). Ours have none, but for
 * lexicons that words were erased from (word-index.ts).
 */
function searchSettings(database: Database, models: readonly Model[]): readonly string[] {
  const found = new Set(objectsOf(database).map(({ name }) => name))
  return models
    .flatMap(searchTables)
    .filter((search) => found.has(`${search}_config`))
    .filter((search) => {
      const ours = models.some((model) => search === lexiconTable(model)) ? "k = 'secure-delete' AND v = 1" : 'FALSE'
      return database.get(`SELECT 1 FROM "${search}_config" WHERE k <> 'version' AND NOT (${ours})`) !== undefined
    })
    .map((search) => `the search index ${describe(search)} has settings that dateline did not make`)
}

/*
 * Whether a file of our schema has rows that this program can work with, beyond their types and constraints, which
 * `PRAGMA integrity_check` looks at: an integer may be one that a double cannot hold, which node:sqlite refuses to read.
 */

/** Numbers that count upward have room above it. */
const WHOLE_MAX = 2 ** 52
/** Far more than the API lets into a row. */
const VALUE_BYTES_MAX = 64 * 1024 ** 2
/** Tables with exactly one row. */
const SINGLE = ['change_log', 'reference_progress'] as const

/** A sentence for each fault. Reads every row, but not what long values contain: a second or two for a million documents. */
export function rowFaults(database: Database): readonly string[] {
  const columns = database.all(`SELECT list.name AS "table", info.name, info.type
    FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS info WHERE list.schema = 'main' AND list.strict`)
  const byTable = Map.groupBy(columns, (column) => String(column['table']))
  return [
    ...[...byTable].flatMap(([table, some]) => {
      const wrong = some.map(({ name, type }) => wrongValue(`"${String(name)}"`, String(type)))
      if (database.get(`SELECT 1 FROM "${table}" WHERE ${wrong.join(' OR ')} LIMIT 1`) === undefined) return []
      return [`a row of the table ${describe(table)} has a value that is too large`]
    }),
    ...SINGLE.flatMap((table) => {
      const rows = Number(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'])
      return rows === 1 ? [] : [`${table} has ${rows} rows in place of one`]
    }),
  ]
}

function wrongValue(column: string, type: string): string {
  if (type === 'INTEGER') return `${column} NOT BETWEEN -${WHOLE_MAX} AND ${WHOLE_MAX}`
  return `octet_length(${column}) > ${VALUE_BYTES_MAX}`
}
