/**
 * Changing a member of many documents, such as the status, and taking that back.
 *
 * Only that member is sent, so that whatever another user saves meanwhile stays. Undo puts back the version before, with the
 * time of its last change, so that old news does not come back to the top of feeds; where the document has changed since,
 * it stays as it is.
 */
import { PreconditionFailed, type BatchOperation, type Client } from '../../../client/client.ts'
import type { ModelName } from '../../../client/client-types.ts'
import type { Model } from '../../../models/schema.ts'
import { draftsOf, labelOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { BATCH_MAX, patiently, runBatches, withoutIndex } from '../../batches.ts'
import { t } from '../../texts.ts'
import { errorText } from '../../kit/states.ts'
import type { BulkFailure } from '../../kit/table/bulk-failures.ts'

/** What is to become of a document: the members that change, or the reason why it cannot be; undefined where it is so already. */
export type ChangeOf = (before: StoredDocument) => { readonly body: Members } | { readonly reason: string } | undefined

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

export interface ChangeContext {
  readonly client: Client
  readonly model: Model
}

/** Changes each document, in this order, as many at a time as a request takes. */
export async function changeMany(
  context: ChangeContext,
  ids: readonly string[],
  changeOf: ChangeOf,
  onProgress: (done: number) => void,
): Promise<Changed> {
  const undo: ChangedVersion[] = []
  const failures: BulkFailure[] = []
  for (let begin = 0; begin < ids.length; begin += BATCH_MAX) {
    const part = ids.slice(begin, begin + BATCH_MAX)
    const changed = await changePart(context, part, changeOf, (done) => onProgress(begin + done))
    undo.push(...changed.undo)
    failures.push(...changed.failures)
    onProgress(begin + part.length)
  }
  return { undo, failures }
}

async function changePart(
  context: ChangeContext,
  part: readonly string[],
  changeOf: ChangeOf,
  onProgress: (done: number) => void,
): Promise<Changed> {
  let before: ReadonlyMap<string, StoredDocument> = new Map()
  const labelFor = (id: string): string => labelOf(before.get(id) ?? { id })
  try {
    before = await patiently(() => readMany(context, part))
  } catch (error) {
    return { undo: [], failures: part.map((id) => failureOf(id, id, error)) }
  }
  const wanted = part.map((id) => ({ id, change: changeOf(before.get(id) ?? { id }) }))
  const due = wanted.flatMap(({ id, change }) => (change !== undefined && 'body' in change ? [{ id, ...change }] : []))
  const impossible = wanted.flatMap(({ id, change }) => (change !== undefined && 'reason' in change ? [{ id, label: labelFor(id), reason: change.reason }] : []))
  const operations = due.map(({ id, body }) => operationOn(context.model, id, { operation: 'patch', body }))
  const { results, failures } = await runBatches(context.client, operations, { onProgress })
  return {
    undo: due.flatMap(({ id }, i) => {
      const result = results[i]
      return result === undefined ? [] : [{ id, label: labelFor(id), version: result.etag }]
    }),
    failures: [
      ...impossible,
      ...failures.map(({ index, error }) => {
        const id = due[index]?.id ?? ''
        return failureOf(id, labelFor(id), error)
      }),
    ],
  }
}

/** Puts back what each document was before its change. */
export async function undoChanges(
  { client, model }: ChangeContext,
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

/** What is there of them, by id, as many at a time as a request takes. */
export async function readMany({ client, model }: ChangeContext, ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
  const found = new Map<string, StoredDocument>()
  for (let begin = 0; begin < ids.length; begin += BATCH_MAX) {
    const filter = { id: { $in: ids.slice(begin, begin + BATCH_MAX) } }
    for await (const document of draftsOf(client, model).iterate({ filter })) found.set(document.id, document)
  }
  return found
}
