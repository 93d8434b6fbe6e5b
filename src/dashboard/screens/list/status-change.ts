/**
 * Changing the status of many documents, and putting it back.
 *
 * Each document is read and replaced in the version that was read: a version that another user saves meanwhile is never
 * overwritten. Undo requires more: that the document has not changed since this change.
 */
import { PreconditionFailed, type Stored } from '../../../client/client.ts'
import { labelOf, type Documents, type StoredDocument } from '../../any-documents.ts'
import { eachTogether, patiently } from '../../removal.ts'
import { t } from '../../texts.ts'
import { errorText } from '../../kit/states.ts'

/** A status that a document is to have. */
export interface StatusChange {
  readonly id: string
  readonly status: string
  /** The only version that may be changed; absent for any. */
  readonly version?: string
}

export interface ChangeFailure {
  readonly id: string
  readonly label: string
  readonly reason: string
}

/** Sets the status of each document. `undo` restores the former ones, unless a document has changed since. */
export async function changeStatus(
  wanted: readonly StatusChange[],
  documents: Documents,
  onProgress: (done: number) => void,
) {
  const undo: StatusChange[] = []
  const failures: ChangeFailure[] = []
  let done = 0
  await eachTogether(wanted, async (one) => {
    const { id } = one
    let label = id
    try {
      const read = await patiently(() => documents.get(id))
      label = labelOf(read.document)
      const back = await changeOne(documents, read, one)
      if (back !== undefined) undo.push(back)
    } catch (error) {
      const reason = error instanceof PreconditionFailed ? t('bulk.meanwhile') : errorText(error)
      failures.push({ id, label, reason })
    }
    onProgress(++done)
  })
  return { undo, failures }
}

/** What undoes the change; undefined where there is nothing to be changed. */
async function changeOne(
  documents: Documents,
  read: Stored<StoredDocument>,
  { id, status, version }: StatusChange,
): Promise<StatusChange | undefined> {
  const { document, etag } = read
  if (version !== undefined && version !== versionOf(read)) throw new Error(t('bulk.meanwhile'))
  if (document['status'] === status) return undefined
  const after = await patiently(() => documents.replace(id, { ...document, status }, { ifMatch: etag }))
  return { id, status: String(document['status']), version: versionOf(after) }
}

/** A proxy may take the entity tag away; then the time of the last change has to do. */
function versionOf({ document, etag }: Stored<StoredDocument>): string {
  return etag ?? String(document['updatedAt'])
}
