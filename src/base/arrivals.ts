/**
 * Whether many new connections are coming in.
 *
 * libuv accepts one connection in each turn of the event loop. Where two hundred clients connect at once and each turn
 * has some milliseconds of work, the last of them waits for a second. So work that can wait leaves out a few turns in
 * which a connection was accepted: such turns take a fraction of a millisecond, and all are in soon.
 */

/** The first request of a connection comes in the turn after it was accepted. */
const TURNS_REMEMBERED = 2
/** In as many turns, one after the other: a client or two that connect are no flood. */
const CONNECTIONS_MIN = 4

export interface Arrivals {
  /** To be called for each connection. */
  note(): void
  /** Whether one of several connections in a row was accepted in this turn of the event loop or the one before. */
  came(): boolean
}

export const NO_ARRIVALS: Arrivals = { note: () => {}, came: () => false }

export function createArrivals(): Arrivals {
  let [turnsLeft, connections] = [0, 0]
  const count = (): void => {
    turnsLeft--
    if (turnsLeft > 0) setImmediate(count)
    else connections = 0
  }
  return {
    note() {
      if (turnsLeft === 0) setImmediate(count)
      turnsLeft = TURNS_REMEMBERED
      connections++
    },
    came: () => connections >= CONNECTIONS_MIN,
  }
}
