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
import { execute, type Effort } from './executor.ts'
import { planQuery, type Plan } from './planner.ts'
import { writeQuery } from './query-message.ts'
import { createScanPool } from './scan-pool.ts'
import { indexColumns } from './schema-sql.ts'
import type { FindQuery, Found, QueryCounts } from './store.ts'

/** Rows that may be read beside other requests, divided by the weight of the filter where every row has to be judged. */
const INLINE_ROWS_MAX = 600
/** An exact plan reads nothing but an index. */
const INLINE_EXACT_ROWS_MAX = 6_000
const INLINE_MS_MAX = 8
/** Conditions and list members that are judged as fast as a row is read. */
const WEIGHTLESS = 40

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
      const found = runsInline(plan, query.filter) ? executeInline(database, model, { plan, query, now }) : undefined
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
function runsInline(plan: Plan, filter: Filter): boolean {
  return plan.expectedRows <= rowsMax(plan, filter) && (plan.isExact || hasLinearPatterns(filter))
}

interface InlineTask {
  readonly plan: Plan
  readonly query: FindQuery
  readonly now: Clock
}

function executeInline(database: Database, model: Model, { plan, query, now }: InlineTask): Found | undefined {
  const [most, start] = [rowsMax(plan, query.filter), now()]
  const mayGoOn = ({ rowsRead }: Effort): boolean => rowsRead <= most && now() - start <= INLINE_MS_MAX
  return execute(database, model, { plan, query, effort: { rowsRead: 0 }, mayGoOn })
}

function rowsMax({ isExact }: Plan, filter: Filter): number {
  return isExact ? INLINE_EXACT_ROWS_MAX : INLINE_ROWS_MAX / Math.max(1, weightOf(filter) / WEIGHTLESS)
}

/** Roughly how many comparisons one document takes. */
function weightOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, one) => sum + weightOf(one), 1)
    case 'not':
    case 'elemMatch':
      return 1 + weightOf(filter.filter)
    case 'in':
      return 1 + filter.values.length / 8
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
