/**
 * How fast chunked bodies are parsed. A chunk takes about a microsecond, whatever its length, so 64 KiB in short ones
 * take milliseconds, and many connections that bring them would hold up everything else. Past a number of chunks in one
 * turn of the event loop, their connections are read one in a turn.
 */
import { createTurnBudget, createTurns } from '../base/turns.ts'

const CHUNKS_PER_TURN_MAX = 1_000

export interface ChunkPace {
  /** Counts a chunk. True where its connection has to wait for its turn before more of it is read. */
  isExceeded(): boolean
  turn(): Promise<void>
}

export function createChunkPace(): ChunkPace {
  return { isExceeded: createTurnBudget(CHUNKS_PER_TURN_MAX), turn: createTurns() }
}
