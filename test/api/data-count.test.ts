// also: cache-off
/** `count=true` on lists: exact up to 10,000, a floor above, for every caller what the caller may list. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { country } from '../../src/models/country.ts'
import { topic } from '../../src/models/topic.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { execute, noEffort } from '../../src/store/plan/executor.ts'
import { planQuery } from '../../src/store/plan/planner.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { type Person } from '../support/cast.ts'
import { COUNTRY, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { databaseOf, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, standard, guest } = await startSite({ hideInactive: 'on' })
const { store } = service.app.services

await store.as(SYSTEM).insertMissing(
  topic,
  Array.from({ length: 30 }, (_, i) => {
    const id = `topic-${i}`
    return { id, value: { ...TOPIC, id, name: `Topic ${i}`, status: i < 20 ? 'active' : 'draft', mood: i % 3 } }
  }),
)

const list = (query: Record<string, unknown>, by: Person | undefined = admin, model = 'topic'): Promise<ApiResponse> =>
  service.data('GET', '', { model, ...query }, { token: by?.token })
const totalOf = (response: ApiResponse): unknown[] => [response.at('data.total'), response.at('data.totalIsFloor')]

describe('the total of a list', () => {
  it('counts what the filter lists on all pages, whatever the page is', async () => {
    const rows: [filter: object | undefined, total: number][] = [
      [undefined, 30],
      [{ status: 'active' }, 20],
      [{ status: 'draft', mood: 0 }, 3],
      [{ mood: { $in: [0, 1] } }, 20],
      [{ $or: [{ status: 'draft' }, { mood: 0 }] }, 17],
      [{ q: 'topic 1' }, 11],
      [{ name: { $regex: '^topic 2', $options: 'i' } }, 11],
      [{ id: { $in: ['topic-1', 'topic-2', 'none'] } }, 2],
      [{ status: 'archived' }, 0],
    ]
    for (const [filter, total] of rows) {
      for (const page of [{}, { limit: 0 }, { limit: 3, sort: 'name:desc' }, { fields: 'name', limit: 1 }]) {
        const query = { ...page, ...(filter === undefined ? {} : { filter }), count: true }
        const response = await service.data('GET', '', { model: 'topic', ...query }, { token: admin.token, isUndescribed: true })
        assert.deepEqual(totalOf(response), [total, false], JSON.stringify(query))
      }
    }
    const first = await list({ limit: 5, count: true })
    const second = await list({ limit: 5, count: true, cursor: first.at('data.cursor') })
    assert.deepEqual(totalOf(second), [30, false])
  })

  it('is there only where it is asked for, in a body too', async () => {
    for (const query of [{}, { count: 'false' }]) assert.deepEqual(totalOf(await list(query)), [undefined, undefined])
    const posted = (count: unknown): Promise<ApiResponse> =>
      service.data('POST', '/query', { model: 'topic' }, { token: admin.token, body: { count, filter: { status: 'draft' } } })
    assert.deepEqual([totalOf(await posted(true)), totalOf(await posted(false)), totalOf(await posted(null))].map(([total]) => total), [10, undefined, undefined])
    for (const count of ['yes', '1', '']) {
      assert.match((await list({ count })).error, /^badRequest: Cannot read count ".*": expected true or false$/)
    }
    assert.equal((await posted(1)).status, 400)
    assert.deepEqual(totalOf(await list({ count: true }, admin, 'dashboard_summary')), [1, false])
  })

  it('is remembered with its page, and counted again after a change', async () => {
    const query = { filter: { mood: 2 }, count: true }
    for (let i = 0; i < 3; i++) assert.deepEqual(totalOf(await list(query)), [10, false])
    const tag = (await list(query)).headers.get('etag') ?? ''
    assert.notEqual((await list({ filter: { mood: 2 } })).headers.get('etag'), tag)
    const made = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, mood: 2 } })
    assert.deepEqual(totalOf(await list(query)), [11, false])
    await service.data('DELETE', `/${String(made.at('data.id'))}`, { model: 'topic' }, { token: admin.token })
    assert.deepEqual(totalOf(await list(query)), [10, false])
  })
})

describe('attack: a total', () => {
  // It went on within the document up to the deadline, where the list that had found its page got 400.
  it('of a filter that takes long on one document is a floor', async () => {
    const [id, list] = ['long', Array.from({ length: 50_000 }, (_, i) => i)]
    await store.as(SYSTEM).insertMissing(country, [{ id, value: { ...COUNTRY, id, isoCode: 'ZZ', name: 'Zz', list } }])
    const filter = { $nor: Array.from({ length: 900 }, (_, i) => ({ list: { $lt: -1 - i } })) }
    const database = openDatabase(databaseOf(service), { readOnly: true })
    const query = { filter: parseFilter(filter), sort: [], limit: 10_000, after: undefined, counts: true as const }
    const effort = noEffort()
    const counted = execute(database, country, { plan: planQuery(database, country, query), query, effort, mayGoOn: () => true })
    database.close()
    assert.equal((JSON.parse(counted?.items[0] ?? '') as { isFloor: boolean }).isFloor, true)
    assert.ok(effort.steps.taken < 25_000_000, `${effort.steps.taken} steps`)
    await store.as(SYSTEM).remove(country, id)
  })

  it('tells a stranger, a guest and a reader nothing that a list would not show them', async () => {
    assert.equal((await service.data('GET', '', { model: 'topic', count: true }, {})).status, 401)
    for (const by of [guest, standard]) {
      for (let i = 0; i < 3; i++) assert.deepEqual(totalOf(await list({ count: true }, admin)), [30, false])
      assert.deepEqual(totalOf(await list({ count: true }, by)), [20, false])
      assert.deepEqual(totalOf(await list({ count: true, filter: { status: 'draft' } }, by)), [0, false])
      assert.equal((await list({ count: true, limit: 0 }, by, 'user')).status, 403)
      assert.equal((await list({ count: true, limit: 0 }, by, 'user_content_preferences')).status, 403)
    }
  })
})
