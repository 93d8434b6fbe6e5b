/** Rows of a stream: however its bytes are cut into chunks, the rows are the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRowSplitter, type SplitRow } from '../../src/base/row-splitter.ts'

interface Found {
  readonly text: string
  readonly line: number
  readonly next: string
}

function rowsOf(
  chunks: readonly Uint8Array[],
  { hasQuotes = false, rowBytesMax = 100 }: { readonly hasQuotes?: boolean; readonly rowBytesMax?: number } = {},
): readonly Found[] {
  const splitter = createRowSplitter({ hasQuotes, rowBytesMax, offset: 0, line: 1 })
  const found: Found[] = []
  const add = (rows: Iterable<SplitRow>): void => {
    for (const { bytes, line, nextOffset, nextLine, isTooLong, isUnclosed } of rows) {
      const text = isTooLong ? 'too long' : isUnclosed ? 'unclosed' : bytes.toString()
      found.push({ text, line, next: `${nextOffset}:${nextLine}` })
    }
  }
  for (const chunk of chunks) add(splitter.push(chunk))
  add(splitter.end())
  return found
}

describe('rows end at a line feed', () => {
  for (const [name, text, options, wanted] of [
    ['with or without a carriage return', 'a\r\nb\nc', {}, ['a 1 3:2', 'b 2 5:3', 'c 3 6:3']],
    ['empty rows too', '\n\na', {}, [' 1 1:2', ' 2 2:3', 'a 3 3:3']],
    ['not within quotes', '"a\nb",c\nd\n', { hasQuotes: true }, ['"a\nb",c 1 8:3', 'd 3 10:4']],
    ['not within quotes that have quotes', '"a""\nb"\nc', { hasQuotes: true }, ['"a""\nb" 1 8:3', 'c 3 9:3']],
    ['a quote that stays open', 'a\n"b\nc\n', { hasQuotes: true }, ['a 1 2:2', 'unclosed 2 7:4']],
    ['a row at the limit', '1234\n12345\n1\n', { rowBytesMax: 4 }, ['1234 1 5:2', 'too long 2 11:3', '1 3 13:4']],
    ['a long row of lines in quotes', '"1\n2\n3\n4"\nb\n', { hasQuotes: true, rowBytesMax: 4 }, ['too long 1 10:5', 'b 5 12:6']],
    ['a long row at the end', 'a\n123456789', { rowBytesMax: 4 }, ['a 1 2:2', 'too long 2 11:2']],
  ] as const) {
    it(name, () => {
      const bytes = Buffer.from(text)
      for (const size of [1, 2, 3, 5, bytes.length]) {
        const chunks = Array.from(
          { length: Math.ceil(bytes.length / size) },
          (_, i) => new Uint8Array(bytes.subarray(i * size, (i + 1) * size)),
        )
        const found = rowsOf(chunks, options).map(({ text: row, line, next }) => `${row} ${line} ${next}`)
        assert.deepEqual(found, wanted, `in chunks of ${size}`)
      }
    })
  }
})
