/**
 * Where queries run. Beside other requests only what cannot hold them up; each row is a query that once did, or its
 * harmless neighbour.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { QUERY_READER } from '../support/service/query-reader.ts'
import { randomHeadline, sampleId } from '../support/service/headline-samples.ts'
import { seededRandom } from '../support/random.ts'
import { testStore } from '../support/service/stores.ts'

const [BIG, LONG] = [sampleId(9_000), sampleId(9_001)] as const
const DOCUMENTS = 900

const times = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i))

const { store } = testStore({ after: (work) => after(() => work()) })

before(async () => {
  const random = seededRandom(1)
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({ id: sampleId(i), value: randomHeadline(random, sampleId(i)) }))
  const list = Array.from({ length: 30_000 }, (_, i) => i)
  const mixed = Array.from({ length: 30_000 }, () => random.pick(['a', 'b'])).join('')
  const big = { ...randomHeadline(random, BIG), list, long: 'x'.repeat(50_000), mixed, pairs: times(5_000, (i) => [-i, i]) }
  const long = { ...randomHeadline(random, LONG), title: 'x'.repeat(20_000), topic: { id: 'long' } }
  await store.insertMissing(headline, [...documents, { id: BIG, value: big }, { id: LONG, value: long }])
})

const topics = (count: number): Json => ({ $in: times(count, (i) => `t${i}`) })

const ROWS: readonly {
  readonly name: string
  readonly filter: Json
  readonly sort?: string
  readonly runs: 'inline' | 'in a thread'
}[] = [
  { name: 'a page of the feed', filter: { status: 'active', 'topic.id': topics(10) }, sort: 'updatedAt:desc', runs: 'inline' },
  { name: 'a document by id', filter: { _id: sampleId(3) }, runs: 'inline' },
  { name: 'a large document by id', filter: { _id: BIG }, runs: 'inline' },
  { name: 'a few conditions on a small document', filter: { _id: sampleId(3), x: { $ne: 5 } }, runs: 'inline' },
  {
    name: 'a thousand conditions on a small document',
    filter: { _id: sampleId(3), $nor: times(900, (i) => ({ x: { $lt: -i } })) },
    runs: 'inline',
  },
  {
    name: 'a hundred conditions on each element of a large document',
    filter: { _id: BIG, $nor: times(100, (i) => ({ list: { $lt: -1 - i } })) },
    runs: 'in a thread',
  },
  {
    name: 'a hundred searches in a large document',
    filter: { _id: BIG, $nor: times(100, (i) => ({ long: { $regex: `xxy${i}`, $options: 'i' } })) },
    runs: 'in a thread',
  },
  {
    name: 'some bounded patterns on a large document',
    filter: { _id: BIG, $nor: times(30, (i) => ({ long: { $regex: `[xz]{1,9}y${i}` } })) },
    runs: 'inline',
  },
  {
    name: 'patterns on a long title that an index keeps',
    filter: { 'topic.id': 'long', $and: times(60, (i) => ({ title: { $regex: `[xz]{1,9}${'x'.repeat(i % 9)}` } })) },
    sort: 'updatedAt:desc',
    runs: 'inline',
  },
  {
    name: 'lists of arrays on a list of scalars',
    filter: { _id: BIG, list: { $nin: times(20, (i) => [i, i]) } },
    runs: 'inline',
  },
  {
    name: 'lists of arrays on a long list of arrays',
    filter: { _id: BIG, pairs: { $nin: times(100, (i) => times(10, () => i)) } },
    runs: 'in a thread',
  },
  {
    name: 'a pattern that takes a backtracking engine exponential time',
    filter: { _id: sampleId(3), title: { $regex: '^(x+x+)+y$' } },
    runs: 'inline',
  },
  {
    name: 'a pattern of many states on a large document',
    filter: { _id: BIG, mixed: { $regex: 'a[ab]{300}[cd]' } },
    runs: 'in a thread',
  },
  { name: 'a sort of everything on an undeclared member', filter: {}, sort: 'x', runs: 'inline' },
  { name: 'a filter on everything that no index serves', filter: { 'source.name': { $ne: 'x' } }, sort: 'x', runs: 'inline' },
  { name: 'a sort of a few on an undeclared member', filter: { status: 'draft', 'topic.id': 't1' }, sort: 'x', runs: 'inline' },
  {
    name: 'hundreds of ranges to merge',
    filter: { 'topic.id': { $in: times(300, (i) => `none ${i}`) } },
    sort: 'title',
    runs: 'in a thread',
  },
]

describe('a query runs', () => {
  for (const { name, filter, sort, runs } of ROWS) {
    it(`${runs}: ${name}`, async () => {
      const earlier = store.queryCounts()
      const query = { filter: parseFilter(filter), sort: sort === undefined ? [] : parseSort(sort), limit: 10, after: undefined }
      await store.find(headline, query, QUERY_READER)
      const { inline, worker } = store.queryCounts()
      assert.deepEqual([inline - earlier.inline, worker - earlier.worker], runs === 'inline' ? [1, 0] : [0, 1])
    })
  }
})

it('a thousand bounds on one path are as good as the strictest', async () => {
  // SQLite refuses expressions of more than 1,000 terms, and the answer was 500.
  const bounds = times(900, (i) => ({ updatedAt: { [i % 2 === 0 ? '$gte' : '$gt']: `2025-10-0${1 + (i % 5)}T12:00:00.000Z` } }))
  const answer = async (filter: Json): Promise<readonly string[]> => {
    const query = { filter: parseFilter(filter), sort: parseSort('updatedAt:desc'), limit: 1_000, after: undefined }
    return (await store.find(headline, query, QUERY_READER)).items.map((item) => item.slice(0, 33))
  }
  const found = await answer({ status: 'active', $and: [...bounds, ...times(90, () => ({ updatedAt: { $lt: '2025-10-08' } }))] })
  assert.ok(found.length > 10 && found.length < DOCUMENTS / 2)
  assert.deepEqual(found, await answer({ status: 'active', updatedAt: { $gt: '2025-10-05T12:00:00.000Z', $lt: '2025-10-08' } }))
})
