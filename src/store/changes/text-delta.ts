/**
 * An earlier text as its difference from the text that replaced it: how many bytes both share at their start and at their
 * end, a run of bytes that they share between, and the bytes around it. A change of a document concerns `updatedAt` and one
 * other member, which may stand far apart: so a version of 2 KB takes some tens of bytes. It is a binary format over UTF-8,
 * so that no difference begins within a character.
 *
 * Layout: coding (1 byte: 0 as is, 1 zstd, RFC 8878); then 4 bytes each, big-endian: shared start, shared end, where the
 * shared run begins in the later text, its length, and how many of the bytes that follow stand in front of it.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const HEADER_BYTES = 21
const [AS_IS, ZSTD] = [0, 1]
/** Compressing takes 30 µs, however short the text: bytes of this number are worth it. */
const COMPRESSED_FROM_BYTES = 8 * 1024
/** A shorter run is not worth its place in the header. */
const RUN_BYTES_MIN = 16
/** Far more than a document has: what a damaged file claims to hold is not unpacked. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024

/** The delta from which textOf() makes the earlier text. Without a later one, it holds the whole text. */
export function deltaOf(earlier: Uint8Array, later: Uint8Array = new Uint8Array()): Uint8Array {
  const [a, b] = [viewOf(earlier), viewOf(later)]
  const shorter = Math.min(a.byteLength, b.byteLength)
  const start = sharedForward(a, 0, b, 0, shorter)
  const end = sharedBackward(a, a.byteLength, b, b.byteLength, shorter - start)
  const middle = earlier.subarray(start, earlier.length - end)
  const run = sharedRun(viewOf(middle), viewOf(later.subarray(start, later.length - end)))
  const own = run.length === 0 ? middle : Buffer.concat([middle.subarray(0, run.at), middle.subarray(run.at + run.length)])
  const isLong = own.length >= COMPRESSED_FROM_BYTES
  const body = isLong ? zstdCompressSync(own) : own
  const delta = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  delta.writeUInt8(isLong ? ZSTD : AS_IS, 0)
  delta.writeUInt32BE(start, 1)
  delta.writeUInt32BE(end, 5)
  delta.writeUInt32BE(start + run.laterAt, 9)
  delta.writeUInt32BE(run.length, 13)
  delta.writeUInt32BE(run.at, 17)
  delta.set(body, HEADER_BYTES)
  return delta
}

/** The earlier text. A whole delta needs no later one. Throws for a delta of another later text, and for none at all. */
export function textOf(delta: Uint8Array, later: Uint8Array = new Uint8Array()): Uint8Array {
  const { start, end, runAt, runLength, before, body } = read(delta)
  if (start + end > later.length || runAt + runLength > later.length) {
    throw new Error('A delta does not fit the text that it is a difference from')
  }
  const run = later.subarray(runAt, runAt + runLength)
  return Buffer.concat([later.subarray(0, start), body().subarray(0, before), run, body().subarray(before), later.subarray(later.length - end)])
}

/** Whether a delta holds the whole text. */
export function isWhole(delta: Uint8Array): boolean {
  const { start, end, runLength } = read(delta)
  return start + end + runLength === 0
}

function read(delta: Uint8Array) {
  const view = Buffer.from(delta.buffer, delta.byteOffset, delta.byteLength)
  const [start, end, runAt, runLength, before] = [1, 5, 9, 13, 17].map((at) => view.readUInt32BE(at)) as [number, number, number, number, number]
  let unpacked: Uint8Array | undefined
  const body = (): Uint8Array => (unpacked ??= unpack(view))
  return { start, end, runAt, runLength, before, body }
}

function unpack(view: Buffer): Uint8Array {
  const body = view.subarray(HEADER_BYTES)
  return view.readUInt8(0) === ZSTD ? zstdDecompressSync(body, { maxOutputLength: TEXT_BYTES_MAX }) : body
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Bytes that are compared at once: a loop over single ones takes three times as long. */
const WORD = 4

/** How many bytes are the same from a place in each text on, up to `max`. */
function sharedForward(a: DataView, aFrom: number, b: DataView, bFrom: number, max: number): number {
  let shared = 0
  while (shared + WORD <= max && a.getInt32(aFrom + shared) === b.getInt32(bFrom + shared)) shared += WORD
  while (shared < max && a.getInt8(aFrom + shared) === b.getInt8(bFrom + shared)) shared++
  return shared
}

/** The same up to a place in each text. */
function sharedBackward(a: DataView, aEnd: number, b: DataView, bEnd: number, max: number): number {
  let shared = 0
  while (shared + WORD <= max && a.getInt32(aEnd - shared - WORD) === b.getInt32(bEnd - shared - WORD)) shared += WORD
  while (shared < max && a.getInt8(aEnd - shared - 1) === b.getInt8(bEnd - shared - 1)) shared++
  return shared
}

/** A run of bytes that two texts share, and where it begins in each. */
interface Run {
  readonly at: number
  readonly laterAt: number
  readonly length: number
}
const NO_RUN: Run = { at: 0, laterAt: 0, length: 0 }

/**
 * The longest run among those that stand equally far from the ends of both texts, and from their starts: of two changes, one
 * may be of any length, the other leaves the length as it is, as that of a date does. A run of half the text is long enough.
 */
function sharedRun(earlier: DataView, later: DataView): Run {
  const [length, laterLength] = [earlier.byteLength, later.byteLength]
  const fromEnd = longestRun(earlier, later, laterLength - length)
  if (length === laterLength || fromEnd.length * 2 > length) return fromEnd
  const fromStart = longestRun(earlier, later, 0)
  return fromStart.length > fromEnd.length ? fromStart : fromEnd
}

/** The longest run that stands `shift` bytes further in the later text. */
function longestRun(earlier: DataView, later: DataView, shift: number): Run {
  const stop = Math.min(earlier.byteLength, later.byteLength - shift)
  let [at, length] = [0, RUN_BYTES_MIN - 1]
  for (let from = Math.max(0, -shift); stop - from > length; ) {
    // The last byte that a longer run would have comes first: where it differs, no run from here up to there is longer.
    const end = from + length + 1
    const same = sharedBackward(earlier, end, later, end + shift, length + 1)
    if (same > length) {
      ;[at, length] = [from, same + sharedForward(earlier, end, later, end + shift, stop - end)]
      from = at + length + 1
    } else from = end - same
  }
  return length < RUN_BYTES_MIN ? NO_RUN : { at, laterAt: at + shift, length }
}
