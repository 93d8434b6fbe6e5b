/**
 * The whole way of a query, from the planner over SQL and threads to the page, against brute force. First all small
 * filters, then random ones. `SEED=123` repeats a run; `npm run fuzz -- query` makes a longer one.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { writeQuery } from '../../src/store/query/threads/query-message.ts'
import { createScanPool } from '../../src/store/query/threads/scan-pool.ts'
import type { SystemStore } from '../../scripts/tools/stores.ts'
import {
  createWorld,
  differenceOfStore,
  differenceOrError,
  newTally,
  randomQueryCase,
  report,
  type QueryCase,
} from '../support/query/query-comparison.ts'
import { smallFilters, SORTS } from '../support/query/query-generator.ts'
import { fuzzRun, longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const SEED = seedOfTest()
const CHANGES = 60
/** One in so many of the small filters. */
const SMALL_STEP = longRun(41, 1)
const RANDOM_QUERIES = fuzzRun(80, 2_000)
const QUERIES_OF_A_WORLD = longRun(40, 250)
const STORE_QUERIES = longRun(30, 300)
const PLACES = longRun(4, 50)

const random = seededRandom(SEED)
const tally = newTally()
const world = createWorld({ after: (work) => after(() => work()) })

before(() => world.change(random, CHANGES))

function compare(queryCase: QueryCase, which: 'indexed' | 'bare'): void {
  const copy = world[which]
  const difference = differenceOrError(queryCase, { world, copy, random, tally })
  assert.equal(difference, undefined, `SEED=${SEED} ${report(queryCase, copy, difference ?? '')}`)
}

/** Each begins at many places. */
const ONCE_WRONG: readonly (readonly [name: string, filter: Json, sort: string])[] = [
  ['a key with a single value that SQL does not see to', { title: { $gte: '' }, excerpt: 'one' }, 'excerpt,updatedAt:desc,title'],
  [
    'ranges that are merged by such a key',
    { 'topic.id': { $in: ['t1', 't2', 't3'] }, status: 'active', excerpt: 'one' },
    'excerpt,updatedAt:desc',
  ],
  ['a cursor with another value of the single key', { status: 'draft' }, 'status,updatedAt:desc'],
  ['the same after the keys in order', { status: 'active', 'topic.id': 't1' }, 'updatedAt:desc,status'],
  ['a bound that is half a surrogate pair', { title: { $gt: '\ud800' } }, 'title'],
  ['a list with half a surrogate pair', { status: { $in: ['\ud800', 'active'] }, title: { $ne: '\udc00' } }, 'updatedAt:desc'],
  ['a search for half a surrogate pair', { title: { $regex: 'ul\ud800', $options: 'i' } }, ''],
  ['a search for the replacement character', { title: { $regex: 'ul\ufffd', $options: 'i' } }, ''],
]

describe(`queries find what brute force does (SEED=${SEED})`, () => {
  it('for every filter of up to two nodes, with every kind of sort', () => {
    const filters = [...smallFilters()]
    assert.ok(filters.length > 5_000, `${filters.length} small filters`)
    let compared = 0
    for (let i = SEED % SMALL_STEP; i < filters.length; i += SMALL_STEP) {
      const filter = filters[i] as JsonObject
      const queryCase = { filter, sort: SORTS[compared % SORTS.length] ?? '', limit: [1, 3, 7, 30][compared % 4] ?? 1 }
      compare(queryCase, 'indexed')
      if (compared++ % 3 === 0) compare(queryCase, 'bare')
    }
  })

  for (const [name, filter, sort] of ONCE_WRONG) {
    it(`where they once did not: ${name}`, () => {
      for (let i = 0; i < PLACES; i++) compare({ filter, sort, limit: 1 + (i % 4) }, 'indexed')
    })
  }

  it('for random filters, sorts and pages, while documents come, change and go', async () => {
    for (let i = 0; i < RANDOM_QUERIES; i++) {
      if (i % QUERIES_OF_A_WORLD === 0) await world.change(random, CHANGES)
      const queryCase = randomQueryCase(random)
      compare(queryCase, 'indexed')
      compare(queryCase, 'bare')
    }
  })

  it('when the store decides where they run, and in threads', async (t) => {
    const { model, store, file } = world.indexed
    const pool = createScanPool({ file, now: () => 0, limits: { deadlineMs: 60_000, waitMsMax: 60_000 } })
    t.after(() => pool.close())
    const ways: readonly SystemStore['documents']['find'][] = [
      (...query) => store.documents.find(...query),
      ({ name }, query, caller) => pool.run(writeQuery(name, query), caller, 'ask for less'),
    ]
    for (let i = 0; i < STORE_QUERIES; i++) {
      const queryCase = randomQueryCase(random)
      for (const find of ways) {
        const difference = await differenceOfStore(queryCase, { world, model, find })
        assert.equal(difference, undefined, `SEED=${SEED} ${report(queryCase, world.indexed, difference ?? '')}`)
      }
    }
    const { inline, refused } = store.queries.counts()
    assert.ok(inline > STORE_QUERIES / 2, `${inline} inline`)
    const { done, timedOut } = pool.counts()
    assert.ok(done > STORE_QUERIES / 2, `${done} in threads`)
    assert.deepEqual([timedOut, refused], [0, 0])
  })

  it('which means something: most kinds of plans and orders were met often, and filters told documents apart', () => {
    assert.ok(tally.telling > tally.cases * 0.2, `${tally.telling} of ${tally.cases} cases tell documents apart`)
    if (longRun(0, 1) === 0) return
    const wanted: Readonly<Record<string, number>> = {
      'index exact': 500,
      'index superset': 1_000,
      search: 200,
      'search exact': 30,
      ids: 500,
      'ids exact': 50,
      'table superset': 1_000,
      'table exact': 50,
      nothing: 200,
      'order total': 500,
      'order partial': 500,
      'order none': 1_000,
      'order backwards': 200,
      'merged ranges': 300,
    }
    const rare = Object.entries(wanted).filter(([kind, least]) => (tally.kinds.get(kind) ?? 0) < least)
    assert.deepEqual(rare.map(([kind]) => `${kind}: ${tally.kinds.get(kind) ?? 0}`), [])
  })
})
