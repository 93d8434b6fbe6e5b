/** Whether nodes at one position hold the same: a hash of each table, in the order of all its columns. */
import { createHash } from 'node:crypto'
import { openDatabase } from '../../src/store/db/database.ts'

/** Tables that differ between nodes, with the reason. */
const LOCAL: readonly (readonly [name: RegExp, because: string])[] = [
  [/^sqlite_/, 'statistics and sequences of SQLite itself'],
  [/_search(_|$)/, 'a search index depends on when it took rows over; check compares its words with the documents'],
]

export interface NodeTables {
  readonly node: number
  /** Hash and number of rows by table. */
  readonly tables: ReadonlyMap<string, string>
}

/** Reads the file of a node that does not run. */
export function hashTables(node: number, file: string): NodeTables {
  const database = openDatabase(file, { readOnly: true })
  try {
    const names = database
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .map((row) => String(row['name']))
      .filter((name) => !LOCAL.some(([pattern]) => pattern.test(name)))
    return { node, tables: new Map(names.map((name) => [name, hashOf(name)])) }
  } finally {
    database.close()
  }

  function hashOf(name: string): string {
    const columns = database.all(`PRAGMA table_info("${name}")`).map((row) => `"${String(row['name'])}"`)
    const hash = createHash('sha256')
    let count = 0
    for (const row of database.all(`SELECT ${columns.join()} FROM "${name}" ORDER BY ${columns.map((_, i) => i + 1).join()}`)) {
      hash.update(`${JSON.stringify(row, (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value))}\n`)
      count++
    }
    return `${hash.digest('hex').slice(0, 16)} of ${count} rows`
  }
}

/** Returns a text for each table that is not the same everywhere. */
export function differencesOf(nodes: readonly NodeTables[]): readonly string[] {
  const names = new Set(nodes.flatMap(({ tables }) => [...tables.keys()]))
  return [...names].flatMap((name) => {
    const found = nodes.map(({ node, tables }) => `node ${node} has ${tables.get(name) ?? 'none'}`)
    const isSame = new Set(nodes.map(({ tables }) => tables.get(name))).size === 1
    return isSame ? [] : [`the table ${name} differs: ${found.join(', ')}`]
  })
}
