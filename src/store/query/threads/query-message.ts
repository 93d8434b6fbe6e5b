/** Queries and their results as messages to and from a worker thread. */
import { reviveNumber } from '../../../base/decimal.ts'
import { writeJson } from '../../../base/json.ts'
import type { QueryPlan } from '../../../models/responses.ts'
import { readFilter, writeFilter } from '../../../query/ast.ts'
import type { Position, Sort } from '../../../query/order.ts'
import { foundTexts, type Answer, type FindQuery, type Found, type MatchCount } from '../find-query.ts'

export interface QueryMessage {
  readonly model: string
  readonly filter: string
  readonly sort: Sort
  readonly limit: number | undefined
  /** JSON: numbers in it may be longer than a structured clone keeps. */
  readonly after: string | undefined
  readonly counts: true | undefined
}

/** What a thread gets at its start. */
export interface ThreadData {
  /** The database. */
  readonly file: string
  /** Shared: holds the number of the task that is to stop. */
  readonly stopped: Int32Array
}

/** A query to run, or to explain within so many milliseconds. */
export type ScanTask =
  | { readonly kind: 'find'; readonly query: QueryMessage }
  | { readonly kind: 'explain'; readonly query: QueryMessage; readonly msMax: number }

/** The tasks of a thread are numbered from 1. */
export type ScanTaskMessage = ScanTask & { readonly number: number }

export type AnswerMessage =
  | { readonly kind: 'found'; readonly items: readonly string[]; readonly next: string | undefined }
  | { readonly kind: 'counted'; readonly count: MatchCount }

export type ScanResultMessage =
  | AnswerMessage
  | { readonly kind: 'explained'; readonly plan: QueryPlan }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string; readonly cause: string }
  /** It was requested to stop, and did. */
  | { readonly kind: 'stopped' }

export function writeQuery(model: string, { filter, sort, limit, after, counts }: FindQuery): QueryMessage {
  return { model, filter: writeFilter(filter), sort, limit, after: writePosition(after), counts }
}

export function readQuery({ filter, sort, limit, after, counts }: QueryMessage): FindQuery {
  return { filter: readFilter(filter), sort, limit, after: readPosition(after), ...(counts && { counts }) }
}

export function writeAnswer(answer: Found | MatchCount): AnswerMessage {
  if ('total' in answer) return { kind: 'counted', count: answer }
  return { kind: 'found', items: answer.items, next: writePosition(answer.next) }
}

/** For the query that was asked, of which the caller names the type. */
export function readAnswer<Query extends FindQuery>(message: AnswerMessage): Answer<Query> {
  const answer = message.kind === 'counted' ? message.count : foundTexts(message.items, readPosition(message.next))
  return answer as Answer<Query>
}

function writePosition(position: Position | undefined): string | undefined {
  return position === undefined ? undefined : writeJson({ keys: position.keys, id: position.id })
}

function readPosition(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  // Not parseJson(), which bounds the depth: a sort key can be almost as deep as a document, and is two levels deeper.
  return JSON.parse(text, reviveNumber) as Position
}
