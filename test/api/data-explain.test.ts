// also: executable
/** POST /api/v1/data/explain: how a query is executed, for publishers and administrators. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { headline } from '../../src/models/headline.ts'
import { language } from '../../src/models/language.ts'
import type { QueryPlan } from '../../src/models/responses.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { explainQuery } from '../../src/store/query/explain.ts'
import { openForTest } from '../../scripts/tools/stores.ts'
import { newCast } from '../support/cast.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { databaseOf, startService, type ApiResponse } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
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
  it('is given up between two rows, and what is known by then is told', (t) => {
    const database = openForTest(t, databaseOf(service), { readOnly: true })
    let looks = 0
    const query = { filter: parseFilter({ nowhere: 'found' }), sort: [], limit: 10, after: undefined }
    const { finished, rowsRead, rowsReturned } = explainQuery(database, headline, { query, now: () => looks++, msMax: 40 })
    assert.deepEqual([finished, rowsReturned], [false, 0])
    assert.ok(rowsRead > 0 && rowsRead <= 40, `${rowsRead} read`)
  })

  it('within one row ends at the deadline like the query itself', async (t) => {
    const hurried = await startService(t, { queryDeadlineMs: '1000' })
    const notes = `c${'ab'.repeat(750_000)}`
    await hurried.app.services.store.as(SYSTEM).insert(language, { id: 'stuck', value: { id: 'stuck', name: 'Trap', status: 'draft', notes } })
    // Half of its states wait at each character: the row takes many times the deadline, and reading it a small part.
    const filter = { _id: 'stuck', notes: { $regex: 'a[ab]{3000}c' } }
    const { token } = (await newCast(hurried)).publisher
    const response = await hurried.data('POST', '/explain', { model: 'language' }, { token, body: { filter } })
    assert.deepEqual([response.status, response.at('error.code')], [400, 'badRequest'], response.text)
    assert.match(String(response.at('error.message')), /narrow the filter/)
  })
})
