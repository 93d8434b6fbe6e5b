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
import { wordsOf } from '../../kit/states.ts'

export interface StatusChange {
  readonly id: string
  readonly before: string
  readonly version: string
}

export interface ChangeFailure {
  readonly id: string
  readonly label: string
  readonly reason: string
}

export interface Changes {
  readonly changed: readonly StatusChange[]
  readonly failures: readonly ChangeFailure[]
}

export interface ChangeOptions {
  readonly documents: Documents
  readonly onProgress: (done: number) => void
}

export function changeStatus(ids: readonly string[], status: string, options: ChangeOptions): Promise<Changes> {
  return changeEach(
    ids.map((id) => ({ id, status })),
    options,
  )
}

/** Restores the former status of the documents, except those that have changed since. */
export function putBack(changed: readonly StatusChange[], options: ChangeOptions): Promise<Changes> {
  return changeEach(
    changed.map(({ id, before, version }) => ({ id, status: before, version })),
    options,
  )
}

interface Wanted {
  readonly id: string
  readonly status: string
  /** The only version that may be changed. */
  readonly version?: string
}

async function changeEach(wanted: readonly Wanted[], { documents, onProgress }: ChangeOptions): Promise<Changes> {
  const changed: StatusChange[] = []
  const failures: ChangeFailure[] = []
  let done = 0
  await eachTogether(wanted, async (one) => {
    const { id } = one
    let label = id
    try {
      const read = await patiently(() => documents.get(id))
      label = labelOf(read.document)
      const change = await changeOne(documents, read, one)
      if (change !== undefined) changed.push(change)
    } catch (error) {
      const reason = error instanceof PreconditionFailed ? t('bulk.meanwhile') : wordsOf(error)
      failures.push({ id, label, reason })
    }
    onProgress(++done)
  })
  return { changed, failures }
}

/** Undefined where there is nothing to be changed. */
async function changeOne(
  documents: Documents,
  read: Stored<StoredDocument>,
  { id, status, version }: Wanted,
): Promise<StatusChange | undefined> {
  const { document, etag } = read
  if (version !== undefined && version !== versionOf(read)) throw new Error(t('bulk.meanwhile'))
  if (document['status'] === status) return undefined
  const after = await patiently(() => documents.replace(id, { ...document, status }, { ifMatch: etag }))
  return { id, before: String(document['status']), version: versionOf(after) }
}

/** A proxy may take the entity tag away; then the time of the last change has to do. */
function versionOf({ document, etag }: Stored<StoredDocument>): string {
  return etag ?? String(document['updatedAt'])
}
