/**
 * Whether many new connections arrive. libuv accepts one in each turn of the event loop: with some milliseconds of work
 * in each, the last of two hundred clients waits for a second. Work that can wait skips turns that accepted one.
 */

/** The first request of a connection arrives in the turn after it was accepted. */
const TURNS_REMEMBERED = 2
/** Accepted in as many turns, one after the other. A client or two are no flood. */
const CONNECTIONS_MIN = 4

export type Arrivals = ReturnType<typeof createArrivals>

export const NO_ARRIVALS: Arrivals = { add: () => {}, areMany: () => false }

export function createArrivals() {
  let [turnsLeft, connections] = [0, 0]
  const count = (): void => {
    turnsLeft--
    if (turnsLeft > 0) setImmediate(count)
    else connections = 0
  }
  return {
    add(): void {
      if (turnsLeft === 0) setImmediate(count)
      turnsLeft = TURNS_REMEMBERED
      connections++
    },
    areMany: (): boolean => connections >= CONNECTIONS_MIN,
  }
}
