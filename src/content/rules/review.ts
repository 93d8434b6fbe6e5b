/**
 * Review: where it is on, publishers hand drafts in, and administrators publish. `handedInAt` of a draft says that it is
 * ready, since when; it goes when the draft is published, archived or incomplete.
 *
 * What readers see is changed by administrators only: a publisher's change of it would reach them without review. So would
 * a draft that is published at a time, which an administrator has set. An archived document is seen as well, in the copies
 * of readers who have saved it, which follow its changes: publishers take it back to draft first. Copies of a draft follow nothing.
 */
import { isoDate } from '../../base/dates.ts'
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { ProblemFailure, type Problem } from '../../base/problem.ts'
import { isSameJson } from '../../base/same-json.ts'
import { audit, type AuditRecord, type AuditRole } from '../../models/audit.ts'
import { isAdmin, type Caller } from '../../models/caller.ts'
import { placeFor, publicName } from '../../models/incomplete.ts'
import { isReviewed } from '../../models/workflow.ts'
import type { Model } from '../../models/schema.ts'
import { user, type User } from '../../models/user.ts'
import { problemAt, type Report } from './problems.ts'
import { withDates } from './publication.ts'
import { parseFilter } from '../../query/parse.ts'
import type { DocumentChange } from '../../store/history/document-history.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** The setting, as it is now. */
export interface ReviewSetting {
  /** Whether only administrators publish. */
  readonly review: boolean
}

interface HandIn {
  readonly model: Model
  /** The document before; undefined for a new one. */
  readonly stored: JsonObject | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Without it, what is not stored already is dropped: an earlier version does not mean it. */
  readonly report?: Report
}

/** The document with its `handedInAt` put right: the time is the server's, and only a complete draft has one. */
export function withHandIn(next: JsonObject, { model, stored, now, report }: HandIn): JsonObject {
  if (!isReviewed(model)) return next
  const { handedInAt = null, status } = next
  if (handedInAt === null) return next
  const before = stored?.['handedInAt'] ?? null
  const isComplete = placeFor(model, next) === model
  const date = (): Json => {
    if (status !== 'draft') return null
    if (isComplete) return before ?? (report === undefined ? null : isoDate(now))
    if (before === null) report?.(problemAt('handedInAt', 'otherStatus', 'expected none while required members are missing', { choices: 'draft' }))
    return null
  }
  return withDates(next, { handedInAt: date() })
}

interface Reviewed {
  readonly stored: JsonObject | undefined
  readonly next: JsonObject
  readonly report: Report
}

/** Reports what a caller may not write while review is on. */
export function checkReview(model: Model, { stored, next, report }: Reviewed, caller: Caller): void {
  if (!isReviewed(model) || isAdmin(caller)) return
  if (stored?.['status'] === 'active') return report(published(model))
  if (next['status'] === 'active') {
    report(problemAt('status', 'needsReview', 'expected draft, found "active": review is on, so hand it in with handedInAt, and an administrator publishes it'))
  }
  if (next['status'] === 'archived' && !isUnchanged(stored, next)) {
    report(problemAt('status', 'needsReview', 'expected draft, found "archived": review is on, and readers may have saved it, so only administrators archive'))
  }
  if ((next['publishAt'] ?? null) !== null) {
    report(problemAt('publishAt', 'needsReview', 'expected none: review is on, so hand it in with handedInAt, and an administrator publishes it'))
  }
}

/** As one that comes out of the trash. */
function isUnchanged(stored: JsonObject | undefined, next: JsonObject): boolean {
  return stored !== undefined && isSameJson({ ...next, updatedAt: stored['updatedAt'] ?? null }, stored)
}

interface Removed {
  /** The JSON text of the document. */
  readonly text: string
  /** Whether another document takes its place in the copies of readers. */
  readonly isReplaced: boolean
}

/** Throws forbidden where a caller may not delete a document like this, also for good, while review is on. */
export function requireRemovable(model: Model, { text, isReplaced }: Removed, caller: Caller): void {
  if (!isReviewed(model) || isAdmin(caller)) return
  if ((parseJson(text) as JsonObject)['status'] === 'active') throw new ProblemFailure(published(model))
  if (!isReplaced) return
  const message = `Only administrators replace the copies of a ${model.name} while review is on: delete it without replaceBy`
  throw new ProblemFailure(problemAt('', 'needsReview', message))
}

/** Changes behind those that only brought copies up to date. */
const CHANGES_READ_MAX = 20
const NEWEST_FIRST = [{ path: ['time'], descending: true }]

type ReviewStore = {
  readonly history: Pick<ReadStore['history'], 'historyOf'>
  readonly documents: Pick<ReadStore['documents'], 'get' | 'find'>
}

/**
 * Whether the service may publish a draft at its time while review is on: an administrator has changed it last, or the
 * operator. A publisher may have set the time before review was turned on, and so may a token of an administrator that is
 * for the work of a publisher. Rejects as a list does where many queries wait.
 */
export async function isApproved(store: ReviewStore, model: Model, id: string, caller: QueryCaller): Promise<boolean> {
  const { items } = store.history.historyOf(model, id, { limit: CHANGES_READ_MAX, before: undefined })
  const change = items.find(({ isFollowing }) => !isFollowing)
  const actor = change?.actor
  if (change === undefined || actor === undefined) return false
  if (actor === 'operator' || actor === 'service') return true
  const account = store.documents.get(user, actor)
  if (account === undefined || !isAdmin(parseJson(account) as User)) return false
  return ((await roleAtChange(store, model, change, caller)) ?? 'admin') === 'admin'
}

/** The role in which the actor made a change; undefined where the audit trail has its record no more. */
async function roleAtChange({ documents }: ReviewStore, model: Model, { id, after }: DocumentChange, caller: QueryCaller): Promise<AuditRole | undefined> {
  const filter = parseFilter({ documentId: id, model: publicName(model), after: `"${after}"` })
  const { items } = await documents.find(audit, { filter, sort: NEWEST_FIRST, limit: 1, after: undefined }, caller)
  const [record] = items.map((text) => parseJson(text) as unknown as AuditRecord)
  return record?.role
}

function published({ name }: Model): Problem {
  const remedy = 'hand in a draft copy of it, or ask an administrator'
  return problemAt('', 'needsReview', `Only administrators change a published ${name} while review is on: ${remedy}`)
}
