/**
 * Sliding windows in memory that threads share: how many events each caller had within the last of them, exactly,
 * whichever thread counted them.
 *
 * The events of all callers are one queue in the order of time. At each count those that have left the window are taken
 * from its front, and from the sums of their callers. The queue grows with the number of events in one window. The events
 * of one caller are a list within it, so that what a refusal costs does not grow with the events of others.
 */
import { createKeyTable, keyTableMemory, type KeyTableMemory } from './key-table.ts'

/** Past this many callers, the oldest events are forgotten. */
const CALLERS_MAX = 131_072
const EVENTS_MIN = 4_096
/** 70,000 a second in windows of a minute. Past it, the oldest are forgotten. */
const EVENTS_MAX = 2 ** 22

/** The places of the queue's state. Events are numbered; the number of the front wraps around as a 32-bit integer. */
const [FRONT, LENGTH] = [0, 1]

export interface WindowsMemory {
  readonly table: KeyTableMemory
  /** Of each caller: the weight of its events, and the numbers of the oldest and the newest. */
  readonly sums: SharedArrayBuffer
  readonly oldest: SharedArrayBuffer
  readonly newest: SharedArrayBuffer
  readonly state: SharedArrayBuffer
  /** Of each event: its time, its slot, its weight, and the number of the next one of its caller, if there is one. */
  readonly times: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
  readonly weights: SharedArrayBuffer
  readonly next: SharedArrayBuffer
}

export function windowsMemory(): WindowsMemory {
  const growing = (bytes: number): SharedArrayBuffer =>
    new SharedArrayBuffer(EVENTS_MIN * bytes, { maxByteLength: EVENTS_MAX * bytes })
  return {
    table: keyTableMemory(CALLERS_MAX),
    sums: new SharedArrayBuffer(CALLERS_MAX * Int32Array.BYTES_PER_ELEMENT),
    oldest: new SharedArrayBuffer(CALLERS_MAX * Int32Array.BYTES_PER_ELEMENT),
    newest: new SharedArrayBuffer(CALLERS_MAX * Int32Array.BYTES_PER_ELEMENT),
    state: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
    times: growing(Float64Array.BYTES_PER_ELEMENT),
    slots: growing(Int32Array.BYTES_PER_ELEMENT),
    weights: growing(Int32Array.BYTES_PER_ELEMENT),
    next: growing(Int32Array.BYTES_PER_ELEMENT),
  }
}

/**
 * Returns the function that counts an event, `weight` times; a weight of up to `max`. It gives the milliseconds to wait
 * where that is too many, and has counted nothing then; undefined for a counted event. `now` in milliseconds. `max` is read
 * at each event, so that it may be another one later.
 */
export function createSharedWindows(
  limit: { readonly max: number; readonly windowMs: number },
  memory: WindowsMemory,
): (caller: string, now: number, weight: number) => number | undefined {
  const { windowMs } = limit
  const table = createKeyTable(memory.table)
  const sums = new Int32Array(memory.sums)
  const queue = createEventQueue(memory)

  const forgetOldest = (): void => {
    const { slot, weight } = queue.shift()
    const left = (sums[slot] as number) - weight
    sums[slot] = left
    if (left === 0) table.free(slot)
  }
  const slotOf = (caller: string): number => {
    for (;;) {
      const slot = table.take(caller)
      if (slot !== -1) return slot
      forgetOldest()
    }
  }
  const count = (caller: string, now: number, weight: number, max: number): number | undefined => {
    // After the clock was set back by more than a window, what was counted before would block for as long as that.
    if (queue.length > 0 && queue.newest() > now + windowMs) while (queue.length > 0) forgetOldest()
    while (queue.length > 0 && queue.oldest() <= now - windowMs) forgetOldest()
    const known = table.find(caller)
    const tooMany = (known === -1 ? 0 : (sums[known] as number)) + weight - max
    if (known !== -1 && tooMany > 0) return queue.timeOf(known, tooMany) + windowMs - now
    if (queue.isFull()) forgetOldest()
    const slot = slotOf(caller)
    const before = sums[slot] as number
    sums[slot] = before + weight
    queue.push({ time: now, slot, weight, isFirst: before === 0 })
    return undefined
  }
  return (caller, now, weight) => {
    const { max } = limit
    if (max === 0 || weight === 0) return undefined
    table.lock()
    try {
      return count(caller, now, weight, max)
    } finally {
      table.unlock()
    }
  }
}

interface NewEvent {
  readonly time: number
  readonly slot: number
  readonly weight: number
  /** Whether its caller has no other event. */
  readonly isFirst: boolean
}

/** A ring that doubles where it is full. The event of a number is at that number modulo the capacity, a power of two. */
function createEventQueue({ state: shared, oldest: heads, newest: tails, ...memory }: WindowsMemory) {
  const state = new Int32Array(shared)
  const [oldestOf, newestOf] = [new Int32Array(heads), new Int32Array(tails)]
  const columns = [memory.times, memory.slots, memory.weights, memory.next] as const
  const [times, slots, weights, next] = [
    new Float64Array(memory.times),
    new Int32Array(memory.slots),
    new Int32Array(memory.weights),
    new Int32Array(memory.next),
  ]
  const capacity = (): number => slots.length
  const numberAt = (i: number): number => ((state[FRONT] as number) + i) | 0
  const indexOf = (number: number): number => number & (capacity() - 1)

  /** Half of the events move into the part that is new. */
  const grow = (): void => {
    const [before, length] = [capacity(), state[LENGTH] as number]
    for (const column of columns) column.grow(2 * column.byteLength)
    for (let i = 0; i < length; i++) {
      const [from, to] = [numberAt(i) & (before - 1), indexOf(numberAt(i))]
      if (from !== to) for (const values of [times, slots, weights, next]) values[to] = values[from] as number
    }
  }
  return {
    get length(): number {
      return state[LENGTH] as number
    },
    isFull: (): boolean => state[LENGTH] === EVENTS_MAX,
    oldest: (): number => times[indexOf(numberAt(0))] as number,
    newest: (): number => times[indexOf(numberAt((state[LENGTH] as number) - 1))] as number,
    /** Appends an event, in the order of time: threads read the clock before they have the lock. */
    push({ time, slot, weight, isFirst }: NewEvent): void {
      const length = state[LENGTH] as number
      if (length === capacity()) grow()
      const number = numberAt(length)
      const at = indexOf(number)
      times[at] = length === 0 ? time : Math.max(time, this.newest())
      slots[at] = slot
      weights[at] = weight
      if (isFirst) oldestOf[slot] = number
      else next[indexOf(newestOf[slot] as number)] = number
      newestOf[slot] = number
      state[LENGTH] = length + 1
    },
    shift(): { readonly slot: number; readonly weight: number } {
      const at = indexOf(numberAt(0))
      const slot = slots[at] as number
      oldestOf[slot] = next[at] as number
      state[FRONT] = numberAt(1)
      state[LENGTH] = (state[LENGTH] as number) - 1
      return { slot, weight: weights[at] as number }
    },
    /** The time of the event with which the oldest events of a slot reach this weight, which they have. */
    timeOf(slot: number, weight: number): number {
      let at = indexOf(oldestOf[slot] as number)
      for (let sum = weights[at] as number; sum < weight; sum += weights[at] as number) at = indexOf(next[at] as number)
      return times[at] as number
    },
  }
}
