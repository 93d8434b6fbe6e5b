/**
 * GIF (https://www.w3.org/Graphics/GIF/spec-gif89a.txt): blocks up to the trailer. Kept are images, how long each is shown, and
 * how often all are; comments, plain texts and extensions of other programs go.
 */
import type { KeptBytes } from './kept-bytes.ts'
import { damaged, frameCount, requireSize, type Picture } from './picture-format.ts'

const HEADER_BYTES = 13
const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [CONTROL, APPLICATION] = [0xf9, 0xff]
const [CONTROL_BYTES, LOOP_BYTES] = [8, 19]
/** The extensions that say how often the frames are repeated. */
const LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

/** Throws invalidInput for a file that is damaged. */
export function cleanGif(kept: KeptBytes): Picture {
  const { bytes } = kept
  if (bytes.length < HEADER_BYTES) throw damaged('gif', 'it ends before its end')
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  requireSize(width, height)
  const frames = frameCount()
  let at = HEADER_BYTES + tableBytes(bytes[10] ?? 0)
  kept.keep(0, at)
  for (;;) {
    kept.countPart()
    const block = bytes[at]
    if (block === TRAILER && frames.total() > 0) {
      kept.keep(at, at + 1)
      return { format: 'gif', width, height, frames: frames.total(), bytes: kept.done() }
    }
    if (block === IMAGE) {
      if (at + 11 > bytes.length) throw damaged('gif', 'it ends before its end')
      // A frame beyond the edge is cut there by browsers, which have decoded it before.
      frames.add(bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7))
      const data = at + 10 + tableBytes(bytes[at + 9] ?? 0) + 1
      const end = blocksEnd(bytes, data)
      kept.keep(at, end)
      at = end
    } else if (block === EXTENSION) {
      const end = blocksEnd(bytes, at + 2)
      if (isKept(bytes, at, end)) kept.keep(at, end)
      at = end
    } else throw damaged('gif', at >= bytes.length ? 'it ends before its end' : `a block was expected at byte ${at}`)
  }
}

/** The bytes of a table of colours, from the flags of what it is for; none without one. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1)
}

/** Where the sub-blocks end that begin at `from`; each has its length in front, and the last is empty. */
function blocksEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; ) {
    const length = bytes[at] ?? 0
    at += length + 1
    if (length === 0) return at
  }
  throw damaged('gif', 'it ends before its end')
}

/** An extension of another length holds more than it is for. */
function isKept(bytes: Buffer, at: number, end: number): boolean {
  const label = bytes[at + 1]
  if (label === CONTROL) return end - at === CONTROL_BYTES
  return label === APPLICATION && end - at === LOOP_BYTES && LOOPS.includes(bytes.toString('latin1', at + 3, at + 14))
}
