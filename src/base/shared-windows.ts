/**
 * Sliding windows in memory that threads share: how many events each caller had within the last of them, exactly,
 * whichever thread counted them.
 *
 * The events of all callers are one queue in the order of time. At each count those that have left the window are taken
 * from its front, and from the sums of their callers. The queue grows with the number of events in one window.
 */
import { createKeyTable, keyTableMemory, type KeyTableMemory } from './key-table.ts'

/** Past this many callers, the oldest events are forgotten. */
const CALLERS_MAX = 131_072
const EVENTS_MIN = 4_096
/** 70,000 a second in windows of a minute. Past it, the oldest are forgotten. */
const EVENTS_MAX = 2 ** 22

/** The places of the queue's state. */
const [FRONT, LENGTH] = [0, 1]

export interface WindowsMemory {
  readonly table: KeyTableMemory
  /** Of each caller: the weight of its events, and until when one more is certainly too many. */
  readonly sums: SharedArrayBuffer
  readonly blocked: SharedArrayBuffer
  readonly state: SharedArrayBuffer
  /** Of each event: its time, its slot and its weight. */
  readonly times: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
  readonly weights: SharedArrayBuffer
}

export function windowsMemory(): WindowsMemory {
  const growing = (bytes: number): SharedArrayBuffer =>
    new SharedArrayBuffer(EVENTS_MIN * bytes, { maxByteLength: EVENTS_MAX * bytes })
  return {
    table: keyTableMemory(CALLERS_MAX),
    sums: new SharedArrayBuffer(CALLERS_MAX * Int32Array.BYTES_PER_ELEMENT),
    blocked: new SharedArrayBuffer(CALLERS_MAX * Float64Array.BYTES_PER_ELEMENT),
    state: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
    times: growing(Float64Array.BYTES_PER_ELEMENT),
    slots: growing(Int32Array.BYTES_PER_ELEMENT),
    weights: growing(Int32Array.BYTES_PER_ELEMENT),
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
  const [sums, blocked] = [new Int32Array(memory.sums), new Float64Array(memory.blocked)]
  const queue = createEventQueue(memory)

  const forgetOldest = (): void => {
    const { slot, weight } = queue.shift()
    const left = (sums[slot] as number) - weight
    sums[slot] = left
    if (left > 0) return
    blocked[slot] = 0
    table.free(slot)
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
    if (known !== -1 && tooMany > 0) {
      if (weight > 1) return queue.timeOf(known, tooMany) + windowMs - now
      if ((blocked[known] as number) <= now) blocked[known] = queue.timeOf(known, tooMany) + windowMs
      return (blocked[known] as number) - now
    }
    if (queue.isFull()) forgetOldest()
    const slot = slotOf(caller)
    sums[slot] = (sums[slot] as number) + weight
    queue.push(now, slot, weight)
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

/** A ring that doubles where it is full. */
function createEventQueue({ state: shared, ...memory }: WindowsMemory) {
  const state = new Int32Array(shared)
  const columns = [memory.times, memory.slots, memory.weights] as const
  const [times, slots, weights] = [
    new Float64Array(memory.times),
    new Int32Array(memory.slots),
    new Int32Array(memory.weights),
  ]
  const capacity = (): number => slots.length
  const place = (i: number): number => ((state[FRONT] as number) + i) & (capacity() - 1)

  /** What stands before the front, at the beginning of the ring, moves behind what was its end. */
  const grow = (): void => {
    const [before, front] = [capacity(), state[FRONT] as number]
    for (const column of columns) column.grow(2 * column.byteLength)
    for (const values of [times, slots, weights]) values.copyWithin(before, 0, front)
  }
  return {
    get length(): number {
      return state[LENGTH] as number
    },
    isFull: (): boolean => state[LENGTH] === EVENTS_MAX,
    oldest: (): number => times[place(0)] as number,
    newest: (): number => times[place((state[LENGTH] as number) - 1)] as number,
    /** Appends an event, in the order of time: threads read the clock before they have the lock. */
    push(time: number, slot: number, weight: number): void {
      const length = state[LENGTH] as number
      if (length === capacity()) grow()
      const at = place(length)
      times[at] = length === 0 ? time : Math.max(time, this.newest())
      slots[at] = slot
      weights[at] = weight
      state[LENGTH] = length + 1
    },
    shift(): { readonly slot: number; readonly weight: number } {
      const at = place(0)
      state[FRONT] = place(1)
      state[LENGTH] = (state[LENGTH] as number) - 1
      return { slot: slots[at] as number, weight: weights[at] as number }
    },
    /** The time of the event with which the oldest events of a slot reach this weight. */
    timeOf(slot: number, weight: number): number {
      let sum = 0
      for (let i = 0; i < (state[LENGTH] as number); i++) {
        const at = place(i)
        if (slots[at] === slot && (sum += weights[at] as number) >= weight) return times[at] as number
      }
      throw new Error('A caller has fewer events than were counted')
    },
  }
}
