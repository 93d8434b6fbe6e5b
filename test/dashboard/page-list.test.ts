/** The pages of a long table: a chain that holds while documents come, go and change places. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPageList, PAGE_ROWS, type PageList } from '../../src/dashboard/kit/table/page-list.ts'
import { createPageReader } from '../../src/dashboard/kit/table/page-reader.ts'

interface Item {
  readonly id: string
}

/** A server with these ids in order; a cursor is the id of the last item. */
function server(ids: string[], limit = PAGE_ROWS) {
  return (start: string | undefined) => {
    const from = start === undefined ? 0 : ids.findIndex((id) => id > start)
    const items = from === -1 ? [] : ids.slice(from, from + limit).map((id) => ({ id }))
    const hasMore = from !== -1 && from + limit < ids.length
    return { items, hasMore, cursor: hasMore ? (items.at(-1)?.id ?? null) : null }
  }
}

function idsTo(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(i).padStart(6, '0'))
}

/** Reads what is missing around these rows until nothing is. */
function readRows(pages: PageList<Item>, read: ReturnType<typeof server>, first: number, last: number): number {
  let reads = 0
  for (;;) {
    const [page] = pages.missing(first, last)
    if (page === undefined) return reads
    reads++
    assert.ok(reads < 10_000, 'it reads for ever')
    pages.put(page, pages.startOf(page), read(pages.startOf(page)))
  }
}

function list(isHidden: (item: Item) => boolean = () => false): PageList<Item> {
  return createPageList({ isHidden })
}

describe('the pages of a table', () => {
  it('are read one after the other, as far as rows are wanted, and to the end', () => {
    const pages = list()
    const read = server(idsTo(120))
    assert.equal(readRows(pages, read, 0, 49), 1)
    assert.equal(pages.rowCount, 50)
    assert.equal(pages.isComplete, false)
    assert.equal(readRows(pages, read, 0, 50), 1)
    readRows(pages, read, 0, 500)
    assert.deepEqual([pages.rowCount, pages.isComplete], [120, true])
    assert.deepEqual(pages.ids(), idsTo(120))
    assert.equal(pages.idAt(119), '000119')
    assert.equal(pages.idAt(120), undefined)
  })

  it('take a newer item into its row, and rows out whose items are gone', () => {
    const pages = createPageList<Item & { readonly name?: string }>({ isHidden: () => false })
    const read = server(idsTo(120))
    for (const page of [0, 1, 2]) pages.put(page, pages.startOf(page), read(pages.startOf(page)))
    pages.letGo(0, 1)
    assert.equal(pages.update({ id: '000051', name: 'newer' }), true)
    assert.equal(pages.update({ id: '999999', name: 'nowhere' }), false)
    assert.deepEqual([pages.rowCount, pages.itemAt(51)], [120, { id: '000051', name: 'newer' }])
    pages.remove(['000050', '000119', '999999'])
    assert.deepEqual([pages.rowCount, pages.idAt(50), pages.itemAt(50)], [118, '000051', { id: '000051', name: 'newer' }])
    assert.equal(pages.ids().length, 118)
  })

  it('hold a bounded number of items, and read again what was let go', () => {
    const pages = list()
    const read = server(idsTo(5_000))
    let held = 0
    for (let row = 0; row < 5_000; row += 25) {
      readRows(pages, read, row, row + 25)
      pages.letGo(row, row + 25)
      const items = Array.from({ length: pages.rowCount }, (_, i) => pages.itemAt(i)).filter((item) => item)
      held = Math.max(held, items.length)
    }
    assert.ok(held > 0 && held <= 15 * PAGE_ROWS, `${held} items were held`)
    assert.equal(pages.itemAt(0), undefined)
    assert.equal(pages.idAt(0), '000000')
    assert.equal(readRows(pages, read, 0, 10), 1)
    assert.equal(pages.itemAt(0)?.id, '000000')
  })

  it('keep the chain whole where documents went and came', () => {
    const pages = list()
    const ids = idsTo(300)
    const read = server(ids)
    readRows(pages, read, 0, 299)
    ids.splice(10, 7)
    ids.splice(100, 0, '000106a', '000106b')
    pages.expire()
    readRows(pages, read, 0, 299)
    assert.deepEqual(pages.ids(), ids)
    ids.length = 60
    pages.expire()
    readRows(pages, read, 0, 10)
    readRows(pages, read, 0, 299)
    assert.deepEqual(pages.ids(), ids)
    assert.equal(pages.isComplete, true)
  })

  it('leave out what is hidden, before and after it was read', () => {
    const hidden = new Set(['000001'])
    const pages = list(({ id }) => hidden.has(id))
    readRows(pages, server(idsTo(4)), 0, 3)
    assert.deepEqual(pages.ids(), ['000000', '000002', '000003'])
    hidden.add('000003')
    pages.sift()
    assert.deepEqual([pages.ids(), pages.rowCount], [['000000', '000002'], 2])
  })
})

describe('reading pages', () => {
  /** A reader whose pages arrive when the test resolves them. */
  function reading(count: number) {
    const pages = list()
    const asked: { start: string | undefined; response: () => void; fail: () => void; signal: AbortSignal }[] = []
    const failures: unknown[] = []
    const read = server(idsTo(count))
    const ended = new AbortController()
    const reader = createPageReader<Item>({
      pages,
      signal: ended.signal,
      onRead() {},
      onFailure: (error) => failures.push(error),
      load: (start, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          asked.push({ start, signal, response: () => resolve(read(start)), fail: () => reject(new Error('down')) })
        }),
    })
    const response = async (i: number): Promise<void> => {
      asked[i]?.response()
      await new Promise(setImmediate)
    }
    return { pages, asked, failures, reader, response, ended }
  }

  it('asks once for each page, and ends what is no longer wanted', async () => {
    const { pages, asked, reader, response } = reading(500)
    reader.want(0, 10)
    reader.want(0, 10)
    assert.equal(asked.length, 1)
    await response(0)
    reader.want(0, 60)
    assert.equal(asked.length, 2)
    reader.want(0, 10)
    assert.equal(asked[1]?.signal.aborted, true)
    await response(1)
    assert.equal(pages.rowCount, 50)
  })

  it('takes nothing for new that was asked for before something changed', async () => {
    const { pages, asked, reader, response } = reading(500)
    reader.want(0, 10)
    await response(0)
    reader.want(0, 60)
    pages.expire()
    reader.startOver()
    await response(1)
    assert.deepEqual([asked[1]?.signal.aborted, pages.rowCount], [true, 50])
    reader.want(0, 60)
    await response(2)
    await response(3)
    assert.deepEqual([asked.length, pages.rowCount], [4, 100])
    assert.deepEqual(pages.missing(0, 60), [])
  })

  it('sends no request after a failure until the reader tries again', async () => {
    const { asked, failures, reader } = reading(500)
    reader.want(0, 10)
    asked[0]?.fail()
    await new Promise(setImmediate)
    assert.equal(failures.length, 1)
    reader.want(0, 10)
    assert.equal(asked.length, 1)
    reader.retry()
    reader.want(0, 10)
    assert.equal(asked.length, 2)
  })

  it('ends with its screen, and says nothing of it', async () => {
    const { asked, failures, reader, ended } = reading(500)
    reader.want(0, 10)
    ended.abort()
    await new Promise(setImmediate)
    reader.want(0, 10)
    assert.deepEqual([asked.length, failures.length], [1, 0])
  })
})
