/** Does work beside queries in the turns of its caller: short work immediately, longer work in the slices of the lane. */
import type { Awaitable } from '../../../base/awaitable.ts'
import { SHORT_STEPS_MAX } from './inline-budget.ts'
import type { TurnLane, TurnWork } from './turn-lane.ts'
import type { TurnShare } from './turn-share.ts'
import type { QueryCaller } from '../find-query.ts'

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
