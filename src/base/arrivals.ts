/**
 * Whether many new connections arrive.
 *
 * libuv accepts one connection in each turn of the event loop. Where two hundred clients connect at once and each turn
 * has some milliseconds of work, the last of them waits for a second. So work that can wait skips a few turns in which a
 * connection was accepted: such turns take a fraction of a millisecond, and all are accepted soon.
 */

/** The first request of a connection arrives in the turn after it was accepted. */
const TURNS_REMEMBERED = 2
/** In as many turns, one after the other: a client or two that connect are no flood. */
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
    /** To be called for each connection. */
    add(): void {
      if (turnsLeft === 0) setImmediate(count)
      turnsLeft = TURNS_REMEMBERED
      connections++
    },
    /** Whether one of several connections in a row was accepted in this turn of the event loop or the one before. */
    areMany: (): boolean => connections >= CONNECTIONS_MIN,
  }
}
