/** Answers short queries immediately, in the share of the turn that their callers have; longer ones run in a thread. */
import type { Awaitable } from '../../../base/awaitable.ts'
import type { Model } from '../../../models/schema.ts'
import type { Database } from '../../db/database.ts'
import { execute, noEffort } from '../executor.ts'
import type { Answer, FindQuery, QueryCaller } from '../find-query.ts'
import type { ChosenPlan } from '../plan.ts'
import { planQuery } from '../planner.ts'
import { createKnownCounts, keptCount } from '../statistics.ts'
import { inlineSteps, runsInline, SHORT_STEPS_MAX, type TurnLane, type TurnShare, type TurnWork } from './turn-lane.ts'

/** The fixed cost of a query. */
const FIND_STEPS = 1_000

export type AnswerInThread = <Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller) => Promise<Answer<Query>>

export interface ShortQueryOptions {
  readonly share: TurnShare
  /** Makes all reads of this turn of the event loop see one snapshot. */
  readonly beginRead: () => void
  /** A number that differs when a row may have changed since, in the snapshot of this turn. */
  readonly changes: () => number
  /** Runs a query that would keep other requests waiting. */
  readonly inThread: AnswerInThread
  readonly onAnswer: () => void
}

export function createShortQueries(database: Database, { share, beginRead, changes, inThread, onAnswer }: ShortQueryOptions) {
  const countsNow = createKnownCounts(changes)

  /** The answer, or undefined where it takes more than expected. */
  const runShort = <Query extends FindQuery>(model: Model, plan: ChosenPlan, query: Query, { id }: QueryCaller): Answer<Query> | undefined => {
    const steps = inlineSteps()
    try {
      return execute(database, model, { plan, query, effort: noEffort(steps), mayGoOn: () => true })
    } finally {
      share.spend(id, FIND_STEPS + plan.stepsToPlan + steps.taken)
    }
  }

  const inTurn = <Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller): Awaitable<Answer<Query>> => {
    beginRead()
    const kept = query.counts === true ? keptCount(database, model, query.filter) : undefined
    if (kept !== undefined) {
      share.spend(caller.id, FIND_STEPS)
      onAnswer()
      return { total: kept, isFloor: false } as Answer<Query>
    }
    const plan = planQuery(database, model, query, { counts: countsNow() })
    const found = runsInline(plan) ? runShort(model, plan, query, caller) : undefined
    if (found === undefined) return inThread(model, query, caller)
    onAnswer()
    return found
  }

  return <Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller): Awaitable<Answer<Query>> =>
    share.take(caller.id, () => inTurn(model, query, caller), () => inThread(model, query, caller))
}

// Does work beside queries in the turns of its caller: short work immediately, longer work in the slices of the lane.

export function createShortWork({ share, lane }: { readonly share: TurnShare; readonly lane: TurnLane }) {
  return <Result>(work: TurnWork<Result>, caller: QueryCaller): Awaitable<Result> => {
    const inLane = (): Promise<Result> => lane.run(work, caller)
    const atOnce = (): Awaitable<Result> => {
      try {
        return work.advance(() => work.spent() <= SHORT_STEPS_MAX) ?? inLane()
      } finally {
        share.spend(caller.id, work.spent())
      }
    }
    return work.stepsExpected > SHORT_STEPS_MAX ? inLane() : share.take(caller.id, atOnce, inLane)
  }
}
