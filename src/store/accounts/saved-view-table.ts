/** Lists of the dashboard that users have named: how each is narrowed and sorted, as its URL says it. They go with their user. */
import type { Database, Row } from '../db/database.ts'

/** A list of the dashboard that a user has named. */
export interface SavedView {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly model: string
  /** That of the URL of the list. */
  readonly query: string
}

export type ViewSaved = 'saved' | 'full' | 'missing'

/** Of one user. */
export const VIEWS_MAX = 50

/** The saved views of a user, by their names. */
export function viewsOf(database: Database, userId: string): readonly SavedView[] {
  return database.all('SELECT * FROM saved_view WHERE user_id = ? ORDER BY name, id', userId).map(viewOf)
}

export function addView(database: Database, { id, userId, name, model, query }: SavedView): ViewSaved {
  if (viewsOf(database, userId).length >= VIEWS_MAX) return 'full'
  const added = database.run(
    'INSERT INTO saved_view (id, user_id, name, model, query) SELECT ?, id, ?, ?, ? FROM user WHERE id = ?',
    ...[id, name, model, query, userId],
  )
  return added === 1 ? 'saved' : 'missing'
}

/** Replaces a view of the user; one of another user is missing. */
export function replaceView(database: Database, { id, userId, name, model, query }: SavedView): ViewSaved {
  const sql = 'UPDATE saved_view SET name = ?, model = ?, query = ? WHERE id = ? AND user_id = ?'
  return database.run(sql, name, model, query, id, userId) === 1 ? 'saved' : 'missing'
}

/** Removes a view of the user; undefined where it has none with this id. */
export function removeView(database: Database, userId: string, id: string): SavedView | undefined {
  const row = database.get('DELETE FROM saved_view WHERE id = ? AND user_id = ? RETURNING *', id, userId)
  return row && viewOf(row)
}

function viewOf({ id, user_id: userId, name, model, query }: Row): SavedView {
  return { id: String(id), userId: String(userId), name: String(name), model: String(model), query: String(query) }
}
