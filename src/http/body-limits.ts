/**
 * What request bodies may take together: memory from their arrival to the response, and turns of the event loop.
 *
 * Bytes count when they arrive: an announced length costs the client nothing, so it holds nothing. The last part of the
 * memory is a reserve for callers with a dashboard role, so that a flood by others does not keep them out, and one
 * caller without such a role gets a part of the rest.
 */
import { fail, type Failure } from '../base/failure.ts'
import { nextTurn } from '../base/pause.ts'
import type { SharedCounts } from '../base/shared-counts.ts'

const RETRY_AFTER_S = 1
const MIB = 1024 * 1024

export interface BodyMemoryLimits {
  /** Of all bodies together. */
  readonly bodiesBytesMax: number
  /** How much of that is reserved for callers that may use the reserve. */
  readonly bodiesReserveBytes: number
  /** Of all bodies of one other caller. */
  readonly bodiesPerCallerBytesMax: number
}

export interface BodyOwner {
  /** The id of a user, or the address of a client that has not signed in. */
  readonly caller: string
  readonly usesReserve: boolean
}

/** Why a body was rejected, as `/metrics` counts it. */
export type BodyRejection = 'no_room' | 'too_long' | 'tiny_pieces' | 'late'

export type BodyMemory = ReturnType<typeof createBodyMemory>

/** `counts` has the bytes of all threads, and those of each caller. */
export function createBodyMemory(limits: BodyMemoryLimits, counts: SharedCounts) {
  const { bodiesBytesMax, bodiesReserveBytes, bodiesPerCallerBytesMax } = limits
  const rejections: Record<BodyRejection, number> = { no_room: 0, too_long: 0, tiny_pieces: 0, late: 0 }
  let heldBytes = 0
  return {
    /** Those of this thread. */
    get heldBytes() {
      return heldBytes
    },
    rejections: rejections as Readonly<typeof rejections>,
    countRejection(reason: BodyRejection): void {
      rejections[reason]++
    },
    /** The networkError where so many more bytes cannot be held. The owner may not be known yet. */
    lackOfRoom(bytes: number, owner: BodyOwner | undefined): Failure | undefined {
      const isLimited = owner !== undefined && !owner.usesReserve
      if (counts.total() + bytes > bodiesBytesMax - (isLimited ? bodiesReserveBytes : 0)) {
        return noRoom(`the bodies of all requests have ${bodiesBytesMax / MIB} MiB`)
      }
      if (!isLimited || counts.of(owner.caller) + bytes <= bodiesPerCallerBytesMax) return undefined
      return noRoom(`the bodies of one caller have ${bodiesPerCallerBytesMax / MIB} MiB`)
    },
    /** Counts bytes as held, or as released where the number is negative. */
    hold(bytes: number, owner: BodyOwner | undefined): void {
      heldBytes += bytes
      counts.addToTotal(bytes)
      if (owner !== undefined && !owner.usesReserve && bytes !== 0) counts.add(owner.caller, bytes)
    },
  }
}

function noRoom(limit: string): Failure {
  return fail(
    'networkError',
    `Cannot take the request body now: ${limit} of memory, which are in use; try again in ${RETRY_AFTER_S} s`,
    { headers: { 'Retry-After': String(RETRY_AFTER_S) } },
  )
}

/*
 * The pace of reading. A piece takes about a microsecond whatever its length, and a KiB as much again, so 64 KiB
 * in short chunks, or some MiB at once, take milliseconds; and the sockets that are ready in one turn of the event loop
 * are read one after the other. Past a number of them in one turn, their connections are read one per turn.
 */

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

/** Returns a function that resolves for one caller per turn, in the order of the calls. */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(nextTurn))
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
