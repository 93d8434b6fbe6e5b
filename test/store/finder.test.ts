/**
 * Where queries run. Beside other requests only what cannot hold them up; each row is a query that once did, or its
 * harmless neighbour.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { language } from '../../src/models/language.ts'
import { matchAll } from '../../src/query/ast.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { QUERY_READER } from '../support/query/query-reader.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const [BIG, LONG] = [sampleId(9_000), sampleId(9_001)] as const
const DOCUMENTS = 900

const times = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** The work decides where a query runs; none is to be cut off where the machine is busy. */
const { store } = testStore({ after: (work) => after(() => work()) }, undefined, { queryDeadlineMs: 60_000 })

before(async () => {
  const random = seededRandom(1)
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({ id: sampleId(i), value: randomHeadline(random, sampleId(i)) }))
  const list = Array.from({ length: 30_000 }, (_, i) => i)
  const mixed = Array.from({ length: 30_000 }, () => random.pick(['a', 'b'])).join('')
  const big = { ...randomHeadline(random, BIG), list, long: 'x'.repeat(50_000), mixed, pairs: times(5_000, (i) => [-i, i]) }
  const long = { ...randomHeadline(random, LONG), title: 'x'.repeat(20_000), topic: { id: 'long' } }
  await store.insertMissing(headline, [...documents, { id: BIG, value: big }, { id: LONG, value: long }])
})

const searched = (text: string): Json => ({ long: { $regex: text, $options: 'i' } })
const topics = (count: number): Json => ({ $in: times(count, (i) => `t${i}`) })

const ROWS: readonly (readonly [name: string, runs: 'inline' | 'in a thread', filter: Json, sort?: string])[] = [
  ['a page of the feed', 'inline', { status: 'active', 'topic.id': topics(10) }, 'updatedAt:desc'],
  ['a large document by id', 'inline', { _id: BIG }],
  ['a thousand conditions on a small document', 'inline', { _id: sampleId(3), $nor: times(900, (i) => ({ x: { $lt: -i } })) }],
  ['a hundred conditions on a large list', 'in a thread', { _id: BIG, $nor: times(100, (i) => ({ list: { $lt: -1 - i } })) }],
  ['a hundred searches of a text', 'in a thread', { _id: BIG, $nor: times(100, (i) => searched(`xxy${i}`)) }],
  ['bounded patterns on a text', 'inline', { _id: BIG, $nor: times(3, (i) => ({ long: { $regex: `[xz]{1,9}y${i}` } })) }],
  ['lists of arrays on a list of scalars', 'inline', { _id: BIG, list: { $nin: times(20, (i) => [i, i]) } }],
  ['lists of arrays on arrays', 'in a thread', { _id: BIG, pairs: { $nin: times(100, (i) => times(10, () => i)) } }],
  ['a pattern that backtracks exponentially elsewhere', 'inline', { _id: sampleId(3), title: { $regex: '^(x+x+)+y$' } }],
  ['a pattern of many states', 'in a thread', { _id: BIG, mixed: { $regex: 'a[ab]{300}[cd]' } }],
  ['a sort of everything on an undeclared member', 'in a thread', {}, 'x'],
  ['a filter on everything that no index serves', 'in a thread', { 'source.name': { $ne: 'x' } }, 'x'],
  ['hundreds of ranges to merge', 'in a thread', { 'topic.id': { $in: times(300, (i) => `none ${i}`) } }, 'title'],
]

describe('a query runs', () => {
  for (const [name, runs, filter, sort] of ROWS) {
    it(`${runs}: ${name}`, async () => {
      const earlier = store.queries.counts()
      const query = { filter: parseFilter(filter), sort: sort === undefined ? [] : parseSort(sort), limit: 10, after: undefined }
      await store.documents.find(headline, query, QUERY_READER)
      const { inline, worker } = store.queries.counts()
      assert.deepEqual([inline - earlier.inline, worker - earlier.worker], runs === 'inline' ? [1, 0] : [0, 1])
    })
  }
})

it('a count of a whole model or of one status is exact beyond the limit, and reads no row', async () => {
  const count = (filter: Json) => store.documents.count(headline, parseFilter(filter), 100, QUERY_READER)
  const all = await store.documents.find(headline, { filter: matchAll, sort: [], limit: undefined, after: undefined }, QUERY_READER)
  const active = all.items.filter((item) => item.includes('"status":"active"')).length
  assert.ok(active > 100)
  assert.deepEqual(await count({}), { total: DOCUMENTS + 2, isFloor: false })
  assert.deepEqual(await count({ status: 'active' }), { total: active, isFloor: false })
  assert.deepEqual(await count({ status: 'nowhere' }), { total: 0, isFloor: false })
  assert.deepEqual(await count({ status: { $in: ['active', 'draft', 'archived'] } }), { total: 100, isFloor: true })
})

it('a list of ten rows runs inline where nearly all documents were deleted', async (t) => {
  for (const [model, filter, deleted] of [
    [headline, { 'source.name': { $ne: 'x' } }, 1_990],
    [language, { name: { $ne: 'x' } }, 1_990],
  ] as const) {
    const [{ store: shrunk }, random] = [testStore(t), seededRandom(1)]
    const valueOf = (i: number) => ({ ...randomHeadline(random, sampleId(i)), name: `n${i}` })
    const documents = times(2_000, (i) => ({ id: sampleId(i), value: valueOf(i) }))
    await shrunk.insertMissing(model, documents)
    await shrunk.together((_, { remove }) => documents.slice(0, deleted).forEach(({ id }) => remove(model, id)))
    const query = { filter: parseFilter(filter), sort: parseSort('x'), limit: 20, after: undefined }
    assert.equal((await shrunk.documents.find(model, query, QUERY_READER)).items.length, 10)
    const { inline, worker } = shrunk.queries.counts()
    assert.deepEqual([inline, worker], [1, 0], model.name)
  }
})

it('a thousand bounds on one path are as good as the strictest', async () => {
  // SQLite refuses expressions of more than 1,000 terms, and the answer was 500.
  const bounds = times(900, (i) => ({ updatedAt: { [i % 2 === 0 ? '$gte' : '$gt']: `2025-10-0${1 + (i % 5)}T12:00:00.000Z` } }))
  const answer = async (filter: Json): Promise<readonly string[]> => {
    const query = { filter: parseFilter(filter), sort: parseSort('updatedAt:desc'), limit: 1_000, after: undefined }
    return (await store.documents.find(headline, query, QUERY_READER)).items.map((item) => item.slice(0, 33))
  }
  const found = await answer({ status: 'active', $and: [...bounds, ...times(90, () => ({ updatedAt: { $lt: '2025-10-08' } }))] })
  assert.ok(found.length > 10 && found.length < DOCUMENTS / 2)
  assert.deepEqual(found, await answer({ status: 'active', updatedAt: { $gt: '2025-10-05T12:00:00.000Z', $lt: '2025-10-08' } }))
})
