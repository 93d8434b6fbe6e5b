/**
 * Saving without losing work: a version that another user saved meanwhile is shown and merged first, and a document
 * that another user deleted can be created again.
 */
import { NotFound, PreconditionFailed, type Stored } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents, Members, StoredDocument } from '../../any-documents.ts'
import { newRequestKey } from '../../request-key.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { askToSettle } from './conflict-dialog.ts'
import { sentMembers } from './document-members.ts'
import { differences, hasOnlyFollowed, likelyChoice, merged } from './three-way.ts'

export type StoredAny = Stored<StoredDocument>

export interface Storing {
  readonly model: Model
  readonly documents: Documents
  /** What the reader began with; undefined for a new document. */
  readonly before: StoredAny | undefined
  readonly body: Members
  /** The version of another user was reviewed: the editor continues from it, with these members. */
  readonly onSettled: (theirs: StoredAny, body: Members) => void
}

/** What is stored then; undefined where the reader went back to what they were writing. Throws what the server says. */
export async function storeDocument({
  model,
  documents,
  before,
  body,
  onSettled,
}: Storing): Promise<StoredAny | undefined> {
  let base = before
  let mine = body
  for (;;) {
    try {
      if (base === undefined) return await createOnce(documents, model, mine)
      return await documents.replace(base.document.id, mine, { ifMatch: base.etag })
    } catch (error) {
      const isChanged = error instanceof PreconditionFailed || error instanceof NotFound
      if (base === undefined || !isChanged) throw error
    }
    const theirs = await currentOf(documents, base.document.id)
    if (theirs === undefined) {
      const question = { title: t('editor.gone'), text: t('editor.goneText'), confirm: t('editor.createAgain') }
      if (!(await ask(question))) return undefined
      base = undefined
      continue
    }
    const different = differences(sentMembers(model, base.document), mine, sentMembers(model, theirs.document))
    if (different.length === 0) return theirs
    const conflict = { mine, different, theirs: theirs.document }
    const settled = hasOnlyFollowed(different) ? merged(mine, different, likelyChoice) : await askToSettle(conflict)
    if (settled === undefined) return undefined
    onSettled(theirs, settled)
    base = theirs
    mine = settled
  }
}

/** The key of a document whose creation got no answer: saved again as it was, it is not made twice. */
let unanswered: { readonly text: string; readonly key: string } | undefined

/** Throws what the server says. */
export async function createOnce(documents: Documents, model: Model, body: Members): Promise<StoredAny> {
  const text = JSON.stringify([model.name, body])
  if (unanswered?.text !== text) unanswered = { text, key: newRequestKey() }
  const stored = await documents.create(body, { idempotencyKey: unanswered.key })
  unanswered = undefined
  return stored
}

/** Undefined where it was deleted. */
export async function currentOf(documents: Documents, id: string): Promise<StoredAny | undefined> {
  try {
    return await documents.get(id)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
