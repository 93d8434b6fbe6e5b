/** Notes of administrators with drafts that they gave back: the last of each draft, until it is published or gone. */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import type { ReviewNote } from '../store.ts'

/** Notes that one write clears away. */
const PURGE_ROWS_MAX = 50

export function putReviewNote(database: Database, model: Model, id: string, { note, at }: ReviewNote): void {
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
  database.run('DELETE FROM review_note WHERE model = ? AND id = ?', model.name, id)
}

export function reviewNote(database: Database, model: Model, id: string): ReviewNote | undefined {
  const row = database.get('SELECT note, at FROM review_note WHERE model = ? AND id = ?', model.name, id)
  return row === undefined ? undefined : { note: String(row['note']), at: Number(row['at']) }
}
