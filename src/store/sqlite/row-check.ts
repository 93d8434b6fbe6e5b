/**
 * Whether the rows of a file are ones that this program can work with. SQLite takes a value of any type into any column
 * (sqlite.org/flextypegood.html), and integers that a double cannot hold, which node:sqlite refuses to read.
 */
import { describe } from '../../base/failure.ts'
import type { Database } from './database.ts'

/** Numbers that count upward have room above it. */
const WHOLE_MAX = 2 ** 52
/** Far more than the API lets into a row. */
const VALUE_BYTES_MAX = 64 * 1024 ** 2

/** What is JSON in each table beside the documents; a condition picks the rows. */
const JSON_COLUMNS = [
  { table: 'api_token', column: 'limits', where: 'true', type: 'object' },
  { table: 'meta', column: 'value', where: `name GLOB 'note:*'`, type: undefined },
  { table: 'reference_progress', column: 'work', where: 'work IS NOT NULL', type: 'object' },
  { table: 'trash', column: 'doc', where: 'true', type: 'object' },
] as const
/** Tables with exactly one row. */
const SINGLE = ['change_log', 'reference_progress'] as const

/**
 * A sentence for each table with a row that is none of this program's. Reads every row, but not what long values contain: a
 * second or two for a million documents. The schema has to be ours: see schema-check.ts.
 */
export function rowFaults(database: Database): readonly string[] {
  const tables = ordinaryTables(database)
  const has = (name: string): boolean => tables.includes(name)
  return [
    ...tables.flatMap((table) => columnFaults(database, table)),
    ...JSON_COLUMNS.filter(({ table }) => has(table)).flatMap(({ table, column, where, type }) => {
      const isFine = `json_valid(${column})${type === undefined ? '' : ` AND json_type(${column}) = '${type}'`}`
      const wrong = database.get(`SELECT 1 FROM ${table} WHERE ${where} AND CASE WHEN ${isFine} THEN 0 ELSE 1 END LIMIT 1`)
      return wrong === undefined ? [] : [`a row of ${table} has no JSON${type === undefined ? '' : ` ${type}`} in ${column}`]
    }),
    ...SINGLE.filter(has).flatMap((table) => {
      const rows = Number(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'])
      return rows === 1 ? [] : [`${table} has ${rows} rows in place of one`]
    }),
  ]
}

/** All but virtual tables and what belongs to those, which SQLite checks by itself. */
function ordinaryTables(database: Database): readonly string[] {
  return database
    .all("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'")
    .map(({ name }) => String(name))
}

function columnFaults(database: Database, table: string): readonly string[] {
  const columns = database.all(`PRAGMA table_info("${table}")`).map(({ name, type, notnull, pk }) => {
    return { name: String(name), isWrong: wrongValue(`"${String(name)}"`, String(type), Number(notnull) === 0 && Number(pk) === 0) }
  })
  const anyWrong = columns.map(({ isWrong }) => isWrong).join(' OR ')
  if (database.get(`SELECT 1 FROM "${table}" WHERE ${anyWrong} LIMIT 1`) === undefined) return []
  const wrong = columns.filter(({ isWrong }) => database.get(`SELECT 1 FROM "${table}" WHERE ${isWrong} LIMIT 1`) !== undefined)
  return wrong.map(({ name }) => `a row of the table ${describe(table)} has a value in ${describe(name)} that dateline does not store`)
}

/** `typeof("at") <> 'integer' OR "at" NOT BETWEEN …`: true for a value that is of another type, or too large. */
function wrongValue(column: string, declared: string, isNullable: boolean): string {
  const type = declared.toLowerCase()
  const bounds = type === 'integer' ? `${column} NOT BETWEEN -${WHOLE_MAX} AND ${WHOLE_MAX}` : `octet_length(${column}) > ${VALUE_BYTES_MAX}`
  const wrong = `(typeof(${column}) <> '${type}' OR ${bounds})`
  return isNullable ? `(${column} IS NOT NULL AND ${wrong})` : wrong
}
