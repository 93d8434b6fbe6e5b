/**
 * How much work each caller, and all together, may have done at once in one turn of the event loop. What is past that
 * waits in line (inline-lane.ts), so that no number of requests that arrive together keeps others waiting for long.
 */

export interface TurnShare {
  /** Whether something of this caller may still be done in this turn. */
  has(caller: string): boolean
  spend(caller: string, steps: number): void
}

export interface TurnShareLimits {
  readonly callerStepsMax: number
  readonly stepsMax: number
}

export function createTurnShare({ callerStepsMax, stepsMax }: TurnShareLimits): TurnShare {
  const spent = new Map<string, number>()
  let total = 0
  const begin = (): void => {
    spent.clear()
    total = 0
  }
  return {
    has: (caller) => total < stepsMax && (spent.get(caller) ?? 0) < callerStepsMax,
    spend(caller, steps) {
      if (spent.size === 0) setImmediate(begin)
      total += steps
      spent.set(caller, (spent.get(caller) ?? 0) + steps)
    },
  }
}
