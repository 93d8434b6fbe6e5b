/**
 * Runs work that takes longer than a moment on the main thread: one piece at a time, in slices. Between two slices the event
 * loop serves everything else.
 *
 * Callers take turns as they do for threads (fair-slots.ts), so a flood of such work costs the others one slice in each
 * turn of the event loop.
 *
 * Bounds are of work and not of time: the same query on the same data runs in the same place, however busy the machine is.
 * Work is counted in steps of about 10 ns (query/steps.ts). A document of 2,000 characters takes about 1,100.
 */
import type { Arrivals } from '../../../base/arrivals.ts'
import type { Awaitable } from '../../../base/awaitable.ts'
import type { Clock } from '../../../base/clock.ts'
import { nextTurn } from '../../../base/pause.ts'
import type { Steps } from '../../../query/steps.ts'
import { LISTED_STEPS } from '../executor.ts'
import type { QueryCaller } from '../find-query.ts'
import type { Plan } from '../plan.ts'
import { createFairSlots, stopping } from './fair-slots.ts'

/** About a millisecond: what one caller may do in a turn of the event loop, and a slice of longer work. */
export const SLICE_STEPS = 100_000
/** What may run without a pause: about 2.5 ms. */
export const SHORT_STEPS_MAX = 250_000
/** A plan that is expected to take more is not begun here. What is expected of text without statistics is often too much. */
const EXPECTED_STEPS_MAX = 4 * SHORT_STEPS_MAX
/** Turns in a row that are left to new connections: a flood of them slows queries down, and does not stop them. */
const ARRIVAL_TURNS_MAX = 8
/** A range is prepared, sought and merged before the first row comes out. */
const INLINE_RANGES_MAX = 100
/** The expected steps of a row, with its document and without it. */
const DOCUMENT_ROW_STEPS = 1_100
const INDEX_ROW_STEPS = 60

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

/*
 * How much work each caller, and all together, may have done at once in one turn of the event loop, so that requests that
 * arrive together never keep others waiting for long. What is past that waits for a later turn, in the order of arrival;
 * so does everything while many connections arrive.
 */

/** Work of all callers at once in one turn: about 5 ms. */
const TURN_STEPS_MAX = 5 * SLICE_STEPS
/** In a turn that is not left to new connections although many arrive. */
const ARRIVAL_STEPS_MAX = SLICE_STEPS / 4
/** What waits for a later turn. Each has a connection, and its request is in memory anyway. */
const WAITING_MAX = 1_000

interface Waiting {
  readonly caller: string
  readonly resume: () => void
  readonly reject: (error: unknown) => void
}

export type TurnShare = ReturnType<typeof createTurnShare>

export function createTurnShare(arrivals: Pick<Arrivals, 'areMany'>) {
  const spent = new Map<string, number>()
  let total = 0
  let isScheduled = false
  let waiting: Waiting[] = []

  let [turnsLeft, stepsMax] = [0, TURN_STEPS_MAX]

  const has = (caller: string): boolean => total < stepsMax && (spent.get(caller) ?? 0) < SLICE_STEPS
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }
  const nextTurn = (): void => {
    isScheduled = false
    spent.clear()
    total = 0
    const areMany = waiting.length > 0 && arrivals.areMany()
    if (areMany && turnsLeft < ARRIVAL_TURNS_MAX) {
      turnsLeft++
      schedule()
      return
    }
    turnsLeft = 0
    stepsMax = areMany ? ARRIVAL_STEPS_MAX : TURN_STEPS_MAX
    const before = waiting
    waiting = []
    for (const one of before) {
      if (has(one.caller)) one.resume()
      else waiting.push(one)
    }
    if (waiting.length > 0) schedule()
  }

  const mayRun = (caller: string): boolean => has(caller) && !arrivals.areMany()
  /** Does the work in the next turn in which the caller has a share. */
  const later = <Result>(caller: string, work: () => Awaitable<Result>): Promise<Result> => {
    schedule()
    return new Promise((resolve, reject) => {
      const resume = (): void => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      waiting.push({ caller, resume, reject })
    })
  }

  return {
    /** Whether work of the caller may be done now. */
    has: mayRun,
    spend(caller: string, steps: number): void {
      schedule()
      total += steps
      spent.set(caller, (spent.get(caller) ?? 0) + steps)
    },
    /** Does the work now, or in a later turn in which the caller has a share; what is instead of it where too many wait. */
    take<Result>(caller: string, work: () => Awaitable<Result>, instead: () => Awaitable<Result>): Awaitable<Result> {
      if (mayRun(caller)) return work()
      return waiting.length >= WAITING_MAX ? instead() : later(caller, work)
    },
    /** Rejects all who wait. */
    close(): void {
      for (const { reject } of waiting.splice(0)) reject(stopping())
    },
  }
}

// What may run without a pause on the main thread. Everything longer runs in a thread.

/** Whether a plan is expected to be short enough to run at once. */
export function runsInline(plan: Plan): boolean {
  return (plan.pages !== undefined || plan.ranges.length <= INLINE_RANGES_MAX) && expectedSteps(plan) <= EXPECTED_STEPS_MAX
}

/** What one inline query may take. A scan that takes more ends, also within a document, and the query runs in a thread. */
export function inlineSteps(): Steps {
  return { taken: 0, max: SHORT_STEPS_MAX }
}

function expectedSteps({ readsDocuments, expectedRows, listed }: Plan): number {
  return expectedRows * (readsDocuments ? DOCUMENT_ROW_STEPS : INDEX_ROW_STEPS) + listed * LISTED_STEPS
}
