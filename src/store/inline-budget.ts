/**
 * What may run beside the other requests of a turn: only what is known to be short. That is a plan that expects few
 * rows, patterns that provably run in linear time, and then no more rows and no more time than the budget.
 */
import type { Clock } from '../base/clock.ts'
import type { Filter } from '../query/ast.ts'
import { isLinear } from '../query/pattern-cost.ts'
import type { Allowance } from './executor.ts'
import type { Plan } from './plan.ts'
import type { FindQuery } from './store.ts'

/** Rows whose documents may be read beside other requests, divided by the weight of what is done with them. */
const INLINE_ROWS_MAX = 600
/** Rows that may be read from nothing but an index. */
const INLINE_INDEX_ROWS_MAX = 6_000
/** A range is prepared, sought and merged before the first row comes out. */
const INLINE_RANGES_MAX = 100
const INLINE_MS_MAX = 8
/** Conditions and list members that are judged as fast as a row is read. */
const WEIGHTLESS = 40
/**
 * Characters of one document times the weight. The time is looked at between documents, and a single one can keep a
 * heavy filter busy for seconds: a condition may look at each element of an array of a hundred thousand.
 */
const INLINE_WORK_MAX = 1_000_000
/** A regular expression of bounded steps may take a good many of them at each character. */
const REGEXP_WEIGHT = 20

/** Whether a plan is expected to be short enough to run beside other requests. */
export function runsInline(plan: Plan, query: FindQuery): boolean {
  if (plan.ranges.length > INLINE_RANGES_MAX || plan.expectedRows > rowsMax(plan, query)) return false
  return plan.isExact || hasLinearPatterns(query.filter)
}

/** The budget of a plan that begins now. */
export function inlineAllowance(plan: Plan, query: FindQuery, now: Clock): Allowance {
  const [most, charsMost, start] = [rowsMax(plan, query), INLINE_WORK_MAX / weightOf(plan, query), now()]
  return ({ rowsRead, charsMax }) => rowsRead <= most && charsMax <= charsMost && now() - start <= INLINE_MS_MAX
}

function rowsMax(plan: Plan, query: FindQuery): number {
  return plan.readsDocuments ? INLINE_ROWS_MAX / Math.max(1, weightOf(plan, query) / WEIGHTLESS) : INLINE_INDEX_ROWS_MAX
}

/** Roughly how many comparisons one document takes. */
function weightOf({ isExact }: Plan, { filter, sort }: FindQuery): number {
  return 1 + sort.length + (isExact ? 0 : filterWeight(filter))
}

function filterWeight(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, one) => sum + filterWeight(one), 1)
    case 'not':
    case 'elemMatch':
      return 1 + filterWeight(filter.filter)
    case 'in':
      // Scalars are looked up; objects and arrays are compared one by one.
      return filter.values.reduce<number>((sum, value) => sum + (typeof value === 'object' ? 1 : 1 / 8), 1)
    case 'pattern':
      return filter.pattern.kind === 'regexp' ? REGEXP_WEIGHT : 1
    default:
      return 1
  }
}

function hasLinearPatterns(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.every(hasLinearPatterns)
    case 'not':
    case 'elemMatch':
      return hasLinearPatterns(filter.filter)
    case 'pattern':
      return isLinear(filter.pattern)
    default:
      return true
  }
}
