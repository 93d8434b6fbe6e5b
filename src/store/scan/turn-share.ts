/**
 * How much work each caller, and all together, may have done at once in one turn of the event loop, so that requests that
 * arrive together never keep others waiting for long. What is past that waits for a later turn, in the order of arrival;
 * so does everything while many connections arrive.
 */
import type { Arrivals } from '../../base/arrivals.ts'
import { stopping } from './fair-slots.ts'
import { ARRIVAL_TURNS_MAX, SLICE_STEPS } from './inline-budget.ts'

/** Work of all callers at once in one turn: about 5 ms. */
const TURN_STEPS_MAX = 5 * SLICE_STEPS
/** In a turn that is not left to new connections although many arrive. */
const ARRIVAL_STEPS_MAX = SLICE_STEPS / 4
/** Queries that wait for a later turn. Each has a connection, and its request is in memory anyway. */
const WAITING_MAX = 1_000

interface Waiting {
  readonly caller: string
  readonly resume: () => void
  readonly reject: (error: unknown) => void
}

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

  return {
    /** Whether a query of the caller may run now. */
    has: (caller: string): boolean => has(caller) && !arrivals.areMany(),
    spend(caller: string, steps: number): void {
      schedule()
      total += steps
      spent.set(caller, (spent.get(caller) ?? 0) + steps)
    },
    /** Whether no more may wait. */
    isFull: (): boolean => waiting.length >= WAITING_MAX,
    /** Does the work in the next turn in which the caller has a share. */
    later<Result>(caller: string, work: () => Result | Promise<Result>): Promise<Result> {
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
    },
    /** Rejects all who wait. */
    close(): void {
      for (const { reject } of waiting.splice(0)) reject(stopping())
    },
  }
}
