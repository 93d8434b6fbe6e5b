/**
 * Sums under keys over all threads, such as the connections of each client. Each thread adds to a column of its
 * own, so that what a thread held is taken off when it ends.
 */
import { createKeyTable, keyTableMemory, type KeyTableMemory } from './key-table.ts'

export interface CountsMemory {
  readonly table: KeyTableMemory
  readonly threads: number
  readonly values: SharedArrayBuffer
  /** Of each thread: the sum over all keys. */
  readonly totals: SharedArrayBuffer
}

export function countsMemory(threads: number, keysMax: number): CountsMemory {
  const bytes = Int32Array.BYTES_PER_ELEMENT
  return {
    table: keyTableMemory(keysMax),
    threads,
    values: new SharedArrayBuffer(threads * keysMax * bytes),
    totals: new SharedArrayBuffer(threads * bytes),
  }
}

export type SharedCounts = ReturnType<typeof createSharedCounts>

/** Where there is one thread. */
export function countsOfOneThread(keysMax: number): SharedCounts {
  return createSharedCounts(countsMemory(1, keysMax), 0)
}

/** `thread` is the number of this one, from 0. */
export function createSharedCounts(memory: CountsMemory, thread: number) {
  const { threads } = memory
  const table = createKeyTable(memory.table)
  const [values, totals] = [new Int32Array(memory.values), new Int32Array(memory.totals)]
  const sumOf = (slot: number): number => {
    let sum = 0
    for (let i = 0; i < threads; i++) sum += values[slot * threads + i] as number
    return sum
  }
  const locked = <T>(work: () => T): T => {
    table.lock()
    try {
      return work()
    } finally {
      table.unlock()
    }
  }
  const addTo = (slot: number, by: number, column: number): number => {
    const at = slot * threads + column
    values[at] = Math.max(0, (values[at] as number) + by)
    const sum = sumOf(slot)
    if (sum === 0) table.free(slot)
    return sum
  }
  return {
    /**
     * Adds to the sum of a key, and returns it. Past the number of keys, new ones are not counted, nor what is taken off
     * them later: their sum is 0.
     */
    add: (key: string, by: number): number =>
      locked(() => {
        const slot = by > 0 ? table.take(key) : table.find(key)
        return slot === -1 ? 0 : addTo(slot, by, thread)
      }),
    of: (key: string): number =>
      locked(() => {
        const slot = table.find(key)
        return slot === -1 ? 0 : sumOf(slot)
      }),
    /** Adds to a sum without a key. */
    addToTotal: (by: number): void => void Atomics.add(totals, thread, by),
    total: (): number => totals.reduce((sum, _, i) => sum + Atomics.load(totals, i), 0),
    /** Takes off all that a thread, which has ended, added. */
    forget(ended: number): void {
      Atomics.store(totals, ended, 0)
      locked(() => {
        for (let slot = 0; slot < table.end; slot++) {
          const held = values[slot * threads + ended] as number
          if (held !== 0) addTo(slot, -held, ended)
        }
      })
    },
  }
}
