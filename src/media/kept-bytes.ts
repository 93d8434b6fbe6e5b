/**
 * The parts of a file that stay, moved together in its own buffer: a cleaned picture takes no second buffer as large as the
 * first. Parts come in their order, so that none is written over one that is still to be read.
 */

import { refused } from './picture-format.ts'

/** A picture of 10 MiB has some thousands: more of them are made to take time. */
const PARTS_MAX = 20_000

export type KeptBytes = ReturnType<typeof keptBytes>

/** Changes the buffer, which belongs to the caller of `done()` from then on. */
export function keptBytes(bytes: Buffer) {
  let [written, parts] = [0, 0]
  /** What is to be kept next; parts that touch are moved at once. */
  let [from, to] = [0, 0]
  const flush = (): void => {
    if (written !== from) bytes.copyWithin(written, from, to)
    written += to - from
    from = to
  }
  return {
    bytes,
    /** To be called for each part of the file that is looked at. Throws invalidInput past a number of them. */
    countPart(): void {
      if (++parts > PARTS_MAX) throw refused(`expected at most ${PARTS_MAX} parts of a file, found more`)
    },
    /** Keeps what is from `start` up to `end`, behind all that was kept before. */
    keep(start: number, end: number): void {
      if (start !== to) {
        flush()
        from = start
      }
      to = end
    },
    /** Writes a piece where a part ends at `end` that is not kept, and is as long at least. */
    put(piece: Uint8Array, end: number): void {
      flush()
      if (written + piece.length > end) throw new Error('There is no room for the piece')
      bytes.set(piece, written)
      written += piece.length
      from = end
      to = end
    },
    /** All that was kept. */
    done(): Buffer {
      flush()
      return bytes.subarray(0, written)
    },
  }
}
