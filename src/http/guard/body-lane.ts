/**
 * Long bodies one after the other.
 *
 * A long body takes milliseconds of the event loop in each of several turns: to be parsed, checked, stored and sent
 * back. Bodies that go through these side by side add up to a long wait for everything else. So a long body has the lane
 * to itself until it is done with, and a whole turn of the event loop passes before the next. The next is that of the
 * caller who had no turn for the longest time: a caller with many long bodies delays their own.
 */
import type { BodyOwner } from './body-memory.ts'

export interface BodyLane {
  /**
   * Resolves when the lane is the owner's, with the function that gives it up; calling it again does nothing. Owners who
   * may use the reserve of memory go before the others.
   */
  enter(owner: BodyOwner): Promise<() => void>
}

export function createBodyLane(): BodyLane {
  const queues = [new Map<string, Entry[]>(), new Map<string, Entry[]>()] as const
  let isTaken = false

  const admitNext = (): void => {
    const next = takeFirst(queues[0]) ?? takeFirst(queues[1])
    isTaken = next !== undefined
    next?.(leaveOnce())
  }

  const leaveOnce = (): (() => void) => {
    let isLeft = false
    return () => {
      if (!isLeft) setImmediate(admitNext)
      isLeft = true
    }
  }

  return {
    enter({ caller, usesReserve }) {
      return new Promise((resolve) => {
        const queue = queues[usesReserve ? 0 : 1]
        const entries = queue.get(caller)
        if (entries === undefined) queue.set(caller, [resolve])
        else entries.push(resolve)
        if (isTaken) return
        isTaken = true
        setImmediate(admitNext)
      })
    },
  }
}

type Entry = (leave: () => void) => void

/** Takes the oldest entry of the caller in front, who goes to the end of the line with what is left. */
function takeFirst(queue: Map<string, Entry[]>): Entry | undefined {
  for (const [caller, entries] of queue) {
    const entry = entries.shift()
    queue.delete(caller)
    if (entries.length > 0) queue.set(caller, entries)
    return entry
  }
  return undefined
}
