/** Lines that wait to be written, in a few large buffers: many of them are written at once. */

const PIECE_BYTES = 64 * 1024

interface Piece {
  readonly buffer: Buffer
  start: number
  end: number
}

export function createLineBuffer() {
  const pieces: Piece[] = []
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    /** Adds a line of this length. */
    append(line: string, length: number): void {
      let piece = pieces.at(-1)
      if (piece === undefined || piece.buffer.length - piece.end < length) {
        piece = { buffer: Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, length)), start: 0, end: 0 }
        pieces.push(piece)
      }
      piece.end += piece.buffer.write(line, piece.end)
      bytes += length
    },
    /** The bytes to write next; undefined where there are none. */
    first(): Uint8Array | undefined {
      const piece = pieces[0]
      return piece === undefined || piece.start === piece.end ? undefined : piece.buffer.subarray(piece.start, piece.end)
    },
    /** Removes so many of the first bytes, which were written. */
    remove(count: number): void {
      const piece = pieces[0]
      if (piece === undefined) return
      piece.start += count
      bytes -= count
      if (piece.start < piece.end) return
      // The next lines go into the same memory.
      if (pieces.length === 1 && piece.buffer.length === PIECE_BYTES) piece.start = piece.end = 0
      else pieces.shift()
    },
    clear(): void {
      pieces.length = 0
      bytes = 0
    },
  }
}
