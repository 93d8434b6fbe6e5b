/** Makes many drafts once: the same list again, after a response was lost, makes none of them twice. */
import { DatelineError, type BatchOperation, type Client } from '../../../client/client.ts'
import type { ModelName } from '../../../client/client-types.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { runBatches, type BatchFailure } from '../../batches.ts'
import { newRequestKey } from '../../request-key.ts'

/** The key of a list of which a request got no answer, from which the keys of its requests are made. */
let unanswered: { readonly text: string; readonly key: string } | undefined

export interface DraftsMade {
  /** Of the documents that were made, also by an earlier try. */
  readonly ids: readonly string[]
  readonly failures: readonly BatchFailure[]
  /** Whether each request got an answer; else the same list again makes the rest. */
  readonly isAnswered: boolean
  /** Makes the same list new ones: those of this try were taken back. */
  readonly forget: () => void
}

export async function makeDraftsOnce(client: Pick<Client, 'batch'>, { name }: Pick<Model, 'name'>, drafts: readonly Members[]): Promise<DraftsMade> {
  const text = JSON.stringify([name, drafts])
  const { key } = (unanswered = unanswered?.text === text ? unanswered : { text, key: newRequestKey() })
  const forget = (): void => {
    if (unanswered?.key === key) unanswered = undefined
  }
  const operations = drafts.map((body) => ({ operation: 'create', model: name as ModelName, body }) as unknown as BatchOperation)
  const { results, failures } = await runBatches(client, operations, { key })
  const isAnswered = !failures.some(({ error }) => mayBeDone(error))
  if (isAnswered) forget()
  const ids = results.flatMap((one) => (one !== undefined && 'document' in one ? [String(one.document.id)] : []))
  return { ids, failures, isAnswered, forget }
}

/** Whether the service may have done what was asked for: it gave no answer, or failed itself. */
function mayBeDone(error: unknown): boolean {
  return !(error instanceof DatelineError) || error.status === 0 || error.status >= 500
}
