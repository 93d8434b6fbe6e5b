/** A query for a page of documents or for their number, and its caller. */
import type { Filter } from '../../query/ast.ts'
import type { Sort, Position } from '../../query/order.ts'
import type { Found, MatchCount } from './found.ts'
import type { CallerClass } from '../../models/caller.ts'

export interface FindQuery {
  readonly filter: Filter
  readonly sort: Sort
  /** How many items at most; undefined for as many as make a page in bytes. */
  readonly limit: number | undefined
  /** The sort values and the id after which the page begins. */
  readonly after: Position | undefined
  /** Counts matches, up to the limit, in place of reading them: see CountQuery. */
  readonly counts?: true
  /** The filter names only some of the documents that were asked for: the page says so, and a count of them is a floor. */
  readonly isPart?: true
}

/** Its answer is a count. */
export interface CountQuery extends FindQuery {
  readonly counts: true
}

export type Answer<Query extends FindQuery> = Query extends CountQuery ? MatchCount : Found

export function countQuery(filter: Filter, limit: number): CountQuery {
  return { filter, sort: [], limit, after: undefined, counts: true }
}

/** The caller of a query, which decides when it is served while others wait. */
export interface QueryCaller {
  readonly id: string
  readonly class: CallerClass
  /** Aborts when the answer is not wanted any more. Used only by queries that wait. */
  readonly signal?: AbortSignal
}
