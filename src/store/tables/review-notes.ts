/**
 * Notes of administrators with drafts that they gave back: the last of each draft, until it is published or gone. A node
 * of a cluster that is not upgraded yet has neither their table nor the index of what was handed in.
 */
import { fail } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { isReviewed } from '../../models/reviewed.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'
import { tableOf, valueAt } from '../sqlite/schema-sql.ts'
import type { ReviewNote } from '../store.ts'

/** Notes that one write clears away. */
const PURGE_ROWS_MAX = 50

export const REVIEW_NOTE_SCHEMA = `
  -- What an administrator wrote when giving a draft back to its author.
  CREATE TABLE review_note (
    model TEXT NOT NULL, id TEXT NOT NULL, note TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (model, id)
  ) WITHOUT ROWID;
`

/** Files that have the table: a schema is never lowered. */
const known = new WeakSet<Database>()

export function hasReview(database: Database): boolean {
  if (known.has(database)) return true
  if (database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'review_note'") === undefined) return false
  known.add(database)
  return true
}

/** Throws conflict for a draft that is handed in where no queue would have it. */
export function requireReview(database: Database, model: Model, stored: JsonObject | undefined, next: JsonObject): void {
  const { handedInAt = null } = next
  if (!isReviewed(model) || handedInAt === null || handedInAt === stored?.['handedInAt'] || hasReview(database)) return
  throw fail('conflict', `Cannot hand the ${model.name} in: the nodes of the cluster have an earlier schema: run "dateline cluster upgrade"`)
}

/** Throws conflict where the nodes of the cluster have no table for it yet. */
export function putReviewNote(database: Database, model: Model, id: string, { note, at }: ReviewNote): void {
  if (!hasReview(database)) {
    throw fail('conflict', 'Cannot give a draft back: the nodes of the cluster have an earlier schema: run "dateline cluster upgrade"')
  }
  database.run(
    `DELETE FROM review_note WHERE (model, id) IN (
      SELECT model, id FROM review_note AS kept WHERE model = ?
        AND NOT EXISTS (SELECT 1 FROM ${tableOf(model)} WHERE id = kept.id AND ${valueAt('status')} = 'draft')
      LIMIT ${PURGE_ROWS_MAX})`,
    model.name,
  )
  database.run(
    'INSERT INTO review_note (model, id, note, at) VALUES (?, ?, ?, ?) ON CONFLICT (model, id) DO UPDATE SET note = excluded.note, at = excluded.at',
    model.name,
    id,
    note,
    at,
  )
}

export function removeReviewNote(database: Database, model: Model, id: string): void {
  if (hasReview(database)) database.run('DELETE FROM review_note WHERE model = ? AND id = ?', model.name, id)
}

export function reviewNote(database: Database, model: Model, id: string): ReviewNote | undefined {
  if (!hasReview(database)) return undefined
  const row = database.get('SELECT note, at FROM review_note WHERE model = ? AND id = ?', model.name, id)
  return row === undefined ? undefined : { note: String(row['note']), at: Number(row['at']) }
}
