// also: executable
/** POST /api/v1/data/explain: how a query is executed, for publishers and administrators. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { language } from '../../src/models/language.ts'
import type { QueryPlan } from '../../src/models/responses.ts'
import { topic } from '../../src/models/topic.ts'
import { newCast } from '../support/cast.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startSuiteService } from '../support/service/suite-service.ts'
import { SYSTEM } from '../../src/store/actor.ts'

/** A quarter of it is left for the response of a query that is given up, also on a machine with thirty times the work. */
const DEADLINE_MS = longRun(1_000, 4_000)
/** Two tests store and read ten megabytes, and depend on the speed of the machine. */
const ONLY_LONG = longRun(1, 0) === 1 && 'it is part of the long run'
const service = await startSuiteService({ queryDeadlineMs: String(DEADLINE_MS) })
const { store } = service.app.services
await seedSample(store, { flagBaseUrl: 'https://flags.example', now: service.now() })
const { admin, publisher, standard, guest } = await newCast(service)

const explain = (body: unknown, { model = 'headline', token = publisher.token } = {}): Promise<ApiResponse> =>
  service.data('POST', '/explain', { model }, { token, body })

describe('POST /api/v1/data/explain', () => {
  for (const { name, ...query } of [
    { name: 'a feed', filter: { status: 'active' }, sort: 'updatedAt:desc', limit: 10 },
    { name: 'a search', filter: { q: 'ferry' } },
    { name: 'a scan', filter: { 'source.language.code': 'en' }, limit: 5 },
  ]) {
    it(`says of ${name} what the command prints`, async () => {
      const response = await explain(query)
      assert.equal(response.status, 200, response.text)
      const words = Object.entries(query).flatMap(([key, value]) => [
        `--${key}`,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ])
      const data = join(service.directory, 'data')
      const printed = await runCheaply(['explain', '--json', '--model', 'headline', ...words, '--data-dir', data])
      assert.equal(printed.code, 0, printed.stderr)
      const timeless = (plan: unknown): unknown => ({ ...(plan as QueryPlan), milliseconds: 0 })
      assert.deepEqual(timeless(response.at('data')), timeless(JSON.parse(printed.stdout)))
    })
  }

  it('is for publishers and administrators, of models that they may list', async () => {
    for (const { token } of [standard, guest]) assert.equal((await explain({}, { token })).status, 403)
    assert.equal((await service.data('POST', '/explain', { model: 'topic' }, { body: {} })).status, 401)
    assert.equal((await explain({}, { model: 'user' })).status, 403, 'a publisher may not list users')
    assert.equal((await explain({}, { model: 'user', token: admin.token })).status, 200)
  })

  for (const [name, body, model, status, message] of [
    ['an unknown operator', { filter: { a: { $near: 1 } } }, 'headline', 400, /\$near/],
    ['a filter past 64 KiB', { filter: { title: 'x'.repeat(65_537) } }, 'headline', 400, /64 KiB|65536/],
    ['a sort that is no text', { sort: 1 }, 'headline', 400, /^Cannot read sort: expected a string/],
    ['a model that nothing is stored of', {}, 'dashboard_summary', 400, /nothing of it is stored/],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const response = await explain(body, { model })
      assert.equal(response.status, status, response.text)
      assert.match(String(response.at('error.message')), message)
    })
  }
})

describe('a query that takes too long', () => {
  /** About half of its states wait at each character of a random text, and hardly ever the same ones twice. */
  const slowFilter = (states: number) => ({ notes: { $regex: `a[ab]{${states}}c` } })
  const random = seededRandom(11)
  const trap = (id: string, length: number) => {
    const notes = `c${Array.from({ length }, () => random.pick(['a', 'b'])).join('')}`
    return { id, value: { id, name: 'Trap', status: 'draft', notes } }
  }
  /** Each takes some milliseconds, and together they take many seconds. */
  const fillWithTraps = ({ app }: Pick<TestService, 'app'>) =>
    app.services.store.as(SYSTEM).insertMissing(
      topic,
      Array.from({ length: 4_000 }, (_, i) => trap(`slow-${i}`, 2_500)),
    )

  // With a clock that stands still, only the deadline ends it.
  it('is given up between two rows, and what is known by then is told', { skip: ONLY_LONG || ONLY_HERE }, async () => {
    await fillWithTraps(service)
    const response = await explain({ filter: slowFilter(300) }, { model: 'topic' })
    assert.equal(response.status, 200, response.text)
    const { finished, runs, access, rowsRead, rowsReturned, milliseconds } = response.at('data') as QueryPlan
    assert.deepEqual(
      { finished, runs, access, rowsReturned },
      { finished: false, runs: 'thread', access: 'ids', rowsReturned: 0 },
    )
    assert.ok(rowsRead > 0 && rowsRead < 4_000, `read ${rowsRead}`)
    assert.ok(milliseconds < DEADLINE_MS, `took ${milliseconds}`)
  })

  // The counts of queries are those of this process.
  it('is told to run in a thread where it reads more than was expected, as it does', { skip: ONLY_LONG || ONLY_HERE }, async (t) => {
    // No deadline: both have to come to their end.
    const own = await startService(t, { queryDeadlineMs: '60000' })
    const { store } = own.app.services
    await seedSample(store, { flagBaseUrl: 'https://flags.example', now: own.now() })
    await fillWithTraps(own)
    const { token } = (await newCast(own)).publisher
    const query = { filter: { description: 'of nothing' } }
    const { worker: before } = store.queries.counts()
    await own.data('POST', '/query', { model: 'topic' }, { token, body: query })
    assert.equal(store.queries.counts().worker, before + 1)
    const response = await own.data('POST', '/explain', { model: 'topic' }, { token, body: query })
    const { runs, finished, rowsExpected, rowsRead } = response.at('data') as QueryPlan
    assert.deepEqual({ runs, finished }, { runs: 'thread', finished: true }, response.text)
    assert.ok(rowsExpected < 600 && rowsRead >= 4_000, `${rowsExpected} expected, ${rowsRead} read`)
  })

  it('within one row ends at the deadline like the query itself', async () => {
    await store.as(SYSTEM).insert(language, trap('stuck', 1_500_000))
    const response = await explain({ filter: { _id: 'stuck', ...slowFilter(3_000) } }, { model: 'language' })
    assert.deepEqual([response.status, response.at('error.code')], [400, 'badRequest'], response.text)
    assert.match(String(response.at('error.message')), /narrow the filter/)
  })
})
