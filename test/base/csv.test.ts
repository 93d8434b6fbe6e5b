/** RFC 4180: cells, quotes, and what cannot be read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CsvError, readCsvRow, separatorOf, writeCsvRow } from '../../src/base/csv.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

describe('readCsvRow()', () => {
  for (const [name, text, cells] of [
    ['bare cells', 'a,b', ['a', 'b']],
    ['nothing and an empty text', ',""', ['', '""']],
    ['one cell of nothing', '', ['']],
    ['a comma, a line end and a quote within quotes', '"a,b","c\r\nd","e""f"', ['"a,b"', '"c\r\nd"', '"e"f"']],
    ['spaces as they are', ' a , b', [' a ', ' b']],
    ['a cell of one quote', '""""', ['"""']],
    ['a comma at the end', 'a,', ['a', '']],
  ] as const) {
    it(`reads ${name}`, () => {
      const found = readCsvRow(text, 10).map((cell) => (cell.isQuoted ? `"${cell.text}"` : cell.text))
      assert.deepEqual(found, cells)
    })
  }

  for (const [name, text, wanted] of [
    ['a quote that is never closed', 'a,"b', /never closed/],
    ['a quote in a bare cell', 'a 5" screen,b', /must stand in quotes/],
    ['text behind a closing quote', '"a"b,c', /expected a comma/],
    ['a cell that ends in a doubled quote', '"a""', /never closed/],
  ] as const) {
    it(`refuses ${name}`, () => {
      assert.throws(() => readCsvRow(text, 10), (error) => error instanceof CsvError && wanted.test(error.message))
    })
  }

  it('reads a megabyte of quotes', () => {
    const [cell] = readCsvRow(`"${'""'.repeat(500_000)}"`, 1)
    assert.ok(cell?.text === '"'.repeat(500_000), `${cell?.text.length} characters`)
  })

  it('stops one cell after the limit, however many follow', () => {
    assert.equal(readCsvRow(`${'a,'.repeat(100_000)}a`, 3).length, 4)
  })
})

it('what is written is read again, whatever the cells hold', () => {
  const seed = seedOfTest()
  const random = seededRandom(seed)
  for (let i = 0; i < 3_000; i++) {
    const cells = random.list(6, () =>
      random.oneIn(5) ? undefined : random.list(6, () => random.pick(['"', ',', '\r', '\n', ' ', 'a', '😀'])).join(''),
    )
    if (cells.length === 0) continue
    const row = writeCsvRow(cells)
    assert.ok(row.endsWith('\r\n'))
    const found = readCsvRow(row.slice(0, -2), cells.length).map((cell) =>
      cell.text === '' && !cell.isQuoted ? undefined : cell.text,
    )
    assert.deepEqual(found, cells, `SEED=${seed}`)
  }
})

describe('separatorOf()', () => {
  for (const [row, separator] of [
    ['name,description', ','],
    ['name;description;iconUrl', ';'],
    ['name\tdescription', '\t'],
    ['name', ','],
    ['"a;b;c",description', ','],
    ['"a,b,c";description', ';'],
    ['', ','],
  ] as const) {
    it(`of ${JSON.stringify(row)} is ${JSON.stringify(separator)}`, () => assert.equal(separatorOf(row), separator))
  }

  it('separates cells with commas, and with itself in quotes', () => {
    assert.deepEqual(readCsvRow('1,5;"a;b";', 5, ';').map(({ text }) => text), ['1,5', 'a;b', ''])
    assert.throws(() => readCsvRow('"a",b', 5, ';'), /expected a semicolon or the end of the row/)
  })
})
