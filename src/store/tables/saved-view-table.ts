/** Lists of the dashboard that users have named: how each is narrowed and sorted, as its URL says it. They go with their user. */
import { fail } from '../../base/failure.ts'
import type { Database, Row } from '../sqlite/database.ts'
import type { SavedView, ViewSaved } from '../store.ts'

/** Of one user. */
export const VIEWS_MAX = 50

export const SAVED_VIEW_SCHEMA = `
  -- Lists of the dashboard that users have named; query is that of the URL.
  CREATE TABLE saved_view (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, name TEXT NOT NULL,
    model TEXT NOT NULL, query TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX saved_view_user ON saved_view (user_id, name, id);
`

/** In the order of their names. */
export function viewsOf(database: Database, userId: string): readonly SavedView[] {
  if (!hasTable(database)) return []
  return database.all('SELECT * FROM saved_view WHERE user_id = ? ORDER BY name, id', userId).map(viewOf)
}

/** Throws conflict before the nodes of a cluster have the table. */
export function addView(database: Database, { id, userId, name, model, query }: SavedView): ViewSaved {
  if (!hasTable(database)) {
    throw fail('conflict', 'Cannot save a view: the nodes of the cluster have an earlier schema: run "dateline cluster upgrade"')
  }
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
  return hasTable(database) && database.run(sql, name, model, query, id, userId) === 1 ? 'saved' : 'missing'
}

/** Removes a view of the user; undefined where it has none with this id. */
export function removeView(database: Database, userId: string, id: string): SavedView | undefined {
  if (!hasTable(database)) return undefined
  const row = database.get('DELETE FROM saved_view WHERE id = ? AND user_id = ? RETURNING *', id, userId)
  return row && viewOf(row)
}

/** A node of a cluster works with the schema before until all nodes are upgraded. */
function hasTable(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE name = 'saved_view'") !== undefined
}

function viewOf({ id, user_id: userId, name, model, query }: Row): SavedView {
  return { id: String(id), userId: String(userId), name: String(name), model: String(model), query: String(query) }
}
