/**
 * A flood of short queries by one caller: an app with many connections had 429 where each of its queries takes 50 µs, and
 * must not keep others waiting either.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NO_ARRIVALS } from '../../src/base/arrivals.ts'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { eq } from '../../src/query/ast.ts'
import { parseSort } from '../../src/query/order.ts'
import { createTurnShare, SLICE_STEPS, type TurnShare } from '../../src/store/query/threads/turn-lane.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import type { QueryCaller } from '../../src/store/query/find-query.ts'

const FLOOD = 300
const LIST = { filter: eq(['status'], 'active'), sort: parseSort('updatedAt:desc'), limit: 20, after: undefined }
const guest = (id: string): QueryCaller => ({ id, class: 'guest' })

const { store } = testStore({ after: (work) => after(() => work()) }, STORED_MODELS)
before(() => {
  const random = seededRandom(1)
  const documents = Array.from({ length: 100 }, (_, i) => ({
    id: sampleId(i),
    value: { ...randomHeadline(random, sampleId(i)), status: 'active' },
  }))
  return store.insertMissing(headline, documents)
})

describe('short queries that arrive together', () => {
  it(`of one caller, ${FLOOD} of them, are all answered`, async () => {
    const { refused } = store.queries.counts()
    const pages = await Promise.all(Array.from({ length: FLOOD }, () => store.documents.find(headline, LIST, guest('a'))))
    assert.ok(pages.every(({ items }) => items.length === 20))
    assert.equal(store.queries.counts().refused, refused)
  })

  it('of one caller do not delay the query of another to their end', async () => {
    const order: string[] = []
    const ask = async (caller: string): Promise<void> => {
      await store.documents.find(headline, LIST, guest(caller))
      order.push(caller)
    }
    await Promise.all([...Array.from({ length: FLOOD }, () => ask('a')), ask('b')])
    assert.ok(order.indexOf('b') < FLOOD / 2, `after ${order.indexOf('b')} of ${FLOOD}`)
  })
})

/** Work that has to wait: its caller has spent the share of this turn. */
function later<Result>(share: TurnShare, caller: string, work: () => Result): Promise<Result> {
  share.spend(caller, SLICE_STEPS)
  return Promise.resolve(share.take(caller, work, () => assert.fail('too many wait')))
}

describe('the share of a turn', () => {
  it('is the same for all together', () => {
    const share = createTurnShare(NO_ARRIVALS)
    for (const caller of ['a', 'b', 'c', 'd', 'e']) share.spend(caller, SLICE_STEPS)
    assert.equal(share.has('f'), false)
  })

  it('lets each caller do some of the work that waits in each turn', async () => {
    const share = createTurnShare(NO_ARRIVALS)
    const done: string[] = []
    const work = (caller: string): Promise<number> =>
      later(share, caller, () => {
        share.spend(caller, SLICE_STEPS)
        return done.push(caller)
      })
    const all = Promise.all([work('a'), work('a'), work('b')])
    await nextTurn()
    assert.deepEqual(done, ['a', 'b'])
    await all
    assert.deepEqual(done, ['a', 'b', 'a'])
  })
})
