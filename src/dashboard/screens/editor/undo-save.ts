/** Takes a save back: the document becomes what it was before, with the date that it had, unless it has changed since. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { labelOf } from '../../any-documents.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { t } from '../../texts.ts'
import { notify } from '../../kit/notices.ts'
import { undoChanges } from '../list/status-change.ts'
import type { StoredAny } from './store-document.ts'

export interface UndoneSave {
  readonly client: Client
  readonly model: Model
  /** What the save has stored. */
  readonly stored: StoredAny
}

/** False where it could not be: then it says why. */
export async function undoSave({ client, model, stored: { document, etag } }: UndoneSave): Promise<boolean> {
  const label = labelOf(document)
  const [failure] = await undoChanges({ client, model }, [{ id: document.id, label, version: etag }], () => {})
  documentsChanged()
  if (failure === undefined) notify(t('bulk.undone', { items: `“${label}”` }), { kind: 'done' })
  else notify(t('pair', { name: failure.label, value: failure.reason }), { kind: 'failed' })
  return failure === undefined
}
