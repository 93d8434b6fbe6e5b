/**
 * JPEG (ITU-T T.81): markers and segments up to the end of the image. Kept are tables, frame, scans, the JFIF header without
 * its thumbnail, the colour profile, and Adobe's note on the colours. Of Exif, only the orientation stays, in a segment of our
 * own: without it, a picture that its camera has noted as turned would lie on its side.
 */
import { isProfile } from './colour-profile.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { damaged, PROFILE_BYTES_MAX, refused, requireSize, type Picture } from './picture-format.ts'

const [START, END, SCAN, FRAME_MIN, FRAME_MAX] = [0xd8, 0xd9, 0xda, 0xc0, 0xcf]
/** Baseline, extended and progressive, with Huffman codes: what browsers decode. */
const FRAMES_SHOWN = [0xc0, 0xc1, 0xc2]
/** Tables of Huffman codes and of quantization, and the restart interval. */
const [CODES, QUANTIZATION, RESTART] = [0xc4, 0xdb, 0xdd]
const TABLES = [CODES, QUANTIZATION, RESTART]
/** In front of the values of a table of codes: its kind, and how many codes there are of each of 16 lengths. */
const CODES_BYTES = 17
/** At the beginning of each part of a colour profile; its number and the count of all follow. */
const PROFILE = 'ICC_PROFILE\0'
const [APP0, APP1, APP2, APP14, APP15, COMMENT, LINES] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe, 0xdc]
/** Each scan of a progressive picture is decoded over all of it: usual files have ten. */
const SCANS_MAX = 100
const JFIF_BYTES = 18
const ORIENTATION_TAG = 0x0112

/** Throws invalidInput for a file that is damaged, or that browsers do not show. */
export function cleanJpeg(kept: KeptBytes): Picture {
  const { bytes } = kept
  let size: { readonly width: number; readonly height: number } | undefined
  let [orientation, scans] = [1, 0]
  let hasProfile: boolean | undefined
  kept.keep(0, 2)
  for (let at = 2; ; ) {
    kept.countPart()
    if (bytes[at] !== 0xff) throw damaged('jpeg', at < bytes.length ? `a marker was expected at byte ${at}` : 'it ends before its end')
    // Markers may have fill bytes in front (B.1.1.2).
    while (bytes[at + 1] === 0xff) at++
    const marker = bytes[at + 1] ?? 0
    if (marker === END) {
      if (size === undefined || scans === 0) throw damaged('jpeg', 'it has no image')
      kept.keep(at, at + 2)
      const [width, height] = orientation > 4 ? [size.height, size.width] : [size.width, size.height]
      return { format: 'jpeg', width, height, frames: 1, bytes: kept.done() }
    }
    const end = segmentEnd(bytes, at, marker)
    if (marker >= FRAME_MIN && marker <= FRAME_MAX && !TABLES.includes(marker)) {
      if (size !== undefined) throw damaged('jpeg', 'it has two images')
      size = readFrame(bytes, at, end, marker)
      kept.keep(at, end)
    } else if (TABLES.includes(marker)) {
      if (!areTables(marker, bytes.subarray(at + 4, end))) throw damaged('jpeg', `its tables at byte ${at} have a wrong length`)
      kept.keep(at, end)
    } else if (marker === SCAN) {
      if (size === undefined) throw damaged('jpeg', 'a scan comes before the size')
      // As many components as it says, each of two bytes, between four others (B.2.3).
      if (end - at !== 8 + 2 * (bytes[at + 4] ?? 0)) throw damaged('jpeg', `its scan at byte ${at} has a wrong length`)
      if (++scans > SCANS_MAX) throw refused(`expected at most ${SCANS_MAX} scans of a JPEG, found more`)
      const next = scanEnd(bytes, end)
      kept.keep(at, next)
      at = next
      continue
    } else if (marker === APP0) keepHeader(kept, at, end)
    else if (marker === APP1) {
      const found = size === undefined && orientation === 1 ? orientationIn(bytes.subarray(at + 4, end)) : undefined
      if (found !== undefined && end - at >= ORIENTATION_SEGMENT.length) {
        orientation = found
        kept.put(orientationSegment(found), end)
      }
    } else if (marker === APP2 && startsWith(bytes, at + 4, PROFILE)) {
      hasProfile ??= scans === 0 && isProfile(profileFrom(bytes, at))
      if (hasProfile && scans === 0) kept.keep(at, end)
    } else if (marker === APP14 && end - at === 16 && startsWith(bytes, at + 4, 'Adobe')) kept.keep(at, end)
    else if ((marker < APP0 || marker > APP15) && marker !== COMMENT && marker !== LINES) {
      throw damaged('jpeg', `there is no marker ${marker.toString(16)}`)
    }
    at = end
  }
}

function segmentEnd(bytes: Buffer, at: number, marker: number): number {
  if (marker === START || (marker >= 0xd0 && marker <= 0xd7) || marker <= 0x01) throw damaged('jpeg', `marker ${marker.toString(16)} is out of place`)
  const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0
  if (length < 2 || at + 2 + length > bytes.length) throw damaged('jpeg', 'it ends before its end')
  return at + 2 + length
}

/** Whether a segment of tables is as long as they are (B.2.4). */
function areTables(marker: number, data: Buffer): boolean {
  if (marker === RESTART) return data.length === 2
  let at = 0
  while (at < data.length) {
    const kind = data[at] ?? 0
    // Four of each kind: values of one byte or two, codes for the first coefficients or the others.
    if ((kind & 15) > 3 || kind >> 4 > 1) return false
    if (marker === QUANTIZATION) at += 1 + (kind >> 4 === 0 ? 64 : 128)
    else at += CODES_BYTES + data.subarray(at + 1, at + CODES_BYTES).reduce((sum, count) => sum + count, 0)
  }
  return at === data.length
}

/** The colour profile whose first part is at a segment; empty where its parts are not numbered from 1 to their count. */
function profileFrom(bytes: Buffer, from: number): Buffer {
  const parts: Buffer[] = []
  let total = 0
  let count = bytes[from + 4 + PROFILE.length + 1]
  for (let at = from, end; bytes[at] === 0xff && bytes[at + 1] !== SCAN && bytes[at + 1] !== END; at = end) {
    while (bytes[at + 1] === 0xff) at++
    end = segmentEnd(bytes, at, bytes[at + 1] ?? 0)
    if (bytes[at + 1] !== APP2 || !startsWith(bytes, at + 4, PROFILE)) continue
    const begin = at + 4 + PROFILE.length
    if (bytes[begin] !== parts.length + 1 || bytes[begin + 1] !== count || begin + 2 > end) count = undefined
    if (count === undefined || (total += end - begin) > PROFILE_BYTES_MAX) return Buffer.alloc(0)
    parts.push(bytes.subarray(begin + 2, end))
  }
  return parts.length === count ? Buffer.concat(parts) : Buffer.alloc(0)
}

function readFrame(bytes: Buffer, at: number, end: number, marker: number): { readonly width: number; readonly height: number } {
  if (!FRAMES_SHOWN.includes(marker)) throw refused('its kind of JPEG (lossless, hierarchical or arithmetic) is none that browsers show: save it as a usual JPEG')
  const components = end - at >= 10 ? (bytes[at + 9] ?? 0) : 0
  if (![1, 3, 4].includes(components) || end - at !== 10 + 3 * components) throw damaged('jpeg', 'its size cannot be read')
  const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
  requireSize(width, height)
  return { width, height }
}

/** Where the next marker is, behind the coded data of a scan: in it, a byte FF has a zero behind it, or is a restart. */
function scanEnd(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1] ?? 0
    if (next === 0xff) continue
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at
    at++
  }
  throw damaged('jpeg', 'it ends before its end')
}

/** The JFIF header says how square the pixels are; its thumbnail goes. */
function keepHeader(kept: KeptBytes, at: number, end: number): void {
  const { bytes } = kept
  if (end - at < JFIF_BYTES || !startsWith(bytes, at + 4, 'JFIF\0')) return
  const header = Buffer.from(bytes.subarray(at, at + JFIF_BYTES))
  header.writeUInt16BE(JFIF_BYTES - 2, 2)
  header.writeUInt16BE(0, JFIF_BYTES - 2)
  kept.put(header, end)
}

/** 2 to 8 where Exif says that the picture is turned or mirrored; undefined otherwise. */
function orientationIn(segment: Buffer): number | undefined {
  if (!startsWith(segment, 0, 'Exif\0\0') || segment.length < 16) return undefined
  const tiff = segment.subarray(6)
  const isLittle = startsWith(tiff, 0, 'II*\0')
  if (!isLittle && !startsWith(tiff, 0, 'MM\0*')) return undefined
  const [word, long] = isLittle ? (['readUInt16LE', 'readUInt32LE'] as const) : (['readUInt16BE', 'readUInt32BE'] as const)
  const directory = tiff[long](4)
  if (directory + 2 > tiff.length) return undefined
  const count = tiff[word](directory)
  for (let entry = directory + 2, i = 0; i < count && entry + 12 <= tiff.length; entry += 12, i++) {
    if (tiff[word](entry) !== ORIENTATION_TAG) continue
    const value = tiff[word](entry + 8)
    return value >= 2 && value <= 8 ? value : undefined
  }
  return undefined
}

/** Exif with nothing but an orientation, whose value is at ORIENTATION_AT (CIPA DC-008). */
const ORIENTATION_SEGMENT = Buffer.concat([
  Buffer.from([0xff, APP1, 0, 34]),
  Buffer.from('Exif\0\0MM\0*', 'latin1'),
  Buffer.from([0, 0, 0, 8, 0, 1, ORIENTATION_TAG >> 8, ORIENTATION_TAG & 0xff, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]),
])
const ORIENTATION_AT = 29

function orientationSegment(value: number): Uint8Array {
  const segment = Uint8Array.from(ORIENTATION_SEGMENT)
  segment[ORIENTATION_AT] = value
  return segment
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text
}
