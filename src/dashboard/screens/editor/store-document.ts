/**
 * Saving without losing work: a version that another user saved meanwhile is shown and merged first, and a document
 * that another user deleted can be created again.
 */
import { NotFound, PreconditionFailed, type Stored } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents, Members, StoredDocument } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { askToSettle } from './conflict-dialog.ts'
import { sentMembers } from './document-members.ts'
import { differences } from './three-way.ts'

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
      if (base === undefined) return await documents.create(mine)
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
    const settled = await askToSettle({ mine, different, theirs: theirs.document })
    if (settled === undefined) return undefined
    onSettled(theirs, settled)
    base = theirs
    mine = settled
  }
}

async function currentOf(documents: Documents, id: string): Promise<StoredAny | undefined> {
  try {
    return await documents.get(id)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
