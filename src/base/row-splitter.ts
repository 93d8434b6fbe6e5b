/**
 * Cuts a stream of bytes into rows, which end at a line feed. In CSV a line feed between quotes belongs to its row, as
 * an odd number of quotes before it shows. In UTF-8, line feed and quote are never part of another character. At most
 * one row and one chunk are held: a row that is longer than the limit is skipped to its end.
 */

export interface RowSplitterOptions {
  /** Whether line feeds may stand between quotes. */
  readonly hasQuotes: boolean
  readonly rowBytesMax: number
  /** Where the first byte stands in its file, and on which line, counted from 1. */
  readonly offset: number
  readonly line: number
}

export interface SplitRow {
  /** Without the line end. Empty for a row that is too long. */
  readonly bytes: Buffer
  readonly line: number
  /** Where the next row begins in the file, and on which line. */
  readonly nextOffset: number
  readonly nextLine: number
  readonly isTooLong: boolean
  /** The file ends within quotes. */
  readonly isUnclosed: boolean
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22]

export function createRowSplitter({ hasQuotes, rowBytesMax, offset, line }: RowSplitterOptions) {
  let rest: Buffer = Buffer.alloc(0)
  /** How much of the rest was scanned, and how much of its row was skipped before it. */
  let [scanned, skippedBytes, skippedLines, isInside] = [0, 0, 0, false]

  const rowOf = (bytes: Buffer, start: number, end: number, next: number): SplitRow => {
    const isTooLong = skippedBytes + end - start > rowBytesMax
    const trimmed = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
    const firstLine = line - skippedLines
    line += countLines(bytes, start, next)
    offset += next - start
    skippedBytes = 0
    skippedLines = 0
    return {
      bytes: bytes.subarray(start, isTooLong ? start : trimmed),
      line: firstLine,
      nextOffset: offset,
      nextLine: line,
      isTooLong,
      isUnclosed: isInside,
    }
  }

  return {
    /** The rows that end in this chunk. Take all of them before the next call. */
    *push(chunk: Uint8Array): Generator<SplitRow, void> {
      const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      const bytes = rest.length === 0 ? view : Buffer.concat([rest, view])
      let start = 0
      // Each byte is looked at: to search for each of a million quotes takes half a second.
      for (let at = scanned; at < bytes.length; at++) {
        const byte = bytes[at]
        if (byte === QUOTE && hasQuotes) isInside = !isInside
        else if (byte === LINE_FEED && !isInside) {
          yield rowOf(bytes, start, at, at + 1)
          start = at + 1
        }
      }
      rest = bytes.subarray(start)
      scanned = rest.length
      if (skippedBytes + rest.length <= rowBytesMax) return
      // Of a row that is too long, only the numbers of bytes and lines are kept.
      const lines = countLines(rest, 0, rest.length)
      skippedLines += lines
      line += lines
      offset += rest.length
      skippedBytes += rest.length
      rest = Buffer.alloc(0)
      scanned = 0
    },
    /** The row without a line end, if there is one. */
    *end(): Generator<SplitRow, void> {
      if (rest.length + skippedBytes > 0) yield rowOf(rest, 0, rest.length, rest.length)
    },
    /** Whether the row that has not ended yet is too long already. */
    isSkipping: () => skippedBytes > 0,
  }
}

function countLines(bytes: Buffer, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; at++) if (bytes[at] === LINE_FEED) lines++
  return lines
}
