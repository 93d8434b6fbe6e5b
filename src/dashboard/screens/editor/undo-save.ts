/** Takes a save back: the document becomes what it was before, with the date that it had, unless it has changed since. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { labelOf, type Documents } from '../../any-documents.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { t } from '../../texts.ts'
import { notify } from '../../kit/notices.ts'
import { undoChanges } from '../list/status-change.ts'
import type { StoredAny } from './store-document.ts'

export interface UndoneSave {
  readonly client: Client
  readonly model: Model
  readonly documents: Documents
  /** What the save has stored. */
  readonly stored: StoredAny
}

/** What is there then; undefined where it could not be: then it says why. */
export async function undoSave({ client, model, documents, stored: { document, etag } }: UndoneSave): Promise<StoredAny | undefined> {
  const { id } = document
  const [failure] = await undoChanges({ client, model }, [{ id, label: labelOf(document), version: etag }], () => {})
  documentsChanged()
  if (failure !== undefined) return void notify(t('pair', { name: failure.label, value: failure.reason }), { kind: 'failed' })
  const back = await documents.get(id)
  // The title may be what was taken back.
  notify(t('bulk.undone', { items: `“${labelOf(back.document)}”` }), { kind: 'done' })
  return back
}
