/**
 * The limit in bytes of a page. A hundred documents of 2 MiB made one page of 200 MB: a thread ran out of memory, or the
 * service held the whole response for a client that did not read it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { comparePositions, parseSort, sortKeys } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { PAGE_BYTES_MAX } from '../../src/store/query/page-items.ts'
import { QUERY_READER } from '../support/query/query-reader.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import type { FindQuery, Found } from '../../src/store/query/find-query.ts'

const MIB = 1024 * 1024
const [LARGE, SMALL] = [5, 9]
const URL_OF_ALL = 'https://harbour.example/ferry'

const cleanup = { after: (work: () => void | Promise<void>) => after(() => work()) }
const { store } = testStore(cleanup, STORED_MODELS, { queryDeadlineMs: 60_000 })

/** Large documents among small ones; the text is of two bytes a character. */
const random = seededRandom(1)
const documents = Array.from({ length: LARGE + SMALL }, (_, i) => {
  const isLarge = i % 2 === 0 && i / 2 < LARGE
  const value = { ...randomHeadline(random, sampleId(i)), status: 'active', rank: (i * 7) % 5, url: URL_OF_ALL }
  return { id: sampleId(i), value: isLarge ? { ...value, large: 'é'.repeat(MIB) } : value }
})
before(() => store.insertMissing(headline, documents))

function queryOf(sort: string, limit: number | undefined, filter: Json = {}): FindQuery {
  return { filter: parseFilter(filter), sort: parseSort(sort), limit, after: undefined }
}

const bytesOf = ({ items }: Found): number => items.reduce((sum, item) => sum + Buffer.byteLength(item), 0)
const idsOf = ({ items }: Found): string[] => items.map((item) => item.slice(7, 31))

async function allPages(query: FindQuery): Promise<readonly Found[]> {
  const pages = [await store.documents.find(headline, query, QUERY_READER)]
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    pages.push(await store.documents.find(headline, { ...query, after: next }, QUERY_READER))
  }
  return pages
}

describe('a page of large documents', () => {
  for (const { name, sort, filter } of [
    { name: 'in the order of ids', sort: 'id' },
    { name: 'in the order of an index', sort: 'updatedAt:desc' },
    { name: 'sorted by the large text itself', sort: 'large:desc,rank' },
    { name: 'to which a filter is applied', sort: 'title', filter: { rank: { $gte: 0 } } },
  ]) {
    it(`${name} has fewer items than the limit, and its cursor goes on`, async () => {
      const pages = await allPages(queryOf(sort, 100, filter))
      assert.ok(pages.length >= 2, `${pages.length} pages`)
      for (const page of pages) {
        assert.ok(page.items.length > 0 && bytesOf(page) <= PAGE_BYTES_MAX, `${bytesOf(page)} bytes`)
      }
      const together = pages.flatMap(idsOf)
      assert.equal(new Set(together).size, LARGE + SMALL, 'each document once')
      assert.equal(together.length, LARGE + SMALL)
      const keys = parseSort(sort)
      const ordered = documents.map(({ id, value }) => ({ id, keys: sortKeys(value, keys) }))
      ordered.sort((a, b) => comparePositions(keys, a, b))
      assert.deepEqual(together, ordered.map(({ id }) => id))
    })
  }

  it('is as large as it may be', async () => {
    const query = queryOf('large:desc', 100, { large: { $exists: true } })
    const [first] = await allPages(query)
    // Each has a little more than 2 MiB, so a fourth would pass 8 MiB.
    assert.equal(first?.items.length, 3)
  })

  it('has a single document that is larger than a page', async () => {
    for (const i of [0, 1]) {
      const value = { ...randomHeadline(seededRandom(2), sampleId(900 + i)), huge: 'x'.repeat(PAGE_BYTES_MAX + 1) }
      await store.insertMissing(headline, [{ id: sampleId(900 + i), value }])
    }
    const pages = await allPages(queryOf('id', 100, { huge: { $exists: true } }))
    assert.deepEqual(pages.map(idsOf), [[sampleId(900)], [sampleId(901)]])
    for (const i of [0, 1]) await store.remove(headline, sampleId(900 + i))
  })
})

it('attack: large documents with one address do not fill the memory of a look-up by it', () => {
  const ranges = Array.from({ length: 3 }, () => ({ from: URL_OF_ALL, to: URL_OF_ALL }))
  const found = store.documents.lookUp(headline, 'url', ranges, documents.length)
  const chars = found.map(({ text }) => text.length)
  assert.ok(chars.slice(0, -1).reduce((sum, one) => sum + one, 0) < 4 * MIB, `${chars.join()}`)
  assert.ok(found.length > 1, 'more than one document is looked at, however long they are')
})
