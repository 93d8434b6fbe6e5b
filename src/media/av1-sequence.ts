/**
 * The size that AV1 data says it decodes to: the sequence header of its OBUs (AV1 bitstream specification, sections 5.3 and
 * 5.5). Decoders make room for this size, whatever the boxes around the data declare. A frame may have a size of its own, which
 * decoders do not compare with it: data with such a frame is refused (frame_size_override_flag, sections 5.9.2 and 5.9.5).
 */
import type { Size } from './avif-items.ts'
import { damaged, refused } from './picture-format.ts'

/** Of one file: an image has two to five, and a file may name the same data again and again. */
const OBUS_MAX = 5_000
const SEQUENCE_HEADER = 1
/** OBU_FRAME_HEADER, OBU_FRAME and OBU_REDUNDANT_FRAME_HEADER: each begins with the header of a frame. */
const FRAMES: ReadonlySet<number> = new Set([3, 6, 7])
/** Frame types that section 5.9.2 treats on their own. */
const [KEY_FRAME, SWITCH_FRAME] = [0, 3]
/** Of a length in leb128 (section 4.10.5). */
const LENGTH_BYTES_MAX = 8

/**
 * For one file: gives the sizes in all sequence headers of some data, in their order. That throws invalidInput for data that is
 * damaged, and where all the data has too many parts.
 */
export function sequenceReader(): (data: Buffer) => readonly Size[] {
  let obus = 0
  return (data) =>
    sequenceSizes(data, () => {
      if (++obus > OBUS_MAX) throw refused(`expected at most ${OBUS_MAX} parts of AV1 data in an AVIF, found more`)
    })
}

function sequenceSizes(data: Buffer, countPart: () => void): readonly Size[] {
  const sizes: Size[] = []
  let sequence: Sequence | undefined
  for (let at = 0; at < data.length; ) {
    countPart()
    const header = data[at] ?? 0
    if ((header & 0x80) !== 0) throw damaged('avif', 'its AV1 data cannot be read')
    const hasExtension = (header & 4) !== 0
    const begin = at + (hasExtension ? 2 : 1)
    const { length, bytes } = (header & 2) === 0 ? { length: data.length - begin, bytes: 0 } : leb128(data, begin)
    at = begin + bytes + length
    if (length < 0 || at > data.length) throw damaged('avif', 'its AV1 data ends before its end')
    const [type, held] = [(header >> 3) & 15, data.subarray(begin + bytes, at)]
    if (type === SEQUENCE_HEADER) {
      sequence = readSequence(held)
      sizes.push(sequence.size)
    } else if (FRAMES.has(type)) requireNoOwnSize(held, sequence)
  }
  return sizes
}

function leb128(data: Buffer, at: number): { readonly length: number; readonly bytes: number } {
  let length = 0
  for (let n = 0; n < LENGTH_BYTES_MAX; n++) {
    const byte = data[at + n] ?? 0
    length += (byte & 0x7f) * 2 ** (7 * n)
    if ((byte & 0x80) === 0) return { length, bytes: n + 1 }
  }
  throw damaged('avif', 'its AV1 data cannot be read')
}

/** What a sequence header says of its frames: of one that is reduced, none has a size of its own. */
interface Sequence {
  readonly size: Size
  readonly frames: FrameFacts | 'reduced'
}

/** What decides which bits stand before frame_size_override_flag. */
interface FrameFacts {
  /** Bits of a time that frames which are shown have; 0 where they have none. */
  readonly timeBits: number
  /** Bits of an id that every frame has; 0 where they have none. */
  readonly idBits: number
  /** 0 and 1 are for all frames; with 2, each says it. */
  readonly screenTools: number
  readonly integerVectors: number
}

/** Section 5.5.1, up to what the headers of frames depend on. */
function readSequence(header: Buffer): Sequence {
  const { bits, skip } = bitsOf(header)
  // seq_profile and still_picture
  skip(4)
  const isReduced = bits(1) === 1
  if (isReduced) skip(5)
  const timeBits = isReduced ? 0 : readOperatingPoints(header, bits, skip)
  const [widthBits, heightBits] = [bits(4) + 1, bits(4) + 1]
  const size = { width: bits(widthBits) + 1, height: bits(heightBits) + 1 }
  if (isReduced) return { size, frames: 'reduced' }
  const idBits = bits(1) === 1 ? bits(4) + bits(3) + 3 : 0
  // Superblocks, filters, and what is compound or warped.
  skip(7)
  const hasOrder = bits(1) === 1
  if (hasOrder) skip(2)
  const screenTools = bits(1) === 1 ? 2 : bits(1)
  const integerVectors = screenTools === 0 || bits(1) === 1 ? 2 : bits(1)
  return { size, frames: { timeBits, idBits, screenTools, integerVectors } }
}

/**
 * What a header that is not reduced has in front of its size: times, and levels of up to 32 operating points. Returns the bits of
 * the time of a frame.
 */
function readOperatingPoints(header: Buffer, bits: (count: number) => number, skip: (count: number) => void): number {
  let [delayBits, timeBits] = [0, 0]
  if (bits(1) === 1) {
    skip(64)
    const isSteady = bits(1) === 1
    if (isSteady) skipUvlc(header, bits, skip)
    if (bits(1) === 1) {
      delayBits = bits(5) + 1
      skip(37)
      const length = bits(5) + 1
      timeBits = isSteady ? 0 : length
    }
  }
  const hasDisplayDelay = bits(1) === 1
  for (let points = bits(5) + 1; points > 0; points--) {
    skip(12)
    // A tier follows the higher levels.
    if (bits(5) > 7) skip(1)
    if (delayBits > 0 && bits(1) === 1) skip(2 * delayBits + 1)
    if (hasDisplayDelay && bits(1) === 1) skip(4)
  }
  return timeBits
}

/** Section 5.9.2, up to frame_size_override_flag. Throws invalidInput where it is set, or nothing says what the header means. */
function requireNoOwnSize(header: Buffer, sequence: Sequence | undefined): void {
  if (sequence === undefined) throw damaged('avif', 'an image has a frame in front of its AV1 sequence header')
  const { frames } = sequence
  if (frames === 'reduced') return
  const { bits, skip } = bitsOf(header)
  // A frame that was decoded before is shown.
  if (bits(1) === 1) return
  const [type, isShown] = [bits(2), bits(1) === 1]
  if (isShown) skip(frames.timeBits)
  // showable_frame
  else skip(1)
  // error_resilient_mode
  if (type !== SWITCH_FRAME && !(type === KEY_FRAME && isShown)) skip(1)
  // disable_cdf_update
  skip(1)
  const hasScreenTools = (frames.screenTools === 2 ? bits(1) : frames.screenTools) === 1
  if (hasScreenTools && frames.integerVectors === 2) skip(1)
  skip(frames.idBits)
  if (type === SWITCH_FRAME || bits(1) === 1) throw refused('it has an AV1 frame with a size of its own, expected that of its image: save it again without layers')
}

/** Section 4.10.3: as many zeros as bits follow the one behind them; with 32 zeros or more, none follow. */
function skipUvlc(header: Buffer, bits: (count: number) => number, skip: (count: number) => void): void {
  let zeros = 0
  while (zeros < 8 * header.length && bits(1) === 0) zeros++
  if (zeros < 32) skip(zeros)
}

/** Reads bits from the first. Throws invalidInput past the end. */
function bitsOf(data: Buffer) {
  let at = 0
  const skip = (count: number): void => {
    at += count
    if (at > 8 * data.length) throw damaged('avif', 'its AV1 data ends before its end')
  }
  return {
    skip,
    /** A whole number of up to 16 bits. */
    bits(count: number): number {
      let value = 0
      for (const end = at + count; at < end; ) {
        const bit = ((data[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
        skip(1)
        value = 2 * value + bit
      }
      return value
    },
  }
}
