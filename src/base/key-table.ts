/**
 * A table from texts to numbers in memory that threads share.
 *
 * A slot has the hash of its text, 64 bits under a seed that no client knows, so that texts need no room: two texts of one
 * hash would share their numbers, once in 10⁹ runs with 100,000 texts. Slots keep their place until they are freed, so
 * that others may name them. Every use of the table stands between lock() and unlock().
 *
 * The lock is held for a microsecond, and names its holder. A thread may be ended while it holds it, so one that finds the
 * same holder for LOCK_MS_MAX takes it over: far longer than a thread that lives waits for a core, since two in the table
 * at once would break it. The one that lost the lock in this way does not release it for the other.
 */
import { randomInt } from 'node:crypto'

const SPINS = 200
const LOCK_MS_MAX = 500

/** The places of the header. */
const [LOCK, USED, FREE, SEED, HOLDERS] = [0, 1, 2, 3, 5]
const HEADER = 6

export interface KeyTableMemory {
  readonly cells: SharedArrayBuffer
  readonly slots: number
}

/** Memory for so many texts, a power of two. Pages of it that were never used take nothing. */
export function keyTableMemory(slots: number): KeyTableMemory {
  const cells = new SharedArrayBuffer((HEADER + 4 * slots) * Int32Array.BYTES_PER_ELEMENT)
  const header = new Int32Array(cells)
  header[SEED] = randomInt(2 ** 31)
  header[SEED + 1] = randomInt(2 ** 31)
  return { cells, slots }
}

export function createKeyTable({ cells, slots }: KeyTableMemory) {
  const header = new Int32Array(cells, 0, HEADER)
  const column = (i: number): Int32Array =>
    new Int32Array(cells, (HEADER + i * slots) * Int32Array.BYTES_PER_ELEMENT, slots)
  /** Slots are written as their number and one, so that memory of zeroes is an empty table. */
  const [heads, nexts, highs, lows] = [column(0), column(1), column(2), column(3)] as const
  const own = Atomics.add(header, HOLDERS, 1) + 1
  let [high, low] = [0, 0]

  /** Sets `high` and `low` to the hash of a text: FNV-1a under two seeds, with a last mix. */
  const hash = (text: string): void => {
    let [a, b] = [header[SEED] as number, header[SEED + 1] as number]
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 13)
    }
    high = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d)
    low = Math.imul(b ^ (b >>> 12), 0x297a2d39) ^ (b >>> 15)
  }
  const bucketOf = (): number => (high ^ (low >>> 7)) & (slots - 1)
  const found = (): number => {
    for (let at = heads[bucketOf()] as number; at !== 0; at = nexts[at - 1] as number) {
      if (highs[at - 1] === high && lows[at - 1] === low) return at - 1
    }
    return -1
  }
  const freeSlot = (): number => {
    const free = header[FREE] as number
    if (free !== 0) {
      header[FREE] = nexts[free - 1] as number
      return free - 1
    }
    const used = header[USED] as number
    if (used >= slots) return -1
    header[USED] = used + 1
    return used
  }

  return {
    lock(): void {
      for (let spin = 0; spin < SPINS; spin++) if (Atomics.compareExchange(header, LOCK, 0, own) === 0) return
      let [holder, ms] = [0, 0]
      for (;;) {
        const present = Atomics.compareExchange(header, LOCK, 0, own)
        if (present === 0) return
        if (present !== holder) [holder, ms] = [present, 0]
        if (ms++ >= LOCK_MS_MAX && Atomics.compareExchange(header, LOCK, holder, own) === holder) return
        Atomics.wait(header, LOCK, holder, 1)
      }
    },
    unlock: (): void => void Atomics.compareExchange(header, LOCK, own, 0),
    /** The slot of a text; -1 where it has none. */
    find(text: string): number {
      hash(text)
      return found()
    },
    /** The same, with a new slot where it has none; -1 where all are taken. */
    take(text: string): number {
      hash(text)
      const known = found()
      if (known !== -1) return known
      const slot = freeSlot()
      if (slot === -1) return -1
      const bucket = bucketOf()
      nexts[slot] = heads[bucket] as number
      heads[bucket] = slot + 1
      highs[slot] = high
      lows[slot] = low
      return slot
    },
    free(slot: number): void {
      high = highs[slot] as number
      low = lows[slot] as number
      const bucket = bucketOf()
      let before = -1
      for (let at = heads[bucket] as number; at !== slot + 1; at = nexts[at - 1] as number) {
        if (at === 0) return
        before = at - 1
      }
      const next = nexts[slot] as number
      if (before === -1) heads[bucket] = next
      else nexts[before] = next
      nexts[slot] = header[FREE] as number
      header[FREE] = slot + 1
    },
    /** One past the highest slot that was ever taken. */
    get end(): number {
      return header[USED] as number
    },
  }
}
