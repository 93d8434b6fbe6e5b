/** Documents by a text of theirs, over the index of a sought path. */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'

/** Texts by their code points, both ends included. */
export interface TextRange {
  readonly from: string
  readonly to: string
}

/** A document and its JSON text. */
export interface FoundText {
  readonly id: string
  readonly text: string
  /** Where it is, for one that is not stored. */
  readonly at?: string
}

/** lookUp() of one database, and of what a write sees. */
export type LookUp = (model: Model, path: string, ranges: readonly TextRange[], limit: number) => readonly FoundText[]

/** Of all texts together, but for the last: a document may have two megabytes. */
const CHARS_MAX = 4 * 1024 * 1024
/** Ranges that one statement looks at. */
const RANGES_PER_QUERY = 100

/**
 * Documents whose text at a sought path is in one of the ranges, in its order: at most `limit` for each, and fewer where
 * they are long. The table of the model is there.
 */
export function lookUp(
  database: Database,
  model: Model,
  path: string,
  ranges: readonly TextRange[],
  limit: number,
): readonly FoundText[] {
  const found: FoundText[] = []
  let chars = 0
  for (let at = 0; at < ranges.length;) {
    const some = ranges.slice(at, at + RANGES_PER_QUERY)
    const rows = database.cursor(selectIn(model, path, some.length), some.flatMap(({ from, to }) => [from, to]))
    // Behind a range that has more documents, the next statement begins with the next range.
    let [range, count, next] = [-1, 0, at + some.length]
    try {
      for (let row = rows.next(); row !== undefined; row = rows.next()) {
        const [of, id, text] = [Number(row[0]), String(row[1]), String(row[2])]
        count = of === range ? count + 1 : 1
        range = of
        if (count > limit) {
          next = at + range + 1
          break
        }
        found.push({ id, text })
        chars += text.length
        if (chars >= CHARS_MAX) return found
      }
    } finally {
      rows.close()
    }
    at = next
  }
  return found
}

/**
 * WITH range (n, low, high) AS (VALUES (0, ?, ?), …) SELECT n, id, doc FROM range CROSS JOIN "headline" WHERE … >= low AND … <= high
 *
 * Forms of an address make forty ranges. As arms of a UNION they would take forty times as long, most of it to open cursors.
 */
function selectIn(model: Model, path: string, ranges: number): string {
  const key = `${model.name} ${path} ${ranges}`
  const known = STATEMENTS.get(key)
  if (known !== undefined) return known
  const value = valueAt(path)
  const values = Array.from({ length: ranges }, (_, n) => `(${n}, ?, ?)`).join(', ')
  const sql = `WITH range (n, low, high) AS (VALUES ${values}) SELECT n, id, doc FROM range CROSS JOIN ${tableOf(model)} WHERE ${value} >= low AND ${value} <= high`
  STATEMENTS.set(key, sql)
  return sql
}

/** Of each model and path that are looked up, for each number of ranges: as many as models declare, and RANGES_PER_QUERY. */
const STATEMENTS = new Map<string, string>()
