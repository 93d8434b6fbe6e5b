/**
 * Cuts a stream of bytes into rows, which end at a line feed; in CSV a line feed between quotes belongs to its row.
 *
 * It works on bytes: line feed and quote mean the same at any place of UTF-8, and nothing is decoded twice. A quote is
 * doubled within quotes, so whether a place is inside depends on the number of quotes before it, and on nothing else.
 * At most one row and one chunk are held; a row that is longer than the limit is passed over to its end and only
 * counted.
 */

export interface RowSplitterOptions {
  /** Whether line feeds may stand between quotes. */
  readonly hasQuotes: boolean
  readonly rowBytesMax: number
  /** Where the first byte stands in its file, and on which line, counted from 1. */
  readonly offset: number
  readonly line: number
}

export interface RowRange {
  /** From where to where in the bytes of the block, without the line end. Nothing for a row that is too long. */
  readonly start: number
  readonly end: number
  readonly line: number
  /** Where the next row begins in the file, and on which line. */
  readonly nextOffset: number
  readonly nextLine: number
  readonly isTooLong: boolean
  /** The file ends within quotes. */
  readonly isUnclosed: boolean
}

export interface RowBlock {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly rows: readonly RowRange[]
}

export interface RowSplitter {
  push(chunk: Uint8Array): RowBlock
  /** What is left without a line end. */
  end(): RowBlock
  /** Whether the row that is not over yet is too long already. */
  isPassingOver(): boolean
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22]

export function createRowSplitter({ hasQuotes, rowBytesMax, offset, line }: RowSplitterOptions): RowSplitter {
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  /** How much of the rest was looked at, and how much of its row was passed over before it. */
  let [scanned, passedOver, linesPassed, isInside] = [0, 0, 0, false]

  const rowTo = (bytes: Uint8Array, start: number, end: number, next: number): RowRange => {
    const isTooLong = passedOver + end - start > rowBytesMax
    const trimmed = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
    const firstLine = line - linesPassed
    line += countLines(bytes, start, next)
    offset += next - start
    const range = { start, end: isTooLong ? start : trimmed, line: firstLine, nextOffset: offset, nextLine: line }
    passedOver = 0
    linesPassed = 0
    return { ...range, isTooLong, isUnclosed: isInside }
  }

  const cut = (bytes: Uint8Array<ArrayBuffer>): RowBlock => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const rows: RowRange[] = []
    let [start, at] = [0, scanned]
    let [feed, quote] = [-1, -1]
    while (at < bytes.length) {
      if (hasQuotes && quote < at) quote = found(buffer.indexOf(QUOTE, at), bytes.length)
      if (!hasQuotes) quote = bytes.length
      if (isInside) {
        isInside = quote === bytes.length
        at = quote + 1
        continue
      }
      if (feed < at) feed = found(buffer.indexOf(LINE_FEED, at), bytes.length)
      if (quote < feed) {
        isInside = true
        at = quote + 1
      } else if (feed === bytes.length) break
      else {
        rows.push(rowTo(bytes, start, feed, feed + 1))
        start = at = feed + 1
      }
    }
    rest = bytes.slice(start)
    scanned = rest.length
    if (passedOver + rest.length > rowBytesMax) {
      // Only how many bytes and lines there were is remembered.
      const lines = countLines(rest, 0, rest.length)
      linesPassed += lines
      line += lines
      offset += rest.length
      passedOver += rest.length
      rest = new Uint8Array(0)
      scanned = 0
    }
    return { bytes, rows }
  }

  return {
    push: (chunk) => {
      const bytes = new Uint8Array(rest.length + chunk.length)
      bytes.set(rest)
      bytes.set(chunk, rest.length)
      return cut(bytes)
    },
    end() {
      const bytes = rest
      const rows = bytes.length + passedOver === 0 ? [] : [rowTo(bytes, 0, bytes.length, bytes.length)]
      return { bytes, rows }
    },
    isPassingOver: () => passedOver > 0,
  }
}

function found(index: number, otherwise: number): number {
  return index === -1 ? otherwise : index
}

function countLines(bytes: Uint8Array, from: number, to: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let lines = 0
  for (let at = buffer.indexOf(LINE_FEED, from); at !== -1 && at < to; at = buffer.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}
