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
const RANGES_PER_QUERY = 20

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
  const value = valueAt(path)
  // SELECT id, doc FROM (SELECT id, doc FROM "headline" WHERE … LIMIT ?) UNION ALL SELECT …: forms of an address make forty ranges.
  const arm = `SELECT id, doc FROM (SELECT id, doc FROM ${tableOf(model)} WHERE ${value} >= ? AND ${value} <= ? ORDER BY ${value}, id LIMIT ?)`
  const found: FoundText[] = []
  let chars = 0
  for (let at = 0; at < ranges.length; at += RANGES_PER_QUERY) {
    const some = ranges.slice(at, at + RANGES_PER_QUERY)
    const rows = database.cursor(some.map(() => arm).join(' UNION ALL '), some.flatMap(({ from, to }) => [from, to, limit]))
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
