/**
 * Puts documents back: out of the trash, as an earlier version, or as they were before their last change.
 *
 * All present rules are kept: the earlier document is checked as the body of a replacement would be, with the rights and the
 * version of the moment of writing. Out of the trash a document comes as it was deleted, its times included, and an undo
 * gives it back the `updatedAt` that it had: neither is news. An earlier version becomes a new one, with the time of now.
 */
import { describe, fail } from '../base/failure.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import { entityTag, requirePreconditions } from '../http/entity-tag.ts'
import { placesOf } from '../models/incomplete.ts'
import type { Field, Model } from '../models/schema.ts'
import type { PastUse } from './rules/past.ts'
import { notFound } from './reads/document-reads.ts'
import { authorizeAt, standingAt, type Drafts, type ReferenceLimits } from './drafts.ts'
import { changeAnywhere, historyAnywhere, placeOf } from './reads/incomplete-drafts.ts'
import { throwProblem } from './rules/problems.ts'
import { withDates } from './rules/publication.ts'
import type { Change, Condition, TransactionView } from '../store/documents/transaction-view.ts'
import type { Steps } from '../store/writes/document-writes.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Changes behind the one that is undone. */
const FOLLOWING_PASSED_MAX = 20

/** What is to be put back, and how. */
export type Restoring = { readonly model: Model; readonly id: string; readonly condition: Condition | undefined } & (
  | { readonly kind: 'restore'; readonly seq: number | undefined }
  | { readonly kind: 'undo' }
)

export interface RestoringParts {
  readonly store: Pick<ReadStore, 'documents' | 'history'>
  readonly drafts: Drafts
  /** Whether incomplete drafts are there for the request. */
  readonly includes: boolean
  /** Called with each earlier text, ahead of its parsing; throws where that is too much. */
  readonly admitEarlier?: (text: string) => Promise<void>
}

/** Puts a document back in a transaction, and returns its text. */
export type RestoreStep = (view: TransactionView, steps: Steps) => string

/** How putting something back uses the past. */
export function useOf(restoring: Pick<Restoring, 'kind'> & { readonly seq?: number | undefined }): PastUse {
  return restoring.kind === 'restore' && restoring.seq === undefined ? 'restore' : 'revert'
}

/**
 * Prepares what is read ahead of the transaction. `references` bounds what a reference may bring in. Throws notFound where
 * there is no such earlier document, and what a replacement by it would throw.
 */
export async function prepareRestore(restoring: Restoring, references: ReferenceLimits, parts: RestoringParts): Promise<RestoreStep> {
  if (restoring.kind === 'restore' && restoring.seq === undefined) return leaveTrash(restoring, references, parts)
  return revert(restoring, references, parts)
}

async function leaveTrash({ model, id, condition }: Restoring, references: ReferenceLimits, parts: RestoringParts): Promise<RestoreStep> {
  const { store, drafts, includes } = parts
  const place = placeOf(model, includes, (one) => store.history.getTrashed(one, id) !== undefined)
  const trashed = store.history.getTrashed(place, id)
  if (trashed === undefined) throw notInTrash(model, id)
  await parts.admitEarlier?.(trashed.text)
  const check = await drafts.replace(model, id, parseJson(trashed.text) as JsonObject, { references, report: throwProblem, isRestored: true, incomplete: place !== model })
  return (_, steps) => {
    let isOverdue = false
    const outcome = steps.restore(place, id, (stored, text, view) => {
      authorizeAt(view, model, 'remove', id)
      condition?.(text)
      isOverdue = stored['publishAt'] !== check(stored, standingAt(view))['publishAt']
    })
    // Coming back must not publish it.
    if (isOverdue && outcome.kind === 'restored') return steps.update(place, id, (stored) => withDates(stored, { publishAt: null })) ?? ''
    if (outcome.kind === 'restored') return outcome.text
    if (outcome.kind === 'missing') throw notInTrash(model, id)
    throw fail('conflict', `Cannot restore the ${model.name} ${describe(id)}: there is one with that id again`)
  }
}

async function revert(restoring: Restoring, references: ReferenceLimits, parts: RestoringParts): Promise<RestoreStep> {
  const { model, id, condition } = restoring
  const { drafts, includes } = parts
  const { text: earlierText, current } = earlierVersion(restoring, parts)
  await parts.admitEarlier?.(earlierText)
  const earlier = parseJson(earlierText) as JsonObject
  const replace = await drafts.replace(model, id, withoutLater(model, earlier), { references, report: throwProblem, isRestored: true, incomplete: includes })
  const change: Change = (stored, text, view) => {
    authorizeAt(view, model, 'replace', id)
    if (current === undefined) condition?.(text)
    else requirePreconditions({ match: [entityTag(current)], noneMatch: undefined }, entityTag(text))
    const next = replace(stored, standingAt(view))
    return restoring.kind === 'undo' ? { ...next, updatedAt: earlier['updatedAt'] ?? null } : next
  }
  return (view, steps) => {
    const wide = { model, id, change, isRestored: true }
    const text = includes ? changeAnywhere(view, steps, wide) : steps.revert(model, id, change)
    if (text === undefined) throw notFound(model, id)
    return text
  }
}

/**
 * The body that puts an earlier version back: a replacement leaves optional members alone that it does not name, and a time of
 * publishing that came later has to go. What was published before there was `publishedAt` keeps the one that it got then.
 */
function withoutLater(model: Model, earlier: JsonObject): JsonObject {
  const isLater = ([name, field]: [string, Field]): boolean =>
    field.kind === 'optional' && !Object.hasOwn(earlier, name) && (name !== 'publishedAt' || earlier['status'] === 'draft')
  const later = Object.entries(model.fields).filter(isLater)
  return { ...earlier, ...Object.fromEntries(later.map(([name]) => [name, null])) }
}

/**
 * The text to be put back and, of an undo, the one that it replaces: a change that came meanwhile is not undone with it. Changes
 * that only brought copies of other documents up to date are passed over; the copies follow again.
 */
function earlierVersion(restoring: Restoring, { store, includes }: RestoringParts): { readonly text: string; readonly current?: string } {
  const { model, id, condition } = restoring
  if (restoring.kind === 'restore') {
    const { seq = 0 } = restoring
    const place = placeOf(model, includes, (one) => store.history.textBehind(one, id, seq) !== undefined)
    const text = store.history.textBehind(place, id, seq)
    if (text !== undefined) return { text }
    throw fail('notFound', `Change ${seq} left no ${model.name} with the id ${describe(id)} that is kept`)
  }
  // A change that moved the document between its tables has two more.
  const lastChanges = (limit: number) =>
    historyAnywhere(store, placesOf(model, includes), id, { limit: includes ? limit + 2 : limit, before: undefined }).items
  const [newest] = lastChanges(1)
  const last = newest?.isFollowing === true ? lastChanges(FOLLOWING_PASSED_MAX).find(({ isFollowing }) => !isFollowing) : newest
  if (newest !== undefined && newest.textAfter === undefined && store.documents.get(model, id) !== undefined) {
    throw fail('conflict', `Cannot undo the last change of the ${model.name} ${describe(id)}: the document is not as that change has left it, so that another program has changed it`)
  }
  if (newest?.textAfter === undefined || last?.textAfter === undefined) throw notFound(model, id)
  condition?.(last.textAfter)
  if (last.textBefore !== undefined) return { text: last.textBefore, current: newest.textAfter }
  throw fail('notFound', `Cannot undo the last change of the ${model.name} ${describe(id)}: no version before it is kept`)
}

export function notInTrash(model: Model, id: string): Error {
  return fail('notFound', `No ${model.name} with the id ${describe(id)} is in the trash`)
}
