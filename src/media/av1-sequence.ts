/**
 * The size that AV1 data says it decodes to: the sequence header of its OBUs (AV1 bitstream specification, sections 5.3 and
 * 5.5). Decoders make room for this size, whatever the boxes around the data declare.
 */
import type { Size } from './avif-items.ts'
import { damaged, refused } from './picture-format.ts'

/** Of one file: an image has two to five, and a file may name the same data again and again. */
const OBUS_MAX = 5_000
const SEQUENCE_HEADER = 1
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
  for (let at = 0; at < data.length; ) {
    countPart()
    const header = data[at] ?? 0
    if ((header & 0x80) !== 0) throw damaged('avif', 'its AV1 data cannot be read')
    const hasExtension = (header & 4) !== 0
    const begin = at + (hasExtension ? 2 : 1)
    const { length, bytes } = (header & 2) === 0 ? { length: data.length - begin, bytes: 0 } : leb128(data, begin)
    at = begin + bytes + length
    if (length < 0 || at > data.length) throw damaged('avif', 'its AV1 data ends before its end')
    if (((header >> 3) & 15) === SEQUENCE_HEADER) sizes.push(sizeInHeader(data.subarray(begin + bytes, at)))
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

/** Section 5.5.1, up to the size. */
function sizeInHeader(header: Buffer): Size {
  const { bits, skip } = bitsOf(header)
  // seq_profile and still_picture
  skip(4)
  const isReduced = bits(1) === 1
  if (isReduced) skip(5)
  else skipOperatingPoints(header, bits, skip)
  const [widthBits, heightBits] = [bits(4) + 1, bits(4) + 1]
  return { width: bits(widthBits) + 1, height: bits(heightBits) + 1 }
}

/** What a header that is not reduced has in front of its size: times, and levels of up to 32 operating points. */
function skipOperatingPoints(header: Buffer, bits: (count: number) => number, skip: (count: number) => void): void {
  let delayBits = 0
  if (bits(1) === 1) {
    skip(64)
    if (bits(1) === 1) skipUvlc(header, bits, skip)
    if (bits(1) === 1) {
      delayBits = bits(5) + 1
      skip(42)
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
