/**
 * Explains how a query is answered, and what that costs on the real data: it is planned as the service plans it, and run.
 * A query that turns out longer than expected goes on in a thread, as it does in the service (finder.ts).
 */
import type { Clock } from '../../base/clock.ts'
import type { QueryPlan } from '../../models/responses.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { execute, noEffort } from './executor.ts'
import type { FindQuery } from './find-query.ts'
import { planQuery, possiblePlans } from './planner.ts'
import { inlineSteps, runsInline } from './threads/turn-lane.ts'

export interface ExplainTask {
  readonly query: FindQuery
  readonly now: Clock
  /** After so many milliseconds the run stops between two rows, and what is known by then is returned. */
  readonly msMax: number
  /** Whether to go on; checked between two rows as well. */
  readonly mayGoOn?: () => boolean
}

export function explainQuery(database: Database, model: Model, { query, now, msMax, mayGoOn = () => true }: ExplainTask): QueryPlan {
  const start = now()
  const isInTime = (): boolean => now() - start < msMax && mayGoOn()
  const first = planQuery(database, model, query)
  let effort = noEffort(inlineSteps())
  let found = runsInline(first) ? execute(database, model, { plan: first, query, effort, mayGoOn: isInTime }) : undefined
  const isInline = found !== undefined
  // A thread plans again, and may count more for it. It starts at the first row, wherever the first run stopped.
  const plan = isInline ? first : planQuery(database, model, query, { mayTakeLong: true })
  if (!isInline) {
    effort = noEffort()
    found = execute(database, model, { plan, query, effort, mayGoOn: isInTime })
  }
  const milliseconds = now() - start
  const weighed = possiblePlans(database, model, query, !isInline)
  return {
    model: model.name,
    access: plan.access,
    index: plan.index ?? null,
    exact: plan.isExact,
    runs: isInline ? 'inline' : 'thread',
    order: plan.sortedBy > query.sort.length ? 'total' : plan.sortedBy > 0 ? 'partial' : 'none',
    ranges: plan.ranges.length,
    sql: plan.ranges[0]?.sql ?? null,
    values: (plan.ranges[0]?.values ?? []).map(String),
    rowsExpected: Math.round(plan.expectedRows),
    rowsRead: effort.rowsRead,
    rowsReturned: found?.items.length ?? 0,
    hasMore: found?.next !== undefined,
    finished: found !== undefined,
    milliseconds,
    weighed: weighed.map(({ plan: { access, index }, cost }) => ({
      access,
      index: index ?? null,
      cost: Math.round(cost),
    })),
  }
}
