/**
 * PNG with its animations (https://www.w3.org/TR/png-3/): chunks up to IEND, each with its checksum. Kept are those that
 * decide how the picture looks; texts, times, Exif and chunks of other programs go.
 */
import { crc32 } from 'node:zlib'
import { isCompressedProfile } from './colour-profile.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { damaged, frameCount, PROFILE_BYTES_MAX, requireSize, type Picture } from './picture-format.ts'

const SIGNATURE_BYTES = 8
const HEADER_BYTES = 13
/** Length, type and checksum. */
const FRAMING_BYTES = 12
/** Chunks without which the picture cannot be shown. */
const CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND']
/** Chunks that a picture can have many of. */
const REPEATED = ['IDAT', 'fcTL', 'fdAT']
/** The bytes of the chunks that are kept: of any colour type, or by it. A chunk of another length holds more than it is for. */
const LENGTHS: Readonly<Record<string, number | Readonly<Record<number, number>>>> = {
  ...{ IHDR: 13, IEND: 0, cHRM: 32, gAMA: 4, sRGB: 1, cICP: 4, mDCV: 24, cLLI: 8, pHYs: 9, acTL: 8, fcTL: 26 },
  sBIT: { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 },
  bKGD: { 0: 2, 2: 6, 3: 1, 4: 2, 6: 6 },
  tRNS: { 0: 2, 2: 6 },
}
const COLOURS_MAX = 256
const PALETTE = 3
const COLOUR_TYPE_AT = SIGNATURE_BYTES + 8 + 9
/** Bits of a sample that each colour type may have. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }

/** Throws invalidInput for a file that is damaged. */
export function cleanPng(kept: KeptBytes): Picture {
  const { bytes } = kept
  kept.keep(0, SIGNATURE_BYTES)
  const size = readHeader(bytes)
  const frames = frameCount()
  const [colours, seen] = [bytes[COLOUR_TYPE_AT] ?? 0, new Set<string>()]
  let [announced, hasData] = [0, false]
  for (let at = SIGNATURE_BYTES; ; ) {
    kept.countPart()
    const length = at + FRAMING_BYTES <= bytes.length ? bytes.readUInt32BE(at) : Infinity
    const [begin, end] = [at + 8, at + FRAMING_BYTES + length]
    if (end > bytes.length) throw damaged('png', 'it ends before its end')
    const type = bytes.toString('latin1', at + 4, begin)
    // Of several, the first counts, also where it is wrong: looking into a colour profile takes time.
    const isFurther = seen.has(type)
    seen.add(type)
    if ((!isFurther || REPEATED.includes(type)) && isRight(type, bytes.subarray(begin, end - 4), colours)) {
      if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw damaged('png', `the checksum of ${type} is wrong`)
      if (type === 'acTL') announced = bytes.readUInt32BE(begin)
      if (type === 'fcTL') addFrame(frames, bytes.subarray(begin, end - 4), size)
      hasData ||= type === 'IDAT'
      kept.keep(at, end)
    } else if (CRITICAL.includes(type)) throw damaged('png', isFurther ? `it has two chunks ${type}` : `its chunk ${type} has a wrong length`)
    else if (type === 'fcTL') throw damaged('png', 'a frame cannot be read')
    else if (isCritical(bytes[at + 4])) throw damaged('png', `there is no chunk ${JSON.stringify(type)}`)
    if (type === 'IEND') break
    at = end
  }
  if (!hasData) throw damaged('png', 'it has no image')
  if (announced !== frames.total()) throw damaged('png', `it announces ${announced} frames and has ${frames.total()}`)
  return { format: 'png', ...size, frames: Math.max(1, announced), bytes: kept.done() }
}

function readHeader(bytes: Buffer): { readonly width: number; readonly height: number } {
  const begin = SIGNATURE_BYTES + 8
  if (bytes.length < begin + HEADER_BYTES + 4 || bytes.readUInt32BE(SIGNATURE_BYTES) !== HEADER_BYTES || bytes.toString('latin1', begin - 4, begin) !== 'IHDR') {
    throw damaged('png', 'its size cannot be read')
  }
  const [width, height] = [bytes.readUInt32BE(begin), bytes.readUInt32BE(begin + 4)]
  const [depth = 0, colours = -1, compression, filter, interlace = 2] = bytes.subarray(begin + 8, begin + HEADER_BYTES)
  if (DEPTHS[colours]?.includes(depth) !== true || compression !== 0 || filter !== 0 || interlace > 1) throw damaged('png', 'its colours cannot be read')
  requireSize(width, height)
  return { width, height }
}

/** Whether a chunk is one that is kept, and holds what it is for. */
function isRight(type: string, data: Buffer, colours: number): boolean {
  const [wanted, { length }] = [LENGTHS[type], data]
  if (type === 'IDAT' || type === 'fdAT') return true
  if (type === 'PLTE') return length > 0 && length % 3 === 0 && length <= 3 * COLOURS_MAX
  if (type === 'tRNS' && colours === PALETTE) return length > 0 && length <= COLOURS_MAX
  if (type === 'iCCP') return length <= PROFILE_BYTES_MAX && isCompressedProfile(data)
  return wanted !== undefined && length === (typeof wanted === 'number' ? wanted : wanted[colours])
}

/** A frame control chunk: number, width, height, place, and how long the frame is shown. */
function addFrame(frames: ReturnType<typeof frameCount>, control: Buffer, canvas: { readonly width: number; readonly height: number }): void {
  const [width, height, x, y] = [control.readUInt32BE(4), control.readUInt32BE(8), control.readUInt32BE(12), control.readUInt32BE(16)]
  if (x + width > canvas.width || y + height > canvas.height) throw damaged('png', 'a frame is larger than the picture')
  frames.add(width, height)
}

/** The fifth bit of the first letter is 0 for a chunk without which the picture cannot be shown. */
function isCritical(letter: number | undefined): boolean {
  return ((letter ?? 0) & 0x20) === 0
}
