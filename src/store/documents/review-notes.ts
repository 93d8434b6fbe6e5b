/**
 * Notes of administrators with drafts that they gave back: the last of each draft, until the draft gets another status (a
 * trigger removes the note), or is gone for good.
 */
import { publicName, twinName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'

/** Writes inside a transaction that several share: each is there for the next, and what one throws undoes all. */
export interface ReviewNote {
  readonly note: string
  readonly at: number
}

/** A draft that was given back, as it is now. */
interface ReturnedDraft {
  readonly id: string
  readonly at: number
  readonly text: string
}

export function putReviewNote(database: Database, model: Model, id: string, { note, at }: ReviewNote): void {
  database.run(
    'INSERT INTO review_note (model, id, note, at) VALUES (?, ?, ?, ?) ON CONFLICT (model, id) DO UPDATE SET note = excluded.note, at = excluded.at',
    model.name,
    id,
    note,
    at,
  )
}

/** Removes the note of a document that is gone for good: one that is neither stored nor in the trash. */
export function removeReviewNote(database: Database, model: Model, id: string): void {
  const names = [publicName(model), twinName(model)].flatMap((name) => name ?? [])
  const isThere = names.map((name) => `SELECT 1 FROM "${name}" WHERE id = ?1`)
  const isTrashed = `SELECT 1 FROM trash WHERE id = ?1 AND model IN (${names.map((name) => `'${name}'`).join(', ')})`
  database.run(
    `DELETE FROM review_note WHERE id = ?1 AND model = ?2 AND NOT EXISTS (${[...isThere, isTrashed].join(' UNION ALL ')})`,
    id,
    publicName(model),
  )
}

/** Drafts of a reviewed model that were given back and not handed in since, the last one first, at most `limit`. */
export function returnedDrafts(database: Database, model: Model, limit: number): readonly ReturnedDraft[] {
  const sql = `SELECT note.id, note.at, draft.doc FROM review_note AS note JOIN ${tableOf(model)} AS draft ON draft.id = note.id
    WHERE note.model = ? AND draft.doc ->> '$."status"' = 'draft' AND draft.doc ->> '$."handedInAt"' IS NULL ORDER BY note.at DESC LIMIT ?`
  return database.all(sql, model.name, limit).map((row) => ({ id: String(row['id']), at: Number(row['at']), text: String(row['doc']) }))
}

/** The note with which a draft was given back. */
export function reviewNote(database: Database, model: Model, id: string): ReviewNote | undefined {
  const row = database.get('SELECT note, at FROM review_note WHERE model = ? AND id = ?', model.name, id)
  return row === undefined ? undefined : { note: String(row['note']), at: Number(row['at']) }
}
