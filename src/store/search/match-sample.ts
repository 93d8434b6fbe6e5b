/** A sample of the rows of a full-text index that match. */
import type { Database } from '../db/database.ts'

/**
 * How many rows of an FTS5 table match, up to a limit, and how close together they are: the share of rows that match among
 * those from the first to the last that was counted. Matches come in the order of rows.
 */
export function sampleMatches(database: Database, table: string, match: string, limit: number) {
  const row = database.get(
    `SELECT count(*) AS n, min(rowid) AS first, max(rowid) AS last
      FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ${limit})`,
    match,
  )
  const count = Number(row?.['n'])
  return { count, share: count === 0 ? 0 : count / (Number(row?.['last']) - Number(row?.['first']) + 1) }
}
