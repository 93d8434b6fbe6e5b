// also: threads
/**
 * Queries that no index serves, over sockets: what a flood of them gets, and that other callers go on. How threads are
 * shared is tested at the pool of the store.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { newCast } from '../support/cast.ts'
import { randomHeadline, sampleId } from '../../scripts/tools/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { systemStore } from '../../scripts/tools/stores.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const DOCUMENTS = 1_000
const service = await startSuiteService({ queryDeadlineMs: '1500' })
const store = systemStore(service.app.services.store)
const random = seededRandom(1)
const list = Array.from({ length: 6_000 }, (_, i) => i)
await store.insertMissing(
  headline,
  Array.from({ length: DOCUMENTS }, (_, i) => {
    const value = { ...randomHeadline(random, sampleId(i)), rank: (i * 7) % DOCUMENTS, status: 'active' }
    return { id: sampleId(i), value: i < 100 ? { ...value, list } : value }
  }),
)
const { admin, standard } = await newCast(service)

const askLong = (token: string, query: Json, signal?: AbortSignal) =>
  fetch(`${service.url}/api/v1/data/query?model=headline`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(query),
    ...(signal === undefined ? {} : { signal }),
  })

const ids: Json = { $in: Array.from({ length: 300 }, (_, i) => `t${i}`) }
/** Takes a thread for its many ranges, since no index has its order, and a moment in it. */
const THREAD: Json = { filter: { 'topic.id': ids }, sort: 'excerpt', limit: 3 }
/** Takes one up to its deadline, also on a fast machine: each of 100 documents takes some 50 ms, and none matches. */
const conditions: Json = Array.from({ length: 900 }, (_, i) => ({ list: { $lt: -1 - i } }))
const SLOW: Json = { filter: { 'topic.id': ids, $nor: conditions, list: -1 }, sort: 'updatedAt:desc', limit: 3 }

describe('slow queries of guests', () => {
  it('a flood of one: those past its line get 429 with Retry-After, and no other caller does', { skip: ONLY_HERE }, async () => {
    const [flooding, other] = [await service.guest(), await service.guest()]
    const gone = new AbortController()
    const refused: Response[] = []
    const flood = Array.from({ length: 40 }, async () => {
      const response = await askLong(flooding.token, SLOW, gone.signal).catch(() => undefined)
      if (response !== undefined) refused.push(response)
    })
    // Where the machine is too slow for sixteen to wait, the assertions below fail in place of this loop never ending.
    while (store.queries.counts().waiting.guest < 16 && refused.length < 23) await pause(5)
    const responses = await Promise.all([other.token, standard.token, admin.token].map((token) => askLong(token, THREAD)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
    )
    // One runs and sixteen wait; the others are refused at once. On a busy machine some had their turn meanwhile.
    while (refused.length < 23) await pause(5)
    gone.abort()
    await Promise.all(flood)
    assert.ok(store.queries.counts().refusedBecause.lineFull > 0)
    const tooMany = refused.filter(({ status }) => status === 429)
    assert.ok(tooMany.length >= 15, `${tooMany.length} refused`)
    for (const { headers } of tooMany) assert.match(String(headers.get('retry-after')), /^[1-9]\d*$/)
    assert.ok(refused.every(({ status }) => status === 429 || status === 400))
    while (store.queries.counts().waiting.guest > 0) await pause(5)
  })
})
