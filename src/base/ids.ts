/**
 * Item ids: 24 lower-case hex characters that grow with time.
 *
 * The layout is that of MongoDB's ObjectId where it matters (the first four bytes are seconds), so that ids of an
 * imported site and ours sort together by age. Then come ten bits of milliseconds and 54 bits from a cryptographic
 * generator. Within one millisecond each id is the one before plus a random step, so the order of creation holds.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

export type NewId = () => string

const ID = /^[0-9a-f]{24}$/
const TAIL_BITS = 54n
const STEP_BITS = 32n

/** Whether the text has the form of an item id. */
export function isId(text: string): boolean {
  return ID.test(text)
}

/** Makes a generator of ids. `random(n)` gives n unpredictable bytes; tests pass a seeded one. */
export function idGenerator(now: Clock, random: (bytes: number) => Uint8Array = randomBytes): NewId {
  let last = 0n
  return () => {
    const ms = now()
    const time = (BigInt(Math.floor(ms / 1000)) << 10n) | BigInt(Math.floor(ms % 1000))
    const fresh = (time << TAIL_BITS) | (bits(random(8)) >> (64n - TAIL_BITS))
    // Same millisecond, or a clock that went back: stay above the last id.
    last = fresh > last ? fresh : last + 1n + (bits(random(4)) & ((1n << STEP_BITS) - 1n))
    return last.toString(16).padStart(24, '0')
  }
}

function bits(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}
