/** Queries in slices beside other requests: what others notice of them, and what they see of others. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { NO_ARRIVALS, type Arrivals } from '../../src/base/arrivals.ts'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { createInlineLane } from '../../src/store/scan/inline-lane.ts'
import { createTurnLane } from '../../src/store/scan/turn-lane.ts'
import type { QueryCaller, FindQuery, Found } from '../../src/store/store.ts'
import { QUERY_READER } from '../support/service/query-reader.ts'
import { randomHeadline, sampleId } from '../support/service/headline-samples.ts'
import { seededRandom } from '../support/random.ts'
import type { Cleanup } from '../support/service/temporary-directory.ts'
import { testStore } from '../support/service/stores.ts'

const DOCUMENTS = 800
/** With 1,500 characters a document takes about 800 steps, so all of them take six or seven slices. */
const NOTES = 'n'.repeat(1_000)

const { store, dir } = testStore({ after: (work) => after(() => work()) })

before(async () => {
  const random = seededRandom(1)
  await store.insertMissing(
    headline,
    Array.from({ length: DOCUMENTS }, (_, i) => ({
      id: sampleId(i),
      value: { ...randomHeadline(random, sampleId(i)), status: 'active', notes: NOTES, rank: i },
    })),
  )
})

function openLane(arrivals: Pick<Arrivals, 'areMany'> = NO_ARRIVALS) {
  const lane = createTurnLane({ now: () => 0, arrivals })
  const queries = createInlineLane({ file: dir.database, lane, bytesOf: () => 0 })
  return {
    run: queries.run,
    slots: lane.slots,
    async close(): Promise<void> {
      await lane.close()
      queries.close()
    },
  }
}

function laneFor(t: Cleanup, arrivals?: Pick<Arrivals, 'areMany'>) {
  const lane = openLane(arrivals)
  t.after(() => lane.close())
  return lane
}

function query(filter: Json, limit = 1_000): FindQuery {
  return { filter: parseFilter(filter), sort: parseSort('rank:desc'), limit, after: undefined }
}

const everything = query({ rank: { $gte: 0 } })
const guest = (id: string): QueryCaller => ({ id, class: 'guest' })
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Turns of the event loop until it is answered. */
async function turnsOf(answer: Promise<unknown>): Promise<number> {
  let isOver = false
  void answer.then(() => (isOver = true), () => (isOver = true))
  let turns = 0
  for (; !isOver; turns++) await turn()
  return turns
}

describe('a query that is longer than a moment', () => {
  it('leaves turns of the event loop to others, in proportion to its work', async (t) => {
    const lane = laneFor(t)
    const all = await turnsOf(lane.run(headline, everything, QUERY_READER))
    const some = await turnsOf(lane.run(headline, query({ _id: { $in: [1, 2, 3].map(sampleId) } }), QUERY_READER))
    assert.ok(all >= 5 && all <= 20, `${all} turns`)
    assert.ok(some <= 3, `${some} turns`)
  })

  it('sees the state of the database in which it began', async (t) => {
    const lane = laneFor(t)
    const answer = lane.run(headline, query({ rank: { $gte: 0 } }, 2), QUERY_READER)
    for (let i = 0; i < 3; i++) await turn()
    assert.equal(lane.slots.counts().running.user, 1, 'it is under way')
    const value = { ...randomHeadline(seededRandom(2), sampleId(9_000)), rank: DOCUMENTS + 1 }
    await store.insert(headline, { id: sampleId(9_000), value })
    await store.remove(headline, sampleId(DOCUMENTS - 1))
    assert.deepEqual(ranksOf(await answer), [DOCUMENTS - 1, DOCUMENTS - 2])
    const later = await lane.run(headline, query({ rank: { $gte: 0 } }, 2), QUERY_READER)
    assert.deepEqual(ranksOf(later), [DOCUMENTS + 1, DOCUMENTS - 2])
  })

  it('takes the same work each time, and past the budget needs a thread', async (t) => {
    const lane = laneFor(t)
    // Each condition looks at the rank of each document: 1,000 of them pass the budget, 100 do not.
    const heavy = (conditions: number): FindQuery =>
      query({ $nor: Array.from({ length: conditions }, (_, i) => ({ rank: { $lt: -1 - i } })) })
    for (let i = 0; i < 3; i++) {
      assert.equal((await lane.run(headline, heavy(100), QUERY_READER))?.items.length, DOCUMENTS)
      assert.equal(await lane.run(headline, heavy(999), QUERY_READER), undefined)
    }
  })

  it('ends when its client disconnects, and makes room for the next', async (t) => {
    const lane = laneFor(t)
    const client = new AbortController()
    const gone = assert.rejects(lane.run(headline, everything, { ...guest('a'), signal: client.signal }), { name: 'AbortError' })
    const next = lane.run(headline, everything, guest('b'))
    await turn()
    client.abort()
    await gone
    assert.equal((await next)?.items.length, DOCUMENTS)
  })

  it('ends when the lane is closed', async () => {
    const lane = openLane()
    const [running, waiting] = ['a', 'b'].map((id) => lane.run(headline, everything, guest(id)))
    const stopping = { message: 'The service is stopping' }
    const ended = [assert.rejects(running as Promise<unknown>, stopping), assert.rejects(waiting as Promise<unknown>, stopping)]
    await turn()
    await lane.close()
    await Promise.all(ended)
  })
})

it("a flood of one guest: another caller's query waits for one of them at most", async (t) => {
  const lane = laneFor(t)
  const done: string[] = []
  const ask = async (id: string): Promise<void> => {
    await lane.run(headline, everything, guest(id))
    done.push(id)
  }
  const flood = Array.from({ length: 12 }, () => ask('flood'))
  const other = ask('other')
  await other
  assert.ok(done.length <= 3, `${done.length} answered before`)
  await Promise.all(flood)
})

function ranksOf(found: Found | undefined): number[] {
  return (found?.items ?? []).map((item) => (JSON.parse(item) as { rank: number }).rank)
}
