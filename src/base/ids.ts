/**
 * Item ids: 24 lower-case hex characters that grow with time. The first four bytes are seconds, as in MongoDB's
 * ObjectId, so that ids of an imported site and new ones sort by age; then come ten bits of milliseconds and 54 random
 * ones. Within one millisecond each id is the one before plus a random step, so the order of creation holds.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

export type NewId = () => string

const ID = /^[0-9a-f]{24}$/
/** The tail of 54 bits, in two parts that fit a number: 22 bits and 32 bits. */
const HIGH_SIZE = 2 ** 22
const LOW_SIZE = 2 ** 32
/** Random bytes come in blocks: one call of the generator costs more than making an id. */
const BLOCK_BYTES = 4096

export function isId(text: string): boolean {
  return ID.test(text)
}

/** Makes a generator of ids. `random(n)` returns n unpredictable bytes; tests pass a seeded one. */
export function idGenerator(now: Clock, random: (bytes: number) => Buffer = randomBytes): NewId {
  const next = randomWords(random)
  let [ms, high, low] = [-1, 0, 0]
  return () => {
    const time = Math.floor(now())
    if (time > ms) {
      ms = time
      high = next() % HIGH_SIZE
      low = next()
    } else {
      // The same millisecond, or a clock that went back: stay above the last id.
      low += 1 + next()
      if (low >= LOW_SIZE) {
        low -= LOW_SIZE
        high++
      }
      if (high >= HIGH_SIZE) {
        high = 0
        ms++
      }
    }
    const millis = ms % 1000
    // 32 bits of seconds, then 10 bits of milliseconds and the 22 high bits of the tail, then its 32 low bits.
    return hex((ms - millis) / 1000) + hex(millis * HIGH_SIZE + high) + hex(low)
  }
}

/** Each byte as two digits: toString(16) of a number past 31 bits takes five times as long. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(word: number): string {
  return `${HEX[word >>> 24]}${HEX[(word >>> 16) & 0xff]}${HEX[(word >>> 8) & 0xff]}${HEX[word & 0xff]}`
}

function randomWords(random: (bytes: number) => Buffer): () => number {
  let block: Buffer = Buffer.alloc(0)
  let used = 0
  return () => {
    if (used === block.length) {
      block = random(BLOCK_BYTES)
      used = 0
    }
    const word = block.readUInt32LE(used)
    used += 4
    return word
  }
}
