/** Documents by a text of theirs, over the index of a sought path. */
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import type { DocumentStore, FoundText } from '../store.ts'

/** Of all texts together, but for the last: a document may have two megabytes. */
const CHARS_MAX = 4 * 1024 * 1024

/** For a model whose table is there. */
export function lookUpIn(database: Database): DocumentStore['lookUp'] {
  return (model, path, ranges, limit) => {
    const value = valueAt(path)
    const sql = `SELECT id, doc FROM ${tableOf(model)} WHERE ${value} >= ? AND ${value} <= ? ORDER BY ${value}, id LIMIT ?`
    const found: FoundText[] = []
    let chars = 0
    for (const { from, to } of ranges) {
      const rows = database.cursor(sql, [from, to, limit])
      try {
        for (let row = rows.next(); row !== undefined; row = rows.next()) {
          const [id, text] = row.map(String) as [string, string]
          found.push({ id, text })
          chars += text.length
          if (chars >= CHARS_MAX) return found
        }
      } finally {
        rows.close()
      }
    }
    return found
  }
}
