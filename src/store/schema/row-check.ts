/**
 * Whether a file of our schema has rows that this program can work with, beyond their types and constraints, which
 * `PRAGMA integrity_check` looks at: an integer may be one that a double cannot hold, which node:sqlite refuses to read.
 */
import { describe } from '../../base/failure.ts'
import type { Database } from '../db/database.ts'

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
