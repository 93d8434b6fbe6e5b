import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { blankUnused, unusedSpan } from '../../src/store/db/wal/move-wal.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const PAGE_BYTES = 512

interface PageParts {
  readonly type: number
  readonly cells: readonly number[]
  readonly contentStart: number
  readonly number?: number
}

/** A page of 512 bytes that is full of 0xaa but for its header and its cell pointers. */
function pageOf({ type, cells, contentStart, number = 2 }: PageParts): Buffer {
  const page = Buffer.alloc(PAGE_BYTES, 0xaa)
  const header = number === 1 ? 100 : 0
  page.writeUInt8(type, header)
  page.writeUInt16BE(cells.length, header + 3)
  page.writeUInt16BE(contentStart, header + 5)
  const pointers = header + (type === 2 || type === 5 ? 12 : 8)
  cells.forEach((cell, i) => page.writeUInt16BE(cell, pointers + 2 * i))
  return page
}

const SPANS: readonly (readonly [string, PageParts, readonly [number, number] | undefined])[] = [
  ['a leaf of a table', { type: 13, cells: [500, 400], contentStart: 400 }, [12, 400]],
  ['a leaf of an index', { type: 10, cells: [500, 400], contentStart: 400 }, [12, 400]],
  ['an inner page of a table', { type: 5, cells: [500, 400], contentStart: 400 }, [16, 400]],
  ['an inner page of an index', { type: 2, cells: [500, 400], contentStart: 400 }, [16, 400]],
  ['the first page', { type: 13, cells: [500], contentStart: 500, number: 1 }, [110, 500]],
  ['an empty leaf', { type: 13, cells: [], contentStart: PAGE_BYTES }, [8, PAGE_BYTES]],
  ['a page without room', { type: 13, cells: [10], contentStart: 10 }, undefined],
  ['a page with one byte of room', { type: 13, cells: [11], contentStart: 11 }, [10, 11]],
  ['a page of another type', { type: 0, cells: [400], contentStart: 400 }, undefined],
  ['a page whose type does not exist', { type: 7, cells: [400], contentStart: 400 }, undefined],
  ['a cell before the content', { type: 13, cells: [399], contentStart: 400 }, undefined],
  ['a cell behind the page', { type: 13, cells: [PAGE_BYTES], contentStart: 400 }, undefined],
  ['content that begins behind the page', { type: 13, cells: [], contentStart: PAGE_BYTES + 1 }, undefined],
  ['content at 65536, which is behind this page', { type: 13, cells: [], contentStart: 0 }, undefined],
]
describe('unusedSpan()', () => {
  for (const [name, parts, span] of SPANS) {
    it(`of ${name} is ${span === undefined ? 'nothing' : `from ${span[0]} to ${span[1]}`}`, () => {
      const found = unusedSpan(pageOf(parts), parts.number ?? 2)
      assert.deepEqual(found === undefined ? undefined : [found.start, found.end], span)
    })
  }
})

it('blankUnused() changes only unused space, and no row, blob or index', (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const file = join(temporaryDirectory(t), 'a.db')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA page_size = 1024; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c BLOB); BEGIN')
  const insert = database.prepare('INSERT INTO t (b, c) VALUES (?, ?)')
  // Long blobs have overflow pages, and bytes that look like the types of b-tree pages.
  for (let i = 0; i < longRun(200, 800); i++)
    insert.run(`secret ${random.below(1e9)} ${i}`, Buffer.alloc(random.below(4000), random.pick([2, 5, 10, 13, 0])))
  database.exec('COMMIT; DELETE FROM t WHERE a % 2 = 0')
  const rows = database.prepare('SELECT a, b, hex(c) AS c FROM t ORDER BY b').all()
  database.close()
  const before = readFileSync(file)
  const pages = before.length / 1024
  const descriptor = openSync(file, 'r+')
  t.after(() => closeSync(descriptor))
  // Pages that are not there are passed over.
  blankUnused({ descriptor, pageBytes: 1024 }, [...Array.from({ length: pages }, (_, i) => i + 1), 0, pages + 1, 2 ** 31])
  const after = readFileSync(file)
  assert.equal(after.length, before.length)
  assert.ok(!after.equals(before), 'there was something to blank')
  const again = new DatabaseSync(file)
  t.after(() => again.close())
  assert.deepEqual(Object.values(again.prepare('PRAGMA integrity_check').get() ?? {}), ['ok'])
  assert.deepEqual(again.prepare('SELECT a, b, hex(c) AS c FROM t ORDER BY b').all(), rows)
  again.exec('INSERT INTO t (b) VALUES (1); DELETE FROM t WHERE a % 3 = 0')
  assert.deepEqual(Object.values(again.prepare('PRAGMA integrity_check').get() ?? {}), ['ok'])
})
