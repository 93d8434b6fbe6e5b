/** Work in turns of the event loop, so that everything else is served in between. */

/** Gives a function that resolves for one caller in a turn, in the order of the calls. */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => new Promise((resolve) => void setImmediate(resolve))))
}

/** Gives a function that counts a cost, and says whether more than `max` have been counted in this turn. */
export function createTurnBudget(max: number): (cost: number) => boolean {
  let spent = 0
  const renew = (): void => void (spent = 0)
  return (cost) => {
    if (spent === 0) setImmediate(renew)
    spent += cost
    return spent > max
  }
}
