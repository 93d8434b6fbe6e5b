/**
 * Paces the reading of bodies. A piece takes about a microsecond whatever its length, and a KiB as much again, so 64 KiB
 * in short chunks, or some MiB at once, take milliseconds; and the sockets that are ready in one turn of the event loop
 * are read one after the other. Past a number of them in one turn, their connections are read one per turn.
 */
import { createTurnBudget, createTurns } from '../base/turns.ts'

/** Pieces and KiB together: about a millisecond. */
const COST_PER_TURN_MAX = 1_000
const BYTES_PER_COST = 1024

export type BodyPace = ReturnType<typeof createBodyPace>

export function createBodyPace() {
  const spend = createTurnBudget(COST_PER_TURN_MAX)
  return {
    /** Counts a piece. True where its connection has to wait for its turn before more of it is read. */
    isExceededBy: (bytes: number): boolean => spend(1 + bytes / BYTES_PER_COST),
    turn: createTurns(),
  }
}
