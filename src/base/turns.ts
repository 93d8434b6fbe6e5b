/** Work in turns of the event loop, so that other work runs in between. */

/** Returns a function that resolves for one caller per turn, in the order of the calls. */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => new Promise((resolve) => void setImmediate(resolve))))
}

/** Returns a function that counts a cost, and returns whether more than `max` have been counted in this turn. */
export function createTurnBudget(max: number): (cost: number) => boolean {
  let spent = 0
  const reset = (): void => void (spent = 0)
  return (cost) => {
    if (spent === 0) setImmediate(reset)
    spent += cost
    return spent > max
  }
}
