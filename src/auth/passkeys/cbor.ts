/**
 * Reads CBOR (RFC 8949) as authenticators write it: definite lengths, and integers, strings, arrays, maps and simple values
 * (CTAP 2.1 section 8). Everything else is refused.
 */

/** What CTAP allows is four levels deep. */
const DEPTH_MAX = 8

export type CborKey = number | string
export type CborValue = number | string | boolean | null | Uint8Array | readonly CborValue[] | CborMap
export type CborMap = ReadonlyMap<CborKey, CborValue>

/** A text that is no CBOR of this kind; the message says where. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** Reads one value at an offset, and returns it with the offset behind it. Throws CborError. */
export function readCbor(bytes: Uint8Array, offset = 0): { readonly value: CborValue; readonly end: number } {
  const reader = createReader(bytes, offset)
  const value = reader.value(0)
  return { value, end: reader.position() }
}

/** Reads bytes that are one value and nothing more. Throws CborError. */
export function readWholeCbor(bytes: Uint8Array): CborValue {
  const { value, end } = readCbor(bytes)
  if (end !== bytes.length) throw new CborError(`${bytes.length - end} bytes follow the value`)
  return value
}

const UNSIGNED = 0
const NEGATIVE = 1
const BYTES = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const SIMPLE = 7
/** Of the argument of a head (RFC 8949 section 3): below it is the value, above it the size of the value. */
const SHORT_MAX = 23

function createReader(bytes: Uint8Array, start: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = start
  /** Moves on by a number of bytes that are there. */
  const take = (count: number): number => {
    if (count > bytes.length - at) throw new CborError(`${count} bytes are wanted at ${at}: found ${bytes.length - at}`)
    at += count
    return at - count
  }
  const argument = (short: number): number => {
    if (short <= SHORT_MAX) return short
    if (short === 24) return view.getUint8(take(1))
    if (short === 25) return view.getUint16(take(2))
    if (short === 26) return view.getUint32(take(4))
    throw new CborError(`A head of type ${short} at ${at - 1} is not used by authenticators`)
  }
  const string = (length: number): Uint8Array => {
    const from = take(length)
    return bytes.subarray(from, from + length)
  }
  const value = (depth: number): CborValue => {
    if (depth > DEPTH_MAX) throw new CborError(`At most ${DEPTH_MAX} levels are read`)
    const head = view.getUint8(take(1))
    const [major, short] = [head >> 5, head & 0x1f]
    if (major === SIMPLE) return simple(short)
    const n = argument(short)
    if (major === UNSIGNED) return n
    if (major === NEGATIVE) return -1 - n
    if (major === BYTES) return string(n)
    if (major === TEXT) return textOf(string(n))
    if (major === ARRAY) return items(n, depth)
    if (major === MAP) return map(n, depth)
    throw new CborError(`A value of major type ${major} at ${at - 1} is not used by authenticators`)
  }
  // Each item takes a byte at least, so a count that was made up ends with the bytes.
  const items = (count: number, depth: number): readonly CborValue[] => {
    const found: CborValue[] = []
    while (found.length < count) found.push(value(depth + 1))
    return found
  }
  const map = (count: number, depth: number): CborMap => {
    const found = new Map<CborKey, CborValue>()
    for (let i = 0; i < count; i++) {
      const key = value(depth + 1)
      if (typeof key !== 'number' && typeof key !== 'string') throw new CborError('A key is neither a number nor a text')
      if (found.has(key)) throw new CborError(`The key ${JSON.stringify(key)} is there twice`)
      found.set(key, value(depth + 1))
    }
    return found
  }
  return { value, position: () => at }
}

function simple(short: number): boolean | null {
  if (short === 20) return false
  if (short === 21) return true
  if (short === 22) return null
  throw new CborError(`The simple value ${short} is not used by authenticators`)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new CborError('A text is not UTF-8')
  }
}
