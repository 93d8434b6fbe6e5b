/** Runs batches: what can be prepared ahead of the transaction is, one operation after the other, then all are written. */
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import { writeJson } from '../base/json.ts'
import { ProblemFailure } from '../base/problem.ts'
import type { Caller } from '../models/caller.ts'
import { placeFor, placesOf } from '../models/incomplete.ts'
import type { Model, Operation } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { anyCaller, type Requester } from '../store/actor.ts'
import { requireOwner, requireRole, writtenText } from './rules/access.ts'
import { requireHistory } from './rules/past.ts'
import { atIndex, atIndexLater, batchResponse, type BatchOperation, type BatchResult } from './batch.ts'
import { existsAlready, LAST_ADMIN_DEMOTED, ownerIsMissing } from './document-check.ts'
import { notFound } from './reads/document-reads.ts'
import { prepareRestore, useOf, type Restoring, type RestoringParts } from './document-restoring.ts'
import { requireReplaceable } from './document-usage.ts'
import { authorizeAt, standingAt, type Drafts, type ReferenceLimits } from './drafts.ts'
import { changeAnywhere, placeOf } from './reads/incomplete-drafts.ts'
import { throwProblem } from './rules/problems.ts'
import type { KeepResponse } from './repeatable.ts'
import { changeUser, patchUser } from './user-changes.ts'
import type { Change, Condition, TransactionView } from '../store/documents/transaction-view.ts'
import type { Steps } from '../store/writes/document-writes.ts'
import type { ReadStore } from '../store/read-store.ts'
import type { Writable } from '../store/writes/writer.ts'

/** Writes one operation. The rights of the caller are checked right before. */
export type Step = (view: TransactionView, steps: Steps, takeChanged: TakeChanged) => BatchResult
/** Counts a stored document that an operation changes. */
type TakeChanged = (text: string) => void

const GRANT: Readonly<Record<Exclude<BatchOperation['kind'], Restoring['kind']>, Operation>> = {
  create: 'create',
  replace: 'replace',
  patch: 'replace',
  delete: 'remove',
}

const isRestoring = (operation: BatchOperation): operation is BatchOperation & Restoring =>
  operation.kind === 'restore' || operation.kind === 'undo'

/** Whether the roles of a caller allow all operations. Throws the failure of the first that they do not. */
export function requireRoles(operations: readonly BatchOperation[], caller: Caller): void {
  for (const [index, operation] of operations.entries()) {
    atIndex(index, () => {
      if (isRestoring(operation)) requireHistory(operation.model, useOf(operation), caller)
      else requireRole(operation.model, GRANT[operation.kind], caller)
    })
  }
}

export interface BatchContext {
  readonly store: RestoringParts['store'] & Pick<ReadStore, 'documents'> & Writable
  readonly drafts: Drafts
  readonly now: Clock
}

interface BatchRunContext extends Omit<BatchContext, 'drafts'> {
  /** Makes documents by a clock. */
  readonly draftsAt: (now: Clock) => Drafts
}

/**
 * Gives `data` of the response, to a caller whose roles allow all operations. They share the limits of one body: for what
 * their references bring in, and for the documents they change.
 */
export async function runBatch(
  { store, draftsAt, now: clock }: BatchRunContext,
  operations: readonly BatchOperation[],
  references: ReferenceLimits,
  { by, keep, includes }: { readonly by: Requester; readonly keep: KeepResponse | undefined; readonly includes: boolean },
): Promise<string> {
  // What is made together has one time, and so has what is changed together: lists by time keep the order of the operations.
  let time = clock()
  const now = (): number => time
  const drafts = draftsAt(now)
  const shared = sharedLimits(references)
  const earlier = sharedLimits(references)
  const steps: Step[] = []
  const shown = (text: string, index: number): string => writtenText((operations[index] as BatchOperation).model, text, by.caller)
  const textOf = ({ model, id }: Target): string | undefined => firstOf(placesOf(model, includes), (place) => store.documents.get(place, id))
  const trashedOf = ({ model, id }: Target): string | undefined =>
    firstOf(placesOf(model, includes), (place) => store.history.getTrashed(place, id)?.text)
  for (const [index, operation] of operations.entries()) {
    steps.push(
      await atIndexLater(index, async () => {
        if (isRestoring(operation)) {
          await shared.takeStored(textOf(operation) ?? trashedOf(operation) ?? '')
          return restoring(operation, shared.limits(), { store, drafts, includes, admitEarlier: earlier.takeStored })
        }
        if (operation.kind === 'replace' || operation.kind === 'patch') {
          requireOwner(operation.model, 'replace', by.caller, operation.id)
          await shared.takeStored(textOf(operation) ?? '')
        }
        return prepare(operation, { drafts, now, references: shared.limits(), by, includes, incomplete: includes || operation.kind === 'create' })
      }),
    )
  }
  return store
    .as(by.acting(anyCaller))
    .together((view, writes) => {
      time = clock()
      // Counted again: an operation may have to do with the long document that one before it has written.
      const takeChanged = changedBytes(references.bytesMax)
      const data = batchResponse(steps.map((step, index) => atIndex(index, () => step(view, writes, takeChanged))), shown)
      keep?.(writes, { status: 200, data })
      return data
    })
}

interface Target {
  readonly model: Model
  readonly id: string
}

function firstOf(places: readonly Model[], read: (place: Model) => string | undefined): string | undefined {
  return places.map(read).find((text) => text !== undefined)
}

/** The limits of one body, which its parts share: for what references bring in, and for stored documents that are parsed. */
export function sharedLimits({ bytesMax, onGrowth }: ReferenceLimits) {
  let referencesLeft = bytesMax
  const take = changedBytes(bytesMax)
  return {
    limits: (): ReferenceLimits => ({
      bytesMax: referencesLeft,
      async onGrowth(bytes) {
        referencesLeft -= bytes
        await onGrowth?.(bytes)
      },
    }),
    async takeStored(text: string): Promise<void> {
      take(text)
      await onGrowth?.(Buffer.byteLength(text))
    },
  }
}

/**
 * Counts the documents that a batch changes, each of which is parsed in the transaction, where other writers wait for it,
 * and stands in the response. Throws payloadTooLarge past the limit.
 */
export function changedBytes(bytesMax: number): TakeChanged {
  let left = bytesMax
  return (text) => {
    left -= Buffer.byteLength(text)
    if (left >= 0) return
    const wanted = `documents of at most ${bytesMax} bytes that one batch changes`
    throw fail('payloadTooLarge', `Cannot take a batch of this size: expected ${wanted}, found more`)
  }
}

export interface Preparing {
  readonly drafts: Drafts
  readonly now: Clock
  readonly references: ReferenceLimits
  readonly by: Requester
  /** Whether incomplete drafts are there for the request, and whether its body may make one. */
  readonly includes: boolean
  readonly incomplete: boolean
}

/** Checks an operation as far as it can be ahead of its transaction. Throws what the request of its own would. */
export async function prepare(operation: Exclude<BatchOperation, Restoring>, preparing: Preparing): Promise<Step> {
  const { model, condition } = operation
  const { drafts, now, references, includes, incomplete } = preparing
  if (operation.kind === 'create') return creation(operation, preparing)
  const { id } = operation
  if (operation.kind === 'delete') {
    return (view, steps) => {
      authorizeAt(view, model, 'remove', id)
      const place = placeOf(model, includes, (one) => view.textOf(one, id) !== undefined)
      requireReplaceable(model, place, id, operation.replacement)
      const admitted: Condition = (text) => {
        condition?.(text)
        drafts.admitRemoval(model, { text, isReplaced: operation.replacement !== undefined }, standingAt(view))
      }
      if (!steps.remove(place, id, admitted, operation.replacement)) throw notFound(model, id)
      return { status: 204, text: undefined }
    }
  }
  const replacing = { references, report: throwProblem, incomplete }
  const apply = async (): Promise<Change> => {
    const { kind, body } = operation
    if (model === user) {
      const change = kind === 'patch' ? patchUser(body, now()) : changeUser(body, { now: now(), report: throwProblem })
      return (stored, _, view) => change(stored, standingAt(view).caller)
    }
    if (kind === 'patch') {
      const { change } = await drafts.patch(model, id, body, replacing)
      return (stored, text, view) => change(stored, text, standingAt(view))
    }
    const change = await drafts.replace(model, id, body, replacing)
    return (stored, _, view) => change(stored, standingAt(view))
  }
  const change = await apply()
  return (view, steps, takeChanged) => {
    const checked: Change = (stored, text, view) => {
      authorizeAt(view, model, 'replace', id)
      condition?.(text)
      takeChanged(text)
      return change(stored, text, view)
    }
    const update = () =>
      includes ? changeAnywhere(view, steps, { model, id, change: checked }) : steps.update(model, id, checked)
    const text = model === user ? steps.updateUser(id, checked) : update()
    if (text === undefined || text === 'missing') throw notFound(model, id)
    if (text === 'last-admin') throw new ProblemFailure(LAST_ADMIN_DEMOTED)
    return { status: 200, text }
  }
}

async function restoring(
  operation: Restoring,
  references: ReferenceLimits,
  parts: RestoringParts,
): Promise<Step> {
  const restore = await prepareRestore(operation, references, parts)
  return (view, steps, takeChanged) => {
    const text = restore(view, steps)
    takeChanged(text)
    return { status: 200, text }
  }
}

async function creation(
  { model, body, id }: BatchOperation & { readonly kind: 'create' },
  { drafts, references, by, incomplete }: Preparing,
): Promise<Step> {
  const given = id === undefined ? {} : { id }
  const { document, admit } = await drafts.create(model, body, {
    ...{ caller: by.caller, references, report: throwProblem, incomplete },
    ...given,
  })
  const text = writeJson(document.value)
  return (view, steps) => {
    authorizeAt(view, model, 'create', document.id)
    const outcome = steps.insert(placeFor(model, document.value), { ...document, text }, (at) => admit(standingAt(at)))
    if (outcome === 'inserted') return { status: 201, text }
    throw new ProblemFailure(outcome === 'exists' ? existsAlready(model, document.id) : ownerIsMissing(document.id))
  }
}
