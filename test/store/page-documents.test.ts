/**
 * The documents of a page come joined from SQLite where all of them are short. A publisher could store a hundred long ones:
 * those are read one by one, and the page is the same.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { eq, matchAll } from '../../src/query/ast.ts'
import { parseSort } from '../../src/query/order.ts'
import { QUERY_READER } from '../support/query/query-reader.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { testStore } from '../../scripts/tools/stores.ts'

/** Documents of at most so many bytes are joined by SQLite. */
const JOINED_BYTES_MAX = 20_000
const DOCUMENTS = 150

const { store } = testStore({ after: (work) => after(() => work()) }, STORED_MODELS)
const random = seededRandom(1)
const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
  const value = { ...randomHeadline(random, sampleId(i)), filling: '' }
  const room = JOINED_BYTES_MAX - Buffer.byteLength(JSON.stringify(value))
  // Among short ones: the longest that is joined, one byte more, and one of characters of several bytes.
  const filling = { 20: 'x'.repeat(room), 120: 'x'.repeat(room + 1), 121: '€'.repeat(JOINED_BYTES_MAX / 2) }[i] ?? '…'
  return { id: sampleId(i), value: { ...value, filling } }
})
const textOf = (i: number): string => JSON.stringify(documents[i]?.value)
before(() => store.insertMissing(headline, documents))

describe('a page of documents', () => {
  for (const { name, from, limit } of [
    { name: 'that are short', from: 30, limit: 10 },
    { name: 'of which one is as long as may be joined', from: 15, limit: 10 },
    { name: 'of which one is too long to be joined', from: 115, limit: 6 },
    { name: 'of which one is too long, in a page that one statement would give', from: 115, limit: 10 },
    { name: 'of which one has long characters', from: 121, limit: 3 },
    { name: 'that are the last ones', from: 140, limit: 10 },
    { name: 'in more than one statement', from: 0, limit: DOCUMENTS },
    { name: 'of which there is one', from: 149, limit: 1 },
  ]) {
    it(`${name} is the same as texts and joined`, async () => {
      const after = from === 0 ? undefined : { keys: [sampleId(from - 1)], id: sampleId(from - 1) }
      const found = await store.documents.find(headline, { filter: matchAll, sort: parseSort('id'), limit, after }, QUERY_READER)
      const wanted = Array.from({ length: limit }, (_, i) => textOf(from + i))
      assert.deepEqual(found.items, wanted)
      assert.equal(Buffer.from(found.joined).toString(), wanted.join())
      const last = sampleId(from + limit - 1)
      assert.deepEqual(found.next, from + limit < DOCUMENTS ? { keys: [last], id: last } : undefined)
    })
  }
})

it('a page of none has no further one', async () => {
  const query = { filter: eq(['status'], 'nothing'), sort: parseSort('updatedAt:desc'), limit: 20, after: undefined }
  const { items, next } = await store.documents.find(headline, query, QUERY_READER)
  assert.deepEqual([items, next], [[], undefined])
})
