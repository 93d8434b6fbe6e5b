/**
 * Runs work that takes longer than a moment on the main thread: one piece at a time, in slices. Between two slices the event
 * loop serves everything else.
 *
 * Callers take turns as they do for threads (fair-slots.ts), so a flood of such work costs the others one slice in each
 * turn of the event loop.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Arrivals } from '../../../base/arrivals.ts'
import type { Clock } from '../../../base/clock.ts'
import { createFairSlots, stopping } from './fair-slots.ts'
import { ARRIVAL_TURNS_MAX, SLICE_STEPS } from './inline-budget.ts'
import type { QueryCaller } from '../find-query.ts'

/** Work on the main thread that can pause, in steps as those of a query (query/steps.ts). */
export interface TurnWork<Result> {
  /** What it is expected to take. */
  readonly stepsExpected: number
  /** The steps taken since the beginning. */
  spent(): number
  /** The bytes that it holds while it waits. */
  held(): number
  /** Works for as long as it is allowed, and at least a little. Returns the result when it is done. */
  advance(mayGoOn: () => boolean): Result | undefined
}

export type TurnLane = ReturnType<typeof createTurnLane>

export interface LaneTurns {
  readonly now: Clock
  readonly arrivals: Pick<Arrivals, 'areMany'>
}

export function createTurnLane({ now, arrivals }: LaneTurns) {
  const slots = createFairSlots({ slots: 1, reserved: 0, perCaller: { guest: 1, user: 1, dashboard: 1 } }, now)
  let running: Promise<unknown> = Promise.resolve()
  let isClosed = false
  /** Left of the slice of this turn, which several short pieces of work share. */
  let stepsLeft = SLICE_STEPS

  const sliceBegins = async (signal: AbortSignal | undefined): Promise<void> => {
    if (stepsLeft <= 0) {
      await nextTurn()
      for (let i = 1; i < ARRIVAL_TURNS_MAX && arrivals.areMany(); i++) await nextTurn()
      stepsLeft = SLICE_STEPS
    }
    if (isClosed) throw stopping()
    signal?.throwIfAborted()
  }

  async function finish<Result>(work: TurnWork<Result>, { signal }: QueryCaller): Promise<Result> {
    await sliceBegins(signal)
    let counted = work.spent()
    for (;;) {
      const result = work.advance(() => work.spent() - counted < stepsLeft)
      stepsLeft -= work.spent() - counted
      counted = work.spent()
      if (result !== undefined) return result
      await sliceBegins(signal)
    }
  }

  return {
    /** Does the work when it is the caller's turn, and returns its result. Throws what fair-slots.ts says. */
    async run<Result>(work: TurnWork<Result>, caller: QueryCaller): Promise<Result> {
      const release = await slots.take(caller, work.held())
      const finishing = finish(work, caller).finally(release)
      running = finishing.catch(() => {})
      return finishing
    },
    slots,
    /** Rejects what waits, and ends what runs at its next slice. */
    async close(): Promise<void> {
      isClosed = true
      slots.close()
      await running
    },
  }
}
