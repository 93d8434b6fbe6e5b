/** Deleted content that can be restored: the triggers of change-capture.ts put it there. Writes run inside a transaction. */
import { twinName } from '../../models/incomplete.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import type { Database, Row } from '../db/database.ts'
import { removeReviewNote } from '../documents/review-notes.ts'
import type { MatchCount } from '../query/find-query.ts'
import type { ChangeRecord } from './change-log.ts'
import type { HistoryPage, HistoryQuery } from './document-history.ts'

/** A deleted document that can be restored. */
export interface TrashedDocument extends Pick<ChangeRecord, 'seq' | 'id' | 'at' | 'actor'> {
  readonly text: string
}

const REMOVED_PER_STEP = 50
/** Of the documents of a page, which has at least one. */
const PAGE_CHARS_MAX = 2 * 1024 * 1024

/** What of a model is in the trash, what was deleted last first: at most `limit`, and fewer where they are long. */
export function listTrash(database: Database, model: Model, { limit, before }: HistoryQuery): HistoryPage<TrashedDocument> {
  if (limit === 0) return { items: [], hasMore: false }
  const items: TrashedDocument[] = []
  let chars = 0
  const sql = 'SELECT * FROM trash WHERE model = ? AND seq < ? ORDER BY seq DESC'
  for (const row of database.iterate(sql, model.name, before ?? Number.MAX_SAFE_INTEGER)) {
    const item = trashedOf(row)
    chars += item.text.length
    if (items.length === limit || (items.length > 0 && chars > PAGE_CHARS_MAX)) return { items, hasMore: true }
    items.push(item)
  }
  return { items, hasMore: false }
}

/** How many documents of the models are in the trash, counted in the index of its order up to a limit. */
export function countTrash(database: Database, models: readonly Model[], limit: number): MatchCount {
  const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM trash WHERE model = ? LIMIT ?)'
  const total = models.reduce((sum, { name }) => sum + Number(database.get(sql, name, limit + 1)?.['n'] ?? 0), 0)
  return { total: Math.min(total, limit), isFloor: total > limit }
}

/** The document with this id in the trash. */
export function getTrashed(database: Database, model: Model, id: string): TrashedDocument | undefined {
  const row = database.get('SELECT * FROM trash WHERE id = ? AND model = ?', id, model.name)
  return row && trashedOf(row)
}

/** Takes a document that was restored out of the trash. */
export function leaveTrash(database: Database, seq: number): void {
  database.run('DELETE FROM trash WHERE seq = ?', seq)
}

/**
 * Removes a document of the trash for good, with its note and the versions that it had in either of its tables. Those of a
 * later document with its id stay.
 */
export function eraseTrashed(database: Database, name: string, { seq, id }: Pick<TrashedDocument, 'seq' | 'id'>): void {
  leaveTrash(database, seq)
  const model = storedModelNamed(name)
  if (model !== undefined) removeReviewNote(database, model, id)
  const twin = model === undefined ? undefined : twinName(model)
  const sql = 'UPDATE change SET replaced = NULL WHERE id = ? AND model IN (?, ?) AND seq <= ? AND replaced IS NOT NULL'
  database.run(sql, id, name, twin ?? name, seq)
}

/** Removes for good some of what was deleted before a time. Returns whether there may be more. */
export function emptyTrash(database: Database, deletedBefore: number): boolean {
  const oldest = database.all(`SELECT seq, model, id, at FROM trash ORDER BY seq LIMIT ${REMOVED_PER_STEP}`)
  const due = oldest.filter(({ at }) => Number(at) < deletedBefore)
  for (const { seq, model, id } of due) eraseTrashed(database, String(model), { seq: Number(seq), id: String(id) })
  return due.length === REMOVED_PER_STEP
}

function trashedOf({ seq, id, at, actor, doc }: Row): TrashedDocument {
  return {
    ...{ seq: Number(seq), id: String(id), at: Number(at), text: String(doc) },
    actor: actor === null ? undefined : String(actor),
  }
}
