/**
 * WebP (RFC 9649): chunks of a RIFF file. Kept are images, their transparency, frames, and the colour profile; Exif, XMP and
 * unknown chunks go. The size that a file announces has to be that of its images: a browser makes room for these.
 */
import { isProfile } from './colour-profile.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { damaged, frameCount, PROFILE_BYTES_MAX, requireSize, type Picture } from './picture-format.ts'

const HEADER_BYTES = 12
const [FRAME_BYTES, ANIM_BYTES] = [16, 6]
/** In the flags of an extended file. */
const [ANIMATED, EXIF, XMP] = [0x02, 0x08, 0x04]

interface Size {
  readonly width: number
  readonly height: number
}

interface Chunk {
  readonly type: string
  readonly at: number
  /** Of what the chunk holds. */
  readonly begin: number
  readonly end: number
  /** Where the next chunk begins: chunks are padded to an even length. */
  readonly next: number
}

/** Throws invalidInput for a file that is damaged. */
export function cleanWebp(kept: KeptBytes): Picture {
  const { bytes } = kept
  const end = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt32LE(4) + 8
  if (end < HEADER_BYTES || end > bytes.length) throw damaged('webp', 'it ends before its end')
  kept.keep(0, HEADER_BYTES)
  const first = chunkAt(bytes, HEADER_BYTES, end)
  if (first.type !== 'VP8X') {
    const size = imageSize(bytes, first)
    if (size === undefined) throw damaged('webp', 'it has no image')
    kept.keep(first.at, first.next)
    return { format: 'webp', ...size, frames: 1, bytes: whole(kept) }
  }
  if (first.end - first.begin !== 10) throw damaged('webp', 'its size cannot be read')
  const canvas = { width: bytes.readUIntLE(first.begin + 4, 3) + 1, height: bytes.readUIntLE(first.begin + 7, 3) + 1 }
  requireSize(canvas.width, canvas.height)
  const flags = (bytes[first.begin] ?? 0) & ~(EXIF | XMP)
  bytes[first.begin] = flags
  kept.keep(first.at, first.next)
  const frames = keepChunks(kept, first.next, end, { canvas, isAnimated: (flags & ANIMATED) !== 0 })
  return { format: 'webp', ...canvas, frames, bytes: whole(kept) }
}

/** What was kept, with its new length in the header. */
function whole(kept: KeptBytes): Buffer {
  const cleaned = kept.done()
  cleaned.writeUInt32LE(cleaned.length - 8, 4)
  return cleaned
}

/** Keeps what is shown of an extended file, and returns how many frames it has. */
function keepChunks(kept: KeptBytes, from: number, end: number, { canvas, isAnimated }: { readonly canvas: Size; readonly isAnimated: boolean }): number {
  const { bytes } = kept
  const [frames, seen] = [frameCount(), new Set<string>()]
  for (let chunk, at = from; at < end; at = chunk.next) {
    kept.countPart()
    chunk = chunkAt(bytes, at, end)
    const { type } = chunk
    if (type === 'ICCP' || type === (isAnimated ? 'ANIM' : 'ALPH')) {
      if (!seen.has(type) && isRight(bytes, chunk, canvas)) kept.keep(at, chunk.next)
      seen.add(type)
    } else if (isAnimated && type === 'ANMF') {
      addFrame(kept, chunk, canvas, frames)
      kept.keep(at, chunk.next)
    } else if (!isAnimated) {
      const size = imageSize(bytes, chunk)
      if (size === undefined) continue
      if (!isSame(size, canvas)) throw damaged('webp', 'its size is not that of its image')
      if (frames.total() > 0) throw damaged('webp', 'it has two images')
      frames.add(size.width, size.height)
      kept.keep(at, chunk.next)
    }
  }
  if (frames.total() === 0) throw damaged('webp', 'it has no image')
  return frames.total()
}

/** Whether a chunk beside the image is as long as what it is for; of compressed transparency, only a decoder could tell. */
function isRight(bytes: Buffer, { type, begin, end }: Chunk, { width, height }: Size): boolean {
  if (type === 'ANIM') return end - begin === ANIM_BYTES
  if (type === 'ICCP') return end - begin <= PROFILE_BYTES_MAX && isProfile(bytes.subarray(begin, end))
  const isCompressed = ((bytes[begin] ?? 0) & 3) !== 0
  return end > begin && (isCompressed || end - begin === 1 + width * height)
}

/** A frame: place, size and time, then its image, which may have transparency before it. */
function addFrame(kept: KeptBytes, { begin, end }: Chunk, canvas: Size, frames: ReturnType<typeof frameCount>): void {
  const { bytes } = kept
  if (end - begin < FRAME_BYTES) throw damaged('webp', 'a frame cannot be read')
  const part = (nth: number): number => bytes.readUIntLE(begin + 3 * nth, 3)
  const size = { width: part(2) + 1, height: part(3) + 1 }
  if (2 * part(0) + size.width > canvas.width || 2 * part(1) + size.height > canvas.height) throw damaged('webp', 'a frame is larger than the picture')
  frames.add(size.width, size.height)
  let [images, transparencies] = [0, 0]
  for (let chunk, at = begin + FRAME_BYTES; at < end; at = chunk.next) {
    kept.countPart()
    chunk = chunkAt(bytes, at, end)
    const found = imageSize(bytes, chunk)
    if (found === undefined && chunk.type !== 'ALPH') throw damaged('webp', `a frame has a chunk ${JSON.stringify(chunk.type)}`)
    if (found === undefined) {
      if (++transparencies > 1 || images > 0 || !isRight(bytes, chunk, size)) throw damaged('webp', 'the transparency of a frame cannot be read')
      continue
    }
    images++
    if (!isSame(found, size)) throw damaged('webp', 'the size of a frame is not that of its image')
  }
  if (images !== 1) throw damaged('webp', `a frame has ${images} images`)
}

function chunkAt(bytes: Buffer, at: number, end: number): Chunk {
  const length = at + 8 <= end ? bytes.readUInt32LE(at + 4) : Infinity
  const next = at + 8 + length + (length % 2)
  if (!(next <= end)) throw damaged('webp', 'it ends before its end')
  return { type: bytes.toString('latin1', at, at + 4), at, begin: at + 8, end: at + 8 + length, next }
}

/** The size in the header of an image; undefined for any other chunk. */
function imageSize(bytes: Buffer, { type, begin, end }: Chunk): Size | undefined {
  const size = type === 'VP8 ' ? lossySize(bytes, begin, end) : type === 'VP8L' ? losslessSize(bytes, begin, end) : undefined
  if (size !== undefined) requireSize(size.width, size.height)
  return size
}

/** RFC 6386 section 9.1: a key frame has its size behind three bytes of flags and three that are always the same. */
function lossySize(bytes: Buffer, begin: number, end: number): Size {
  if (end - begin < 10 || ((bytes[begin] ?? 1) & 1) !== 0 || bytes.readUIntBE(begin + 3, 3) !== 0x9d012a) throw damaged('webp', 'its size cannot be read')
  return { width: bytes.readUInt16LE(begin + 6) & 0x3fff, height: bytes.readUInt16LE(begin + 8) & 0x3fff }
}

/** RFC 9649 section 3.4: a byte that is always the same, then 14 bits of each side, less one. */
function losslessSize(bytes: Buffer, begin: number, end: number): Size {
  if (end - begin < 5 || bytes[begin] !== 0x2f) throw damaged('webp', 'its size cannot be read')
  const bits = bytes.readUInt32LE(begin + 1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function isSame(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height
}
