/** Moves a document to the other table of its model, as it is: see models/incomplete.ts. Runs inside a transaction. */
import { describe, fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { redirect } from '../references/redirects.ts'
import { getDocument, insertDocument, removeDocument, type DocumentTables } from '../documents/document-tables.ts'

export interface MovingTables extends DocumentTables {
  readonly capture: Pick<ChangeCapture, 'moving'>
}

/** Throws conflict where the id is taken. */
export function moveDocument({ capture, ...tables }: MovingTables, from: Model, to: Model, id: string): void {
  const text = getDocument(tables.database, from, id) ?? ''
  const outcome = capture.moving(() => {
    removeDocument(tables, from, id)
    return insertDocument(tables, to, { id, value: parseJson(text) as JsonObject, text })
  })
  // Of an earlier deletion: the document is there.
  redirect(tables.database, from, id, undefined)
  if (outcome !== 'inserted') throw fail('conflict', `Cannot write the ${from.name} ${describe(id)}: the id is taken`)
}
