/**
 * Batches: up to 200 operations on documents of any models in one transaction, all or nothing. Each is checked as the
 * request of its own would be, with the rights that its caller has in the transaction. Where one fails, nothing is
 * written, and the failure is that of the request, with the index of the operation in its message and its path.
 */
import { assertNever, describe, fail, Failure } from '../base/failure.ts'
import { isNumber, isObject, type Json, type JsonObject } from '../base/json.ts'
import { ProblemFailure } from '../base/problem.ts'
import { entityTag, readPreconditions, requirePreconditions } from '../http/entity-tag.ts'
import { modelNamed, MODELS } from '../models/registry.ts'
import type { Model } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { readReplacement } from './document-usage.ts'
import type { Condition, Replacement } from '../store/documents/transaction-view.ts'

export const BATCH_OPERATIONS_MAX = 200
export const BATCH_OPERATIONS = ['create', 'replace', 'patch', 'delete', 'restore', 'undo'] as const
const MEMBERS = ['operation', 'model', 'id', 'body', 'ifMatch', 'seq', 'replaceBy']

export type BatchOperation = {
  readonly model: Model
  readonly condition: Condition | undefined
} & (
  /** The id is one that the client has given. */
  | { readonly kind: 'create'; readonly body: JsonObject; readonly id?: string }
  | { readonly kind: 'replace' | 'patch'; readonly id: string; readonly body: JsonObject }
  | { readonly kind: 'delete'; readonly id: string; readonly replacement?: Replacement | undefined }
  | { readonly kind: 'undo'; readonly id: string }
  | { readonly kind: 'restore'; readonly id: string; readonly seq: number | undefined }
)

/** Reads the operations of a body. Throws invalidInput, which names the index. */
export function readOperations(body: JsonObject): readonly BatchOperation[] {
  const { operations } = body
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > BATCH_OPERATIONS_MAX) {
    const found = Array.isArray(operations) ? `${operations.length} of them` : describe(operations)
    throw fail('invalidInput', `operations: expected an array of 1 to ${BATCH_OPERATIONS_MAX} operations, found ${found}`)
  }
  return operations.map((one: Json, index) => atIndex(index, () => readOperation(one)))
}

function readOperation(value: Json): BatchOperation {
  if (!isObject(value)) throw fail('invalidInput', `expected an object, found ${describe(value)}`)
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) {
    throw fail('invalidInput', `expected no members but ${MEMBERS.join(', ')}, found ${describe(unknown)}`)
  }
  const { operation, model: name } = value
  const kind = BATCH_OPERATIONS.find((one) => one === operation)
  if (kind === undefined) throw wrong('operation', `one of ${BATCH_OPERATIONS.join(', ')}`, operation)
  const model = typeof name === 'string' ? modelNamed(name) : undefined
  if (model === undefined) throw wrong('model', `one of ${MODELS.map((one) => one.name).join(', ')}`, name)
  if (model === user && (kind === 'create' || kind === 'delete')) {
    throw fail('invalidInput', `a user cannot be part of a batch that would ${kind} it: send that request alone`)
  }
  for (const [member, { wanted, holds }] of Object.entries({ ...NOTHING_ELSE, ...WANTED[kind] })) {
    if (!holds(value[member])) throw wrong(member, wanted, value[member])
  }
  const { id, body, ifMatch, seq, replaceBy } = value as { readonly id: string; readonly body: JsonObject } & Readonly<Record<string, Json>>
  const target = { model, condition: conditionOf(ifMatch) }
  switch (kind) {
    case 'create':
      return { kind, ...target, body }
    case 'replace':
    case 'patch':
      return { kind, ...target, id, body }
    case 'delete':
      return { kind, ...target, id, replacement: readReplacement(model, id, replaceBy as string | undefined) }
    case 'undo':
      return { kind, ...target, id }
    case 'restore':
      return { kind, ...target, id, seq: seq === undefined ? undefined : Number(seq) }
    default:
      return assertNever(kind)
  }
}

/** What a member has to be, in words and as a test. */
interface Wanted {
  readonly wanted: string
  readonly holds: (value: Json | undefined) => boolean
}

const isText = (value: Json | undefined): boolean => typeof value === 'string'
const orNone = (holds: Wanted['holds']): Wanted['holds'] => (value) => value === undefined || holds(value)
const none = (wanted = 'none'): Wanted => ({ wanted, holds: (value) => value === undefined })
const ID: Wanted = { wanted: 'the id of a document', holds: isText }
const BODY: Wanted = { wanted: 'an object', holds: isObject }
const IF_MATCH: Wanted = { wanted: 'an ETag in its quotes or *', holds: orNone(isText) }
const SEQ: Wanted = { wanted: 'the number of a change', holds: orNone((value) => isNumber(value) && Number.isSafeInteger(Number(value)) && Number(value) > 0) }

/** What each kind of operation has besides its name and its model. */
const WANTED: Readonly<Record<(typeof BATCH_OPERATIONS)[number], Readonly<Record<string, Wanted>>>> = {
  create: { id: none('none, as the server gives it'), ifMatch: none('none, as there is no version of a new document'), body: BODY },
  replace: { id: ID, ifMatch: IF_MATCH, body: BODY },
  patch: { id: ID, ifMatch: IF_MATCH, body: BODY },
  delete: { id: ID, ifMatch: IF_MATCH, replaceBy: { wanted: 'the id of a document', holds: orNone(isText) } },
  restore: { id: ID, ifMatch: IF_MATCH, seq: SEQ },
  undo: { id: ID, ifMatch: { wanted: 'the ETag that the change to be undone gave', holds: (value) => isText(value) && value !== '*' } },
}
/** For what a kind does not have. */
const NOTHING_ELSE = { seq: none(), replaceBy: none(), body: none() }

function conditionOf(ifMatch: Json | undefined): Condition | undefined {
  if (typeof ifMatch !== 'string') return undefined
  const conditions = readPreconditions({ 'if-match': ifMatch })
  return conditions && ((text) => requirePreconditions(conditions, entityTag(text)))
}

function wrong(name: string, wanted: string, found: Json | undefined): Failure {
  return fail('invalidInput', `${name}: expected ${wanted}, found ${describe(found)}`)
}

/** Runs the work of one operation, and puts its index in front of what it throws. */
export function atIndex<T>(index: number, work: () => T): T {
  return inPart(operationAt(index), work)
}

/** The same for work that takes its time. */
export function atIndexLater<T>(index: number, work: () => Promise<T>): Promise<T> {
  return inPartLater(operationAt(index), work)
}

/** A part of a request that is a request of its own, as messages name it, and its body, in which paths of problems begin. */
export interface RequestPart {
  readonly name: string
  readonly body: string
}

function operationAt(index: number): RequestPart {
  return { name: `operations[${index}]`, body: `operations[${index}].body` }
}

/** Runs the work of one part, and puts its name in front of what it throws. */
export function inPart<T>(part: RequestPart, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw named(part, error)
  }
}

/** The same for work that takes its time. */
export async function inPartLater<T>(part: RequestPart, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw named(part, error)
  }
}

function named({ name, body }: RequestPart, error: unknown): unknown {
  if (error instanceof ProblemFailure) {
    const { path, ...problem } = error.problem
    return new ProblemFailure({ ...problem, path: path === '' ? name : `${body}.${path}` })
  }
  if (!(error instanceof Failure) || error.status >= 429) return error
  return fail(error.code, `${name}: ${error.message}`, { headers: error.headers, cause: error.cause })
}

/** The result of one operation: its status, and the document as it was written, which a deletion has none of. */
export interface BatchResult {
  readonly status: 200 | 201 | 204
  readonly text: string | undefined
}

/** `data` of the response. `shown` gives what the caller may see of the text of an operation. */
export function batchResponse(results: readonly BatchResult[], shown: (text: string, index: number) => string): string {
  const parts = results.map(({ status, text }, index) =>
    text === undefined
      ? `{"status":${status}}`
      : `{"status":${status},"etag":${JSON.stringify(entityTag(text))},"document":${shown(text, index)}}`,
  )
  return `{"results":[${parts.join()}]}`
}
