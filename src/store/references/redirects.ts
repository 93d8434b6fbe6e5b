/** Deleted documents that are replaced by others: their copies become copies of those. */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'

/** A document that replaced another may be replaced itself. */
const HOPS_MAX = 20

/** Stores which document takes the place of one that is deleted; none where its copies are kept. */
export function redirect(database: Database, model: Model, id: string, target: string | undefined): void {
  database.run('DELETE FROM redirect WHERE model = ? AND id = ?', model.name, id)
  if (target !== undefined) database.run('INSERT INTO redirect VALUES (?, ?, ?)', model.name, id, target)
}

/** The id of the document whose copies the copies of a deleted one become, which may be deleted too; undefined for none. */
export function redirectedTo(database: Database, model: Model, id: string, exists: (id: string) => boolean): string | undefined {
  let found: string | undefined = id
  for (let hops = 0; hops < HOPS_MAX && found !== undefined; hops++) {
    const row = database.get('SELECT target FROM redirect WHERE model = ? AND id = ?', model.name, found)
    found = row === undefined ? undefined : String(row['target'])
    if (found !== undefined && exists(found)) return found
  }
  return undefined
}
