/**
 * Decides where a query runs: beside the other requests of this turn, or in a thread of its own.
 *
 * Beside the others only what is known to be short: a plan that expects few rows, patterns that provably run in linear
 * time, and then no more rows and no more time than the budget. What turns out longer starts again in a thread.
 */
import type { Clock } from '../base/clock.ts'
import type { Model } from '../models/schema.ts'
import type { Filter } from '../query/ast.ts'
import { isLinear } from '../query/pattern-cost.ts'
import type { Database } from './database.ts'
import { execute, noEffort, type Effort } from './executor.ts'
import type { Plan } from './plan.ts'
import { planQuery } from './planner.ts'
import { writeQuery } from './query-message.ts'
import { createScanPool } from './scan-pool.ts'
import { indexColumns } from './schema-sql.ts'
import type { FindQuery, Found, QueryCounts } from './store.ts'

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

export interface Finder {
  find(model: Model, query: FindQuery, caller: string): Found | Promise<Found>
  counts(): QueryCounts
  close(): Promise<void>
}

export interface FinderOptions {
  readonly file: string
  readonly now: Clock
  readonly queryDeadlineMs: number | undefined
}

export function createFinder(database: Database, { file, now, queryDeadlineMs }: FinderOptions): Finder {
  const pool = createScanPool(file, queryDeadlineMs === undefined ? {} : { deadlineMs: queryDeadlineMs })
  let inline = 0
  return {
    find(model, query, caller) {
      const plan = planQuery(database, model, query)
      const found = runsInline(plan, query) ? executeInline(database, model, { plan, query, now }) : undefined
      if (found === undefined) return pool.run(writeQuery(model.name, query), caller, advice(model))
      inline++
      return found
    },
    counts() {
      const { done, timedOut, refused } = pool.counts()
      return { inline, worker: done + timedOut, timedOut, refused }
    },
    close: () => pool.close(),
  }
}

/** Whether a plan is expected to be short enough to run beside other requests. */
export function runsInline(plan: Plan, query: FindQuery): boolean {
  if (plan.ranges.length > INLINE_RANGES_MAX || plan.expectedRows > rowsMax(plan, query)) return false
  return plan.isExact || hasLinearPatterns(query.filter)
}

interface InlineTask {
  readonly plan: Plan
  readonly query: FindQuery
  readonly now: Clock
}

function executeInline(database: Database, model: Model, { plan, query, now }: InlineTask): Found | undefined {
  const [most, charsMost, start] = [rowsMax(plan, query), INLINE_WORK_MAX / weightOf(plan, query), now()]
  const mayGoOn = ({ rowsRead, charsMax }: Effort): boolean =>
    rowsRead <= most && charsMax <= charsMost && now() - start <= INLINE_MS_MAX
  return execute(database, model, { plan, query, effort: noEffort(), mayGoOn })
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

function advice(model: Model): string {
  const paths = [...new Set(model.indexes.flatMap((index) => indexColumns(index).map(({ path }) => path)))]
  const fast = paths.length === 0 ? '"id"' : paths.map((path) => `"${path}"`).join(', ')
  return `Cannot answer this query of ${model.name} in time: narrow the filter or sort by what has an index, which is ${fast}`
}
