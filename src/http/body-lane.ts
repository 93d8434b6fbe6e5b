/**
 * A lane for long bodies: one at a time.
 *
 * A long body takes milliseconds of the event loop in each of several turns: to be parsed, checked, stored and sent
 * back. Bodies that do this concurrently add up to a long wait for everything else. So a long body has the lane to itself
 * until it is processed, and a whole turn of the event loop passes before the next. The next is that of the caller that
 * had no turn for the longest time: a caller with many long bodies delays its own.
 */
import type { BodyOwner } from './body-limits.ts'

/** Takes the lane, and is given the function that leaves it. */
type Entry = (leave: () => void) => void

export type BodyLane = ReturnType<typeof createBodyLane>

export function createBodyLane() {
  const [reserved, ordinary] = [new Map<string, Entry[]>(), new Map<string, Entry[]>()]
  let isTaken = false

  const admitNext = (): void => {
    const next = takeFirst(reserved) ?? takeFirst(ordinary)
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
    /**
     * Resolves when the owner has the lane, with the function that leaves it; calling that again does nothing. Owners
     * that may use the reserve of memory go before the others.
     */
    enter({ caller, usesReserve }: BodyOwner): Promise<() => void> {
      return new Promise((resolve) => {
        const queue = usesReserve ? reserved : ordinary
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

/** Takes the oldest entry of the first caller, which goes to the end of the queue with the rest of its entries. */
function takeFirst(queue: Map<string, Entry[]>): Entry | undefined {
  for (const [caller, entries] of queue) {
    const entry = entries.shift()
    queue.delete(caller)
    if (entries.length > 0) queue.set(caller, entries)
    return entry
  }
  return undefined
}
