/** Makes many drafts once: the same list again, after a response was lost, makes none of them twice. */
import type { BatchOperation, Client } from '../../../client/client.ts'
import type { ModelName } from '../../../client/client-types.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { runBatches, type BatchFailure } from '../../batches.ts'
import { newRequestKey } from '../../request-key.ts'

export interface DraftsMade {
  /** Of the documents that were made, also by an earlier try. */
  readonly ids: readonly string[]
  readonly failures: readonly BatchFailure[]
  /** Whether the service told of each draft what became of it; else another try makes the rest. */
  readonly isAnswered: boolean
}

/** For as long as the reader is asked about the list: the same list later is another one, whatever became of this one's drafts. */
export function draftsOnce(client: Pick<Client, 'batch'>, { name }: Pick<Model, 'name'>, drafts: readonly Members[]) {
  const operations = drafts.map((body) => ({ operation: 'create', model: name as ModelName, body }) as unknown as BatchOperation)
  /** The keys of the requests are made from it. */
  let key = newRequestKey()
  /** Makes the next try a new list: the drafts of those before it were taken back. */
  const forget = (): void => void (key = newRequestKey())
  return {
    forget,
    /** A try. One that is refused as a whole, as for its rate or beside the one before, says nothing of that one: the key stays. */
    async make(): Promise<DraftsMade> {
      const { results, failures, isBrokenOff } = await runBatches(client, operations, { key })
      if (!isBrokenOff) forget()
      const ids = results.flatMap((one) => (one !== undefined && 'document' in one ? [String(one.document.id)] : []))
      return { ids, failures, isAnswered: !isBrokenOff }
    },
  }
}
