/** What a search for a text looks at: the rows of the trigram index, and those that are to take their places. */
import type { Model } from '../../../src/models/schema.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { pendingTable, trigramColumns, trigramTable } from '../../../src/store/schema/search-tables.ts'

/** As `[seq, text, id, …]`, in the order of seq. */
export function searchRows(database: Database, model: Model): readonly (readonly unknown[])[] {
  const columns = ['text', 'id', ...trigramColumns(model)].map((name) => `"${name}"`).join(', ')
  const rows = new Map(database.rows(`SELECT rowid, ${columns} FROM ${trigramTable(model)}`, []).map((row) => [row[0], row]))
  for (const [seq = null, text, kept] of database.rows(`SELECT seq, text, kept FROM ${pendingTable(model)}`, [])) {
    rows.set(seq, [seq, text, ...(JSON.parse(String(kept)) as string[])] as never)
  }
  return [...rows.values()].sort((a, b) => Number(a[0]) - Number(b[0]))
}
