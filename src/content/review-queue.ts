/**
 * The queue of review: drafts that were handed in, the longest waiting first, and giving one back with a note. Publishing is
 * a change like others: with the ETag that the queue has, what is published is what the administrator saw.
 */
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { fail } from '../base/failure.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import { entityTag } from '../http/entity-tag.ts'
import type { Caller } from '../models/caller.ts'
import { MODELS } from '../models/registry.ts'
import type { ReviewQueue, ReviewState } from '../models/responses.ts'
import { isReviewed } from '../models/workflow.ts'
import type { Model } from '../models/schema.ts'
import type { Requester } from '../store/actor.ts'
import { shownActor } from './shown-people.ts'
import { isInScope, requireAdministrator, requireDrafts, requireRole } from './rules/access.ts'
import type { ReviewSetting } from './rules/review.ts'
import { notFound } from './reads/document-reads.ts'
import { withDates } from './rules/publication.ts'
import type { Condition } from '../store/documents/transaction-view.ts'
import type { DocumentChange } from '../store/history/document-history.ts'
import type { ReadStore } from '../store/read-store.ts'
import type { Writable } from '../store/writes/writer.ts'

/** Of one page; those that wait behind them come when some have left the queue. */
const QUEUE_ITEMS_MAX = 25
/** Changes in which the one that handed a draft in, and the last published version, are looked for. */
const CHANGES_READ_MAX = 20

interface QueueOptions {
  readonly store: Pick<ReadStore, 'documents' | 'history'> & Writable
  readonly now: Clock
  readonly live: () => ReviewSetting
}

interface Returned {
  readonly note: string
  readonly by: Requester
  readonly condition: Condition | undefined
}

export type Reviews = ReturnType<typeof createReviewQueue>

export function createReviewQueue({ store, now, live }: QueueOptions) {
  const itemOf = (model: Model, { id, text }: { readonly id: string; readonly text: string }, caller: Caller): ReviewQueue['items'][number] => {
    const document = parseJson(text) as JsonObject
    const changes = store.history.historyOf(model, id, { limit: CHANGES_READ_MAX, before: undefined }).items
    const handIn = changes.find(isHandIn)
    const published = changes.find(({ textAfter }) => statusOf(textAfter) === 'active')
    const returned = changes.find((change) => change !== handIn && isHandedIn(change.textBefore) && !isHandedIn(change.textAfter))
    return {
      ...{ model: model.name, id, etag: entityTag(text), title: titleOf(text, id) },
      handedInAt: String(document['handedInAt']),
      by: shownActor(store, handIn?.actor, caller),
      publishedSeq: published?.seq ?? null,
      returnedSeq: returned?.seq ?? null,
      note: noteOf(model, id),
    }
  }
  /** Of the drafts that were given back last, those that the caller had handed in. */
  const returnedTo = (model: Model, caller: Caller): ReviewQueue['returned'] =>
    store.documents.returnedDrafts(model, QUEUE_ITEMS_MAX).flatMap(({ id, at, text }) => {
      const { items } = store.history.historyOf(model, id, { limit: CHANGES_READ_MAX, before: undefined })
      return items.find(isHandIn)?.actor === caller.id ? [{ model: model.name, id, title: titleOf(text, id), at: isoDate(at) }] : []
    })
  const noteOf = (model: Model, id: string): ReviewState['note'] => {
    const found = store.documents.reviewNote(model, id)
    return found === undefined ? null : { text: found.note, at: isoDate(found.at) }
  }
  return {
    queue(caller: Caller): ReviewQueue {
      const models = MODELS.filter((model) => isReviewed(model) && isInScope(model, 'read', caller))
      const items = models.flatMap((model) => store.documents.handedIn(model, QUEUE_ITEMS_MAX).map((found) => itemOf(model, found, caller)))
      const total = models.reduce((sum, model) => sum + store.documents.countHandedIn(model), 0)
      return { isOn: live().review, total, items: items.slice(0, QUEUE_ITEMS_MAX), returned: live().review ? models.flatMap((model) => returnedTo(model, caller)) : [] }
    },
    /** Throws notFound, and forbidden for a caller who may not write the model. */
    state(model: Model, id: string, caller: Caller): ReviewState {
      requireReviewed(model)
      requireRole(model, 'replace', caller, ['read'])
      requireDrafts(model, caller)
      const text = store.documents.get(model, id)
      const isDraft = statusOf(text) === 'draft'
      return { isOn: live().review, note: isDraft ? noteOf(model, id) : null }
    },
    /** Takes a draft out of the queue, with a note, and its time of publishing away. Throws notFound, conflict where it is not in it, and what the condition throws. */
    async giveBack(model: Model, id: string, { note, by, condition }: Returned): Promise<string> {
      requireReviewed(model)
      const at = now()
      const writer = store.as(
        by.acting((caller) => {
          requireRole(model, 'replace', caller)
          requireAdministrator(caller)
        }),
      )
      const text = await writer.together((_, steps) =>
        steps.giveBack(model, id, { note, at }, (stored, found) => {
          condition?.(found)
          if ((stored['handedInAt'] ?? null) === null) throw fail('conflict', `Cannot give this ${model.name} back: it is not handed in`)
          return withDates({ ...stored, updatedAt: isoDate(at) }, { handedInAt: null, publishAt: null })
        }),
      )
      if (text === undefined) throw notFound(model, id)
      return text
    },
  }
}

function requireReviewed(model: Model): void {
  if (isReviewed(model)) return
  throw fail('badRequest', `Cannot review a ${model.name}: expected a model that publishers write, such as headline`)
}

const isHandIn = ({ textBefore, textAfter }: DocumentChange): boolean => isHandedIn(textAfter) && !isHandedIn(textBefore)

function titleOf(text: string, id: string): string {
  const { title, name } = parseJson(text) as JsonObject
  return String(title ?? name ?? id)
}

const statusOf = (text: string | undefined): unknown => (text === undefined ? undefined : (parseJson(text) as JsonObject)['status'])

const isHandedIn = (text: string | undefined): boolean =>
  text !== undefined && typeof (parseJson(text) as JsonObject)['handedInAt'] === 'string'
