/**
 * Changing the status of many documents, and taking that back.
 *
 * Only the status is sent, so that whatever another user saves meanwhile stays. Undo puts back the version before, with the
 * time of its last change, so that old news does not come back to the top of feeds; where the document has changed since,
 * it stays as it is.
 */
import { PreconditionFailed, type BatchOperation, type Client } from '../../../client/client.ts'
import type { ModelName } from '../../../client/client-types.ts'
import type { Model } from '../../../models/schema.ts'
import { draftsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { BATCH_MAX, patiently, runBatches, withoutIndex } from '../../batches.ts'
import { t } from '../../texts.ts'
import { errorText } from '../../kit/states.ts'
import type { BulkFailure } from '../../kit/table/bulk-failures.ts'

/** A status that a document is to have. */
interface StatusChange {
  readonly id: string
  readonly status: string
}

/** What a change has made: only this version is put back. */
export interface ChangedVersion {
  readonly id: string
  readonly label: string
  readonly version: string | undefined
}

interface Changed {
  readonly undo: readonly ChangedVersion[]
  readonly failures: readonly BulkFailure[]
}

interface StatusContext {
  readonly client: Client
  readonly model: Model
}

/** Sets the status of each document, as many at a time as a request takes. */
export async function changeStatus(
  context: StatusContext,
  wanted: readonly StatusChange[],
  onProgress: (done: number) => void,
): Promise<Changed> {
  const undo: ChangedVersion[] = []
  const failures: BulkFailure[] = []
  for (let begin = 0; begin < wanted.length; begin += BATCH_MAX) {
    const part = wanted.slice(begin, begin + BATCH_MAX)
    const changed = await changePart(context, part, (done) => onProgress(begin + done))
    undo.push(...changed.undo)
    failures.push(...changed.failures)
    onProgress(begin + part.length)
  }
  return { undo, failures }
}

async function changePart(
  context: StatusContext,
  part: readonly StatusChange[],
  onProgress: (done: number) => void,
): Promise<Changed> {
  let before: ReadonlyMap<string, StoredDocument> = new Map()
  const labelFor = (id: string): string => labelOf(before.get(id) ?? { id })
  try {
    before = await patiently(() => readAll(context, part))
  } catch (error) {
    return { undo: [], failures: part.map(({ id }) => failureOf(id, id, error)) }
  }
  const due = part.filter(({ id, status }) => before.get(id)?.['status'] !== status)
  const operations = due.map(({ id, status }) => operationOn(context.model, id, { operation: 'patch', body: { status } }))
  const { results, failures } = await runBatches(context.client, operations, { onProgress })
  return {
    undo: due.flatMap(({ id }, i) => {
      const result = results[i]
      return result === undefined ? [] : [{ id, label: labelFor(id), version: result.etag }]
    }),
    failures: failures.map(({ index, error }) => {
      const id = due[index]?.id ?? ''
      return failureOf(id, labelFor(id), error)
    }),
  }
}

/** Puts back what each document was before its change. */
export async function undoChanges(
  { client, model }: StatusContext,
  changed: readonly ChangedVersion[],
  onProgress: (done: number) => void,
): Promise<readonly BulkFailure[]> {
  const operations = changed.map(({ id, version }) => operationOn(model, id, { operation: 'undo', ifMatch: version }))
  const { failures } = await runBatches(client, operations, { onProgress })
  return failures.map(({ index, error }) => failureOf(changed[index]?.id ?? '', changed[index]?.label ?? '', error))
}

function operationOn(model: Model, id: string, rest: object): BatchOperation {
  return { model: model.name as ModelName, id, ...rest } as BatchOperation
}

function failureOf(id: string, label: string, error: unknown): BulkFailure {
  const reason = error instanceof PreconditionFailed ? t('bulk.meanwhile') : withoutIndex(errorText(error))
  return { id, label, reason }
}

/** What is there of them, by id. */
async function readAll({ client, model }: StatusContext, part: readonly StatusChange[]) {
  const found = new Map<string, StoredDocument>()
  const filter = { id: { $in: part.map(({ id }) => id) } }
  for await (const document of draftsOf(client, model).iterate({ filter })) found.set(document.id, document)
  return found
}
