/**
 * Merges the segments of a full-text index into one, in steps.
 *
 * FTS5 appends what is deleted as a mark, and drops it with what it marks when segments are merged
 * (sqlite.org/fts5.html#the_merge_command): until then the terms of a deleted document stay in the file.
 */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { trigramTable, wordTable } from '../schema/search-tables.ts'

/** Of 4 KB: a step writes them in some milliseconds. */
const PAGES_PER_STEP = 64

/** The tables that hold what documents have, a row for each. */
export function documentIndexes(model: Model): readonly string[] {
  return [wordTable(model), trigramTable(model)]
}

/**
 * Takes a step; returns whether there may be more. The first one begins to merge all segments that there are, the others go
 * on with that: segments that are written meanwhile wait for the next time.
 */
export function mergeSegments(database: Database, table: string, isFirst: boolean): boolean {
  const changes = (): number => Number(database.get('SELECT total_changes() AS n')?.['n'])
  const before = changes()
  // By exec: run() would read the last rowid, and that of an internal row may be beyond what a number holds.
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${isFirst ? -PAGES_PER_STEP : PAGES_PER_STEP})`)
  // The statement itself counts as one.
  return isFirst || changes() - before > 1
}
