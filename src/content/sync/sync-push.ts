/**
 * Writes that RxDB's clients push: each row has the new state of a document and the state that the client took for the
 * stored one. A row whose assumption does not hold changes nothing, and its document comes back as it is stored: the
 * client resolves the conflict and pushes again. All others are written in one transaction, each with the rights and the
 * checks of the request of its own; where one of them fails, nothing is written.
 *
 * The server sets `createdAt` and `updatedAt`, and a client learns them after its push. So an assumption holds where
 * writing it would change nothing. A row whose new state is stored already is done: a client repeats a push that it got
 * no response to.
 */
import { describe, fail } from '../../base/failure.ts'
import { isObject, parseJson, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { anyCaller, type Requester } from '../../store/actor.ts'
import { prepareRestore } from '../document-restoring.ts'
import { requireHistory } from '../rules/past.ts'
import { requireRole } from '../rules/access.ts'
import { inPart, inPartLater, type RequestPart } from '../batch.ts'
import { changedBytes, prepare, sharedLimits, type BatchContext, type Step } from '../batch-runs.ts'
import { isGivenId, wrongIdMessage } from '../rules/document-ids.ts'
import { standingAt, type Likeness, type ReferenceLimits } from '../drafts.ts'
import { liveText, withoutOwnMembers } from './sync-documents.ts'

export const PUSH_ROWS_MAX = 200

interface Row {
  readonly id: string
  /** The new state; undefined where it is deleted. */
  readonly next: JsonObject | undefined
  /** What the client took for the stored document; undefined where it knew of none. */
  readonly assumed: JsonObject | undefined
  /** Whether the client says that it knows of the deletion, and wants the document back. */
  readonly knowsDeletion: boolean
}

/** Runs one row in the transaction. Returns the JSON text of the stored state where it is in conflict. */
type RowStep = (...of: Parameters<Step>) => string | undefined

export interface PushedRows {
  readonly model: Model
  /** As they were sent: they are checked here. */
  readonly rows: readonly Json[]
  readonly references: ReferenceLimits
}

/** Writes the rows of a body. Returns the JSON text of the response: an array of the conflicts. */
export async function pushRows(
  context: BatchContext,
  { model, rows: sent, references }: PushedRows,
  by: Requester,
): Promise<string> {
  const rows = readRows(sent)
  const shared = sharedLimits(references)
  const steps: RowStep[] = []
  for (const [index, row] of rows.entries()) {
    steps.push(await inPartLater(rowAt(index), () => prepareRow(context, { model, row, shared }, by)))
  }
  const conflicts = await context.store
    .as(by.acting(anyCaller))
    .together((view, writes) => {
      const takeChanged = changedBytes(references.bytesMax)
      return steps.map((step, index) => inPart(rowAt(index), () => step(view, writes, takeChanged)))
    })
  return `[${conflicts.filter((text) => text !== undefined).join()}]`
}

function rowAt(index: number): RequestPart {
  return { name: `[${index}]`, body: `[${index}].newDocumentState` }
}

function readRows(sent: readonly Json[]): readonly Row[] {
  if (sent.length > PUSH_ROWS_MAX) {
    const remedy = 'set a smaller batchSize for the push'
    throw fail('invalidInput', `Cannot take ${sent.length} rows: expected at most ${PUSH_ROWS_MAX} in one push: ${remedy}`)
  }
  const rows = sent.map((one, index) => inPart(rowAt(index), () => readRow(one)))
  const ids = new Set(rows.map(({ id }) => id))
  if (ids.size < rows.length) throw fail('invalidInput', 'Cannot take two rows of one document: expected one for each id')
  return rows
}

function readRow(value: Json): Row {
  if (!isObject(value)) throw fail('invalidInput', `expected an object, found ${describe(value)}`)
  const { newDocumentState: next, assumedMasterState: assumed = null } = value
  if (!isObject(next)) throw fail('invalidInput', `newDocumentState: expected an object, found ${describe(next)}`)
  if (assumed !== null && !isObject(assumed)) {
    throw fail('invalidInput', `assumedMasterState: expected an object or none, found ${describe(assumed)}`)
  }
  const { id } = next
  if (typeof id !== 'string') throw fail('invalidInput', `newDocumentState.id: expected a string, found ${describe(id)}`)
  return { id, next: stateOf(next), assumed: assumed === null ? undefined : stateOf(assumed), knowsDeletion: assumed?.['_deleted'] === true }
}

function stateOf(sent: JsonObject): JsonObject | undefined {
  return sent['_deleted'] === true ? undefined : withoutOwnMembers(sent)
}

interface PushedRow {
  readonly model: Model
  readonly row: Row
  readonly shared: ReturnType<typeof sharedLimits>
}

/** What can be done ahead of the transaction: a conflict that is one already needs no valid document. */
async function prepareRow(context: BatchContext, { model, row, shared }: PushedRow, by: Requester): Promise<RowStep> {
  const { store, drafts, now } = context
  const { id } = row
  requireRow(model, row, by)
  const text = store.documents.get(model, id)
  requireRole(model, row.next === undefined ? 'remove' : text === undefined ? 'create' : 'replace', by.caller)
  const trashed = text === undefined && row.knowsDeletion ? store.history.getTrashed(model, id) : undefined
  await shared.takeStored(text ?? trashed?.text ?? '')
  const likenessOf = (state: JsonObject | undefined): Promise<Likeness | undefined> =>
    state === undefined || text === undefined ? Promise.resolve(undefined) : drafts.likeness(model, id, state, shared.limits())
  const [isNext, isAssumed] = [await likenessOf(row.next), await likenessOf(row.assumed)]
  const judge = (stored: string | undefined, isTrashed: () => boolean): 'write' | 'done' | 'conflict' => {
    if (stored === undefined) {
      if (row.next === undefined) return 'done'
      // Another document with the id of a deleted one would keep that in the trash for ever.
      return row.assumed === undefined && (trashed !== undefined || !isTrashed()) ? 'write' : 'conflict'
    }
    const value = parseJson(stored) as JsonObject
    if (isNext?.(value) === true) return 'done'
    return isAssumed?.(value) === true ? 'write' : 'conflict'
  }
  const operation = operationOf(model, row, text ?? trashed?.text)
  const step =
    judge(text, () => placesOf(model, true).some((place) => store.history.getTrashed(place, id) !== undefined)) === 'write' ? await prepare(operation, { drafts, now, references: shared.limits(), by, includes: false, incomplete: false }) : undefined
  // A document that a client makes again comes out of the trash and is replaced: so what was deleted stays in its history.
  const leaveTrash =
    step === undefined || trashed === undefined
      ? undefined
      : await prepareRestore({ kind: 'restore', model, id, condition: undefined, seq: undefined }, shared.limits(), { store, drafts, includes: false })
  return (view, steps, takeChanged) => {
    const stored = view.textOf(model, id)
    takeChanged(stored ?? trashed?.text ?? '')
    const verdict = judge(stored, () => view.isTrashed(model, id))
    if (verdict === 'done') return undefined
    if (verdict === 'conflict') return stored === undefined ? deletedText(row) : liveText(stored)
    if (step === undefined) throw fail('conflict', `Cannot write ${describe(id)}: it has changed during the push: push again`)
    if (stored === undefined && leaveTrash !== undefined) {
      requireHistory(model, 'restore', standingAt(view).caller)
      leaveTrash(view, steps)
    }
    // It has been counted.
    step(view, steps, () => {})
    return undefined
  }
}

/** A user pushes its own settings and preferences, and no others, not even an administrator. */
function requireRow(model: Model, { id }: Row, { caller }: Requester): void {
  if (model.owned !== true || id === caller.id) return
  throw fail('forbidden', `Cannot push the ${model.name} ${describe(id)}: only the own one is synced`)
}

function operationOf(model: Model, { id, next }: Row, stored: string | undefined): Parameters<typeof prepare>[0] {
  const condition = undefined
  if (next === undefined) return { kind: 'delete', model, condition, id }
  if (stored !== undefined) return { kind: 'replace', model, condition, id, body: next }
  if (!isGivenId(id)) throw fail('invalidInput', `newDocumentState.id: ${wrongIdMessage('an id', id)}`)
  return { kind: 'create', model, condition, id, body: next }
}

/** The client's own state tells it what was deleted. */
function deletedText({ id, assumed, next }: Row): string {
  return writeJson({ ...(assumed ?? next), id, _deleted: true })
}
