/**
 * What a copy of a document should be: the document as it is, or the one that replaced it.
 *
 * A draft, complete or not, is work that is not published: its copies stay as they were until it is. Copies of a deleted document that
 * nothing replaced are kept.
 */
import { isObject, parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { isSameJson } from '../../base/same-json.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { mapCopies } from '../../models/embedding.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { getDocument, isInTwin } from '../documents/document-tables.ts'

/** Of a document, whose versions a copy is compared with. */
const CHANGES_COMPARED = 20

/** Which copies of a document are brought up to date: those of one document, those of earlier versions, or all. */
export type WhichCopies = { readonly model: string; readonly id: string } | 'earlier' | 'all'

interface Current {
  readonly document: JsonObject
  /** Whether it replaced the document that the copy is of. */
  readonly isOther: boolean
}

export type CurrentCopies = ReturnType<typeof createCurrentCopies>

/** Reads each document once; to be used within one transaction. */
export function createCurrentCopies(database: Database) {
  const known = new Map<string, Current | undefined>()
  const lookUp = (model: Model, id: string): Current | undefined => {
    const isOther = getDocument(database, model, id) === undefined
    if (isOther && isInTwin(database, model, id)) return undefined
    const exists = (other: string): boolean => getDocument(database, model, other) !== undefined
    const found = isOther ? redirectedTo(database, model, id, exists) : id
    const text = found === undefined ? undefined : getDocument(database, model, found)
    return text !== undefined && isFollowed(text) ? { document: parseJson(text) as JsonObject, isOther } : undefined
  }
  const currentOf = (model: Model, id: string): Current | undefined => {
    const key = `${model.name} ${id}`
    if (!known.has(key)) known.set(key, lookUp(model, id))
    return known.get(key)
  }
  return {
    /** The document with its copies brought up to date; the same object where they are. */
    bringUpToDate: (holder: Model, document: JsonObject, which: WhichCopies): JsonObject =>
      mapCopies(holder, document, (target, copy) => {
        const { id } = copy
        if (typeof id !== 'string') return copy
        if (typeof which === 'object' && (which.id !== id || which.model !== target.name)) return copy
        const current = currentOf(target, id)
        if (current === undefined || isSameJson(copy, current.document)) return copy
        const isKept = which === 'earlier' && !current.isOther
        if (isKept && !isEarlier(target, copy, current.document) && !wasReplaced(database, target, copy)) return copy
        return current.document
      }),
  }
}

/** Whether copies follow a document with this JSON text: it is there, and no draft. */
export function isFollowed(text: string | undefined): boolean {
  return text !== undefined && (parseJson(text) as JsonObject)['status'] !== 'draft'
}

/** Whether a document said just this until one of its last changes, which may have been in the same millisecond. */
function wasReplaced(database: Database, model: Model, copy: JsonObject): boolean {
  const sql = `SELECT 1 FROM (SELECT before FROM change WHERE id = ? AND model = ? ORDER BY seq DESC LIMIT ${CHANGES_COMPARED}) WHERE before = ?`
  return database.get(sql, String(copy['id']), model.name, entityTag(writeJson(copy)).slice(1, -1)) !== undefined
}

/**
 * Whether a copy is one of an earlier version: it has another date of change, not from before the document was made, or one
 * of the copies in it does. Clients may send copies with values of their own, which stay as they were sent.
 */
function isEarlier(model: Model, copy: JsonObject, document: JsonObject): boolean {
  const { updatedAt } = copy
  if (updatedAt !== document['updatedAt'] && String(updatedAt) >= String(document['createdAt'])) return true
  return Object.entries(model.fields).some(([name, field]) => {
    const [own, current] = [copy[name], document[name]]
    if (field.kind !== 'embedded' || !isObject(own) || !isObject(current)) return false
    return own['id'] !== current['id'] || isEarlier(field.model, own, current)
  })
}

// Deleted documents that are replaced by others: their copies become copies of those.

/** A document that replaced another may be replaced itself. */
const HOPS_MAX = 20

/** Stores which document takes the place of one that is deleted; none where its copies are kept. */
export function redirect(database: Database, model: Model, id: string, target: string | undefined): void {
  database.run('DELETE FROM redirect WHERE model = ? AND id = ?', model.name, id)
  if (target !== undefined) database.run('INSERT INTO redirect VALUES (?, ?, ?)', model.name, id, target)
}

/** The id of the document whose copies the copies of a deleted one become, which may be deleted too; undefined for none. */
function redirectedTo(database: Database, model: Model, id: string, exists: (id: string) => boolean): string | undefined {
  let found: string | undefined = id
  for (let hops = 0; hops < HOPS_MAX && found !== undefined; hops++) {
    const row = database.get('SELECT target FROM redirect WHERE model = ? AND id = ?', model.name, found)
    found = row === undefined ? undefined : String(row['target'])
    if (found !== undefined && exists(found)) return found
  }
  return undefined
}
