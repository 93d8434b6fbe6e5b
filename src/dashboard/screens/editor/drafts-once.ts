/**
 * Makes many drafts once. A try after a response was lost makes none of them twice, and one after an undo makes those again that
 * were taken back, and no others.
 *
 * A request whose response was lost is sent again as it was, with its key: the service answers it with what it made at first. All
 * other requests have new keys and hold only drafts that are not there.
 */
import type { BatchOperation, Client } from '../../../client/client.ts'
import type { ModelName } from '../../../client/client-types.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { runBatches, type BatchFailure } from '../../batches.ts'
import { newRequestKey } from '../../request-key.ts'

export interface DraftsMade {
  /** Of the documents that are there, also by an earlier try. */
  readonly ids: readonly string[]
  /** By the places of the drafts in the list. */
  readonly failures: readonly BatchFailure[]
  /** Whether the service told of each draft what became of it; else another try makes the rest. */
  readonly isAnswered: boolean
}

interface SentRequest {
  readonly places: readonly number[]
  readonly key: string
}

/** For as long as the reader is asked about the list: the same list later is another one, whatever became of this one's drafts. */
export function draftsOnce(client: Pick<Client, 'batch'>, { name }: Pick<Model, 'name'>, drafts: readonly Members[]) {
  const operations = drafts.map((body) => ({ operation: 'create', model: name as ModelName, body }) as unknown as BatchOperation)
  const all = drafts.map((_, place) => place)
  /** The ids of the drafts that are there, by their places in the list. */
  const made = new Map<number, string>()
  const placeOf = new Map<string, number>()
  /** Its drafts may be there, under ids that are not known. */
  let lost: SentRequest | undefined

  return {
    /** Makes those that are not there. A try that is refused as a whole, as for its rate, says nothing of the request that was lost. */
    async make(): Promise<DraftsMade> {
      const first = lost?.places ?? []
      const places = [...first, ...all.filter((place) => !made.has(place) && !first.includes(place))]
      let sent = lost
      const keyOf = (begin: number, count: number): string => {
        const isLost = begin === 0 && count === first.length
        sent = isLost && lost !== undefined ? lost : { places: places.slice(begin, begin + count), key: newRequestKey() }
        return sent.key
      }
      const due = places.flatMap((place) => operations[place] ?? [])
      const { results, failures, isBrokenOff } = await runBatches(client, due, { firstMax: first.length || undefined, keyOf })
      lost = isBrokenOff ? sent : undefined
      for (const [i, place] of places.entries()) {
        const result = results[i]
        if (result === undefined || !('document' in result)) continue
        made.set(place, String(result.document.id))
        placeOf.set(String(result.document.id), place)
      }
      return {
        ids: all.flatMap((place) => made.get(place) ?? []),
        failures: failures.map(({ index, error }) => ({ index: places[index] ?? index, error })),
        isAnswered: !isBrokenOff,
      }
    },
    /** The next try makes them again. */
    takeBack(ids: readonly string[]): void {
      for (const id of ids) {
        const place = placeOf.get(id)
        if (place !== undefined && made.get(place) === id) made.delete(place)
      }
    },
    /** They are there again: the next try passes over them. */
    bringBack(ids: readonly string[]): void {
      for (const id of ids) {
        const place = placeOf.get(id)
        if (place !== undefined && !made.has(place)) made.set(place, id)
      }
    },
  }
}
