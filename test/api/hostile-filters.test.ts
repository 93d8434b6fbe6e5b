// also: executable
/**
 * Filters, sorts and cursors made to hold the service up.
 *
 * A query language for strangers is a place to hide work in: patterns that take exponential time, lists and trees of
 * conditions over large documents, sorts of everything, forged places to begin a page. Each of these has to end
 * with a result or a failure; what they cost is counted in steps by the tests of test/query and test/store.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decimal } from '../../src/base/decimal.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import type { ApiResponse, TestService } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'
import { SYSTEM } from '../../src/store/actor.ts'

/** No query of these tests runs so long, except where the test is about the deadline. */
const NO_DEADLINE_MS = '60000'
const HEADLINES = 300
const TRAP = `${'a'.repeat(40)}!`
const [TRAPPED, LARGE, DEEP] = [sampleId(5_000), sampleId(5_001), sampleId(5_002)] as const

const documents = samples()
/** Both have the same documents; in the second, each long query misses its deadline. */
const [service, hurried] = [await siteWith(NO_DEADLINE_MS), await siteWith('100')]

function samples(): readonly JsonObject[] {
  const random = seededRandom(1)
  const documents = Array.from({ length: HEADLINES }, (_, i) => randomHeadline(random, sampleId(i)))
  const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) })
  return [
    ...documents,
    { ...randomHeadline(random, TRAPPED), title: TRAP, tags: [TRAP], parts: [{ text: TRAP }] },
    { ...randomHeadline(random, LARGE), list: Array.from({ length: 20_000 }, (_, i) => i), long: 'ab'.repeat(200_000) },
    { ...randomHeadline(random, DEEP), deep: nested(199) },
    { ...randomHeadline(random, sampleId(5_003)), deep: nested(199) },
  ]
}

async function siteWith(queryDeadlineMs: string): Promise<TestService & { readonly token: string }> {
  const site = await startSuiteService({ queryDeadlineMs })
  await site.app.services.store.as(SYSTEM).insertMissing(
    headline,
    documents.map((value) => ({ id: String(value['id']), value })),
  )
  return { ...site, token: (await site.guest()).token }
}

interface Query {
  readonly filter?: JsonObject
  readonly sort?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Sends by POST, whose filters may be longer than a request line, while another client reads an item. */
async function send(query: Query, site = service): Promise<ApiResponse> {
  const { token } = site
  const [response, item] = await Promise.all([
    site.data('POST', '/query', { model: 'headline' }, { token, body: query, isUndescribed: true }),
    site.data('GET', `/${sampleId(7)}`, { model: 'headline' }, { token, isUndescribed: true }),
  ])
  assert.equal(item.status, 200)
  return response
}

const times = <Item>(count: number, make: (i: number) => Item): Item[] => Array.from({ length: count }, (_, i) => make(i))
const trap = (options = ''): JsonObject => ({ $regex: '^(a+)+$', $options: options })

describe('a pattern that takes a backtracking engine exponential time gets its response:', () => {
  // The sort makes it look at all documents.
  const spellings: Readonly<Record<string, JsonObject>> = {
    'in the open': { title: trap() },
    'ignoring case': { title: trap('i') },
    'ignoring case, with white space and a comment': { title: { $regex: '^ ( a + # one\n ) + $', $options: 'xi' } },
    'under $and': { $and: [{ status: { $ne: '' } }, { title: trap() }] },
    'under $or and $nor': { $nor: [{ $or: [{ title: { $not: trap() } }] }] },
    'in the value form of $elemMatch': { tags: { $elemMatch: trap() } },
    'in the object form of $elemMatch, below $nor': { $nor: [{ parts: { $not: { $elemMatch: { text: trap() } } } }] },
    'under $all': { tags: { $all: [{ $elemMatch: trap() }] } },
    'without the flag u': { title: { $regex: '^(a+)+$|\\-' } },
    'beside a search that an index serves': { $and: [{ title: { $regex: 'aaaaaa', $options: 'i' } }, { title: trap() }] },
    'on one document that an id names': { _id: TRAPPED, title: trap() },
  }
  for (const [name, filter] of Object.entries(spellings)) {
    it(name, async () => {
      const response = await send({ filter, sort: 'x' })
      assert.equal(response.status, 200, response.text.slice(0, 300))
      const items = response.at('data.items') as JsonObject[]
      assert.ok(!items.some(({ id }) => id === TRAPPED), `${items.length} items`)
    })
  }

  it('and the same text in a search box is a text', async () => {
    for (const q of ['^(a+)+$', '(a+)+$', '(?=(a*)*$)']) assert.equal((await send({ filter: { q } })).status, 200)
  })
})

describe('a pattern of many states on a long text ends at the deadline with advice:', () => {
  const heavy: JsonObject = { $regex: 'a[ab]{9000}c' }
  const spellings: Readonly<Record<string, JsonObject>> = {
    'in the open': { long: heavy },
    'ignoring case': { long: { ...heavy, $options: 'i' } },
    'under $not': { long: { $not: heavy } },
    'on one document that an id names': { _id: LARGE, long: heavy },
  }
  for (const [name, filter] of Object.entries(spellings)) {
    it(name, async () => {
      const response = await send({ filter, sort: 'x' }, hurried)
      assert.equal(response.status, 400, response.text.slice(0, 300))
      assert.match(response.error, /^badRequest: Cannot answer this query of headline in time: narrow the filter or sort by /)
    })
  }
})

describe('work hidden in the size of a query is bounded', () => {
  const large = (test: (i: number) => Json, member: string, count = 900): JsonObject => ({
    _id: LARGE,
    $nor: times(count, (i) => ({ [member]: test(i) })),
  })
  const rows: Readonly<Record<string, Query>> = {
    'a thousand conditions on each element of a large document': { filter: large((i) => ({ $lt: -1 - i }), 'list') },
    'a thousand searches in a large document': { filter: large((i) => ({ $regex: `ababc${i}`, $options: 'i' }), 'long') },
    'bounded patterns on a large document': { filter: large((i) => ({ $regex: `[ab]{1,9}c${i}` }), 'long') },
    'lists of lists on a large document': { filter: large((i) => ({ $in: times(90, (k) => [i, k]) }), 'list', 9) },
    'elements of elements': { filter: { list: { $not: { $elemMatch: { $nin: times(1_000, (i) => -1 - i) } } }, x: 'none' }, sort: 'x' },
    'nothing found on a member without an index, sorted by another': { filter: { nowhere: { $gt: 5 } }, sort: 'n.z:desc,x' },
    'eight members without an index': { sort: 'x,n,tags:desc,n.y,n.z:desc,x.y,x.0,list', limit: 100 },
    'all conditions on all documents': { filter: { $nor: times(999, (i) => ({ nowhere: { $gt: i } })) } },
  }
  for (const [name, query] of Object.entries(rows)) {
    it(name, async () => {
      const { status, text } = await send(query, hurried)
      assert.ok([200, 400].includes(status), `${status} ${text.slice(0, 300)}`)
    })
  }

  const ids = (path: string): JsonObject => ({ [path]: { $in: times(999, (i) => `t${i}`) } })
  const quick: Readonly<Record<string, Query>> = {
    'three lists of a thousand ids': { filter: { ...ids('topic.id'), ...ids('source.id'), ...ids('eventCountry.id') }, sort: 'updatedAt:desc' },
    'a thousand bounds on an indexed path': {
      ...{ filter: { status: 'active', $and: times(990, (i) => ({ updatedAt: { $gt: `a${i}` } })) }, sort: 'updatedAt:desc' },
    },
    'a text of a thousand characters to search for': { filter: { title: { $regex: 'ferry'.repeat(200), $options: 'i' } } },
  }
  for (const [name, query] of Object.entries(quick)) {
    it(name, async () => {
      const response = await send(query)
      assert.equal(response.status, 200, response.text.slice(0, 300))
    })
  }

  it('sort keys that no cursor can hold: 400, and the service is still there', async () => {
    // One such result from a thread ended the process.
    for (const sort of ['deep:desc', 'deep:desc,x']) {
      const response = await send({ filter: { title: { $regex: '.*' } }, sort, limit: 1 })
      assert.equal(response.status, 400, response.text.slice(0, 300))
      assert.match(response.error, /Cannot page by sort/)
    }
    assert.equal((await send({})).status, 200)
  })
})

describe('a forged cursor names a place and nothing more', () => {
  const forge = (sort: string, keys: Json, id: Json = sampleId(3)): string =>
    Buffer.from(JSON.stringify([1, 'headline', sort, keys, id])).toString('base64url')
  // What is no cursor is in test/query/cursor.test.ts.
  const keys: Readonly<Record<string, Json>> = {
    'a number': 5,
    null: null,
    'a boolean': true,
    'an object': { $gt: '' },
    'an empty list': [],
    'a boxed list': [[1]],
    'an empty text': '',
    SQL: "' OR 1=1 --",
    NUL: 'a\0b',
    'half of a surrogate pair': '\ud800',
    'the last code point': '\u{10FFFF}',
    'a huge text': 'x'.repeat(45_000),
    'a number past a double': new Decimal('1e400'),
    'a deep list': [[[[[[[[[]]]]]]]]],
  }
  for (const [name, key] of Object.entries(keys)) {
    it(`with ${name} where the sort has texts, or anything`, async () => {
      for (const sort of ['updatedAt:desc', 'updatedAt:asc', 'x:asc', 'x:desc']) {
        const response = await send({ filter: { status: 'active' }, sort, limit: 5, cursor: forge(sort, [key]) })
        const items = response.at('data.items') as JsonObject[] | undefined
        assert.ok(response.status === 400 || items?.every((item) => item['status'] === 'active'), response.text.slice(0, 300))
      }
    })
  }

  it('with ids that no document has', async () => {
    for (const id of ['', '\u{10FFFF}', 'x'.repeat(40_000), "'", '\ud800']) {
      const cursor = forge('updatedAt:desc', ['2025-10-03T12:00:00.000Z'], id)
      const response = await send({ filter: { status: 'active' }, sort: 'updatedAt:desc', cursor })
      assert.equal(response.status, 200, response.text.slice(0, 300))
    }
  })
})
