/** Answers short queries immediately, in the share of the turn that their callers have; longer ones run elsewhere. */
import type { Awaitable } from '../../base/awaitable.ts'
import type { Model } from '../../models/schema.ts'
import { execute, noEffort } from '../plan/executor.ts'
import type { ChosenPlan } from '../plan/plan.ts'
import { planQuery } from '../plan/planner.ts'
import { createKnownCounts } from '../plan/statistics.ts'
import type { Database } from '../sqlite/database.ts'
import type { FindQuery, Found, QueryCaller } from '../store.ts'
import { inlineBudget, isShort, runsInline, SHORT_STEPS_MAX } from './inline-budget.ts'
import type { TurnShare } from './turn-share.ts'

/** The fixed cost of a query. */
const FIND_STEPS = 1_000

type Find = (model: Model, query: FindQuery, caller: QueryCaller) => Promise<Found>

export interface ShortQueryOptions {
  readonly share: TurnShare
  /** Makes all reads of this turn of the event loop see one snapshot. */
  readonly beginRead: () => void
  /** A number that differs when a row may have changed since, in the snapshot of this turn. */
  readonly changes: () => number
  /** Runs a query that is longer than a moment. */
  readonly inLane: Find
  /** Runs one that would take too long between other requests. */
  readonly inThread: Find
  readonly onAnswer: () => void
}

export function createShortQueries(database: Database, options: ShortQueryOptions) {
  const { share, beginRead, changes, inLane, inThread, onAnswer } = options
  const countsNow = createKnownCounts(changes)

  /** The page, or where the query is to run instead. */
  const atOnce = (model: Model, plan: ChosenPlan, query: FindQuery, { id }: QueryCaller): Found | 'lane' | 'thread' => {
    const { steps, nextDocument } = inlineBudget()
    const effort = noEffort(steps)
    const mayGoOn = (): boolean => {
      nextDocument()
      return steps.taken <= SHORT_STEPS_MAX
    }
    try {
      const found = execute(database, model, { plan, query, effort, mayGoOn })
      return found ?? (steps.taken > steps.max ? 'thread' : 'lane')
    } finally {
      share.spend(id, FIND_STEPS + plan.stepsToPlan + steps.taken)
    }
  }

  const inTurn = (model: Model, query: FindQuery, caller: QueryCaller): Awaitable<Found> => {
    beginRead()
    const plan = planQuery(database, model, query, { counts: countsNow() })
    if (!runsInline(plan)) return inThread(model, query, caller)
    const found = isShort(plan) ? atOnce(model, plan, query, caller) : 'lane'
    if (found === 'lane') return inLane(model, query, caller)
    if (found === 'thread') return inThread(model, query, caller)
    onAnswer()
    return found
  }

  return (model: Model, query: FindQuery, caller: QueryCaller): Awaitable<Found> =>
    share.take(caller.id, () => inTurn(model, query, caller), () => inLane(model, query, caller))
}
