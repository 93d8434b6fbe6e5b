// also: cache-off
/**
 * `search` on lists: words in any order, the newest first; and `count=true`: exact up to 10,000, a floor above. Each for every
 * caller what the caller may list.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import type { Person } from '../support/cast.ts'
import { COUNTRY, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { type ApiResponse, databaseOf } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'
import { country } from '../../src/models/country.ts'
import { topic } from '../../src/models/topic.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { execute, noEffort } from '../../src/store/query/executor.ts'
import { countQuery } from '../../src/store/query/find-query.ts'
import { planQuery } from '../../src/store/query/planner.ts'
import { openDatabase } from '../../src/store/db/database.ts'

const { service, admin, standard, guest } = await startSite({ hideInactive: 'on' })
const { store } = service.app.services

const TITLES = ['The streetcar rolls again', 'Ålegræsset vender tilbage', 'Rolls of paper', 'A streetcar named Rolls', 'Plain']
await store.as(SYSTEM).insertMissing(
  headline,
  TITLES.map((title, i) => {
    const [id, date] = [`story-${i}`, `2026-03-0${i + 1}T08:00:00.000Z`]
    const topic = { ...TOPIC, name: i === 4 ? 'Streetcars' : 'Trams' }
    const links = { url: 'https://example.org', imageUrl: 'https://example.org' }
    const value = { ...{ id, title, excerpt: i === 2 ? 'About harbours' : '' }, ...links, source: { ...SOURCE, id: 's' }, topic: { ...topic, id: 't' } }
    const dates = { createdAt: date, updatedAt: date, ...(i === 3 ? {} : { publishedAt: date }) }
    return { id, value: { ...value, eventCountry: { ...COUNTRY, id: 'c' }, ...dates, status: i === 3 ? 'draft' : 'active', type: 'headline' } }
  }),
)

const list = (query: Record<string, unknown>, by: Person = admin): Promise<ApiResponse> =>
  service.data('GET', '', { model: 'headline', ...query }, { token: by.token })
const places = (response: ApiResponse): unknown =>
  (response.at('data.items') as { readonly id: string }[]).map(({ id }) => Number(id.slice('story-'.length)))

describe('a search', () => {
  it('finds words in any order and any text, what was published last first', async () => {
    for (const [search, found] of [
      ['rolls streetcar', [0, 3]],
      ['STREETCAR, ROLLS!', [0, 3]],
      ['alegraes', [1]],
      ['streetcar', [4, 0, 3]],
      ['paper harbours', [2]],
      ['harbour post', [4, 2, 1, 0, 3]],
      ['alegraes iceland', [1]],
      ['ste', []],
      ['!?', []],
      ['  ', [0, 1, 2, 3, 4]],
    ] as const) {
      const response = await list({ search, count: true })
      assert.deepEqual([places(response), response.at('data.total')], [found, found.length], search)
    }
  })

  it('goes with filter, sort, limit and cursor, in a body too', async () => {
    const query = { search: 'streetcar', filter: { status: 'active' }, limit: 1, count: true }
    const first = await list(query)
    assert.deepEqual([places(first), first.at('data.total')], [[4], 2])
    const second = await list({ ...query, cursor: first.at('data.cursor') })
    assert.deepEqual([places(second), second.at('data.hasMore')], [[0], false])
    const body = { search: 'rolls', sort: 'title:asc', limit: 2 }
    const posted = await service.data('POST', '/query', { model: 'headline' }, { token: admin.token, body })
    assert.deepEqual(places(posted), [3, 2])
    const none = await service.data('POST', '/query', { model: 'headline' }, { token: admin.token, body: { search: null } })
    assert.equal((places(none) as number[]).length, 5)
  })

  it('shows what a change left, and never another search', async () => {
    const found = async (search: string) => places(await list({ search }))
    assert.deepEqual([await found('plain'), await found('plain'), await found('fancy')], [[4], [4], []])
    const change = { token: admin.token, body: { title: 'Fancy' } }
    assert.equal((await service.data('PATCH', '/story-4', { model: 'headline' }, change)).status, 200)
    assert.deepEqual([await found('plain'), await found('fancy')], [[], [4]])
  })
})

describe('a search as an attack', () => {
  it('by a reader or a guest finds and counts nothing that is hidden', async () => {
    for (const by of [standard, guest]) {
      const response = await list({ search: 'named rolls', count: true }, by)
      assert.deepEqual([places(response), response.at('data.total')], [[], 0])
    }
  })

  it('of too much, of nothing that is searched, or without a token is rejected', async () => {
    for (const [query, status] of [
      [{ search: 'x'.repeat(201) }, 400],
      [{ search: 'x'.repeat(200) }, 200],
      [{ search: 'a', model: 'remote_config' }, 400],
      [{ search: '") OR ("rolls' }, 200],
      [{ search: '\u0000\ud800"*' }, 200],
    ] as const) {
      assert.equal((await list(query)).status, status, JSON.stringify(query).slice(0, 60))
    }
    assert.deepEqual(places(await list({ search: '") OR ("rolls' })), [])
    const body = { search: ['rolls'] }
    assert.equal((await service.data('POST', '/query', { model: 'headline' }, { token: admin.token, body })).status, 400)
    assert.equal((await service.data('GET', '', { model: 'headline', search: 'rolls' })).status, 401)
    const users = (token: string) => service.data('GET', '', { model: 'user', search: 'admin' }, { token })
    assert.equal((await users(standard.token)).status, 403)
    // The words of an account that is gone would stay in the lexicon.
    assert.equal((await users(admin.token)).status, 400)
  })
})

await store.as(SYSTEM).insertMissing(
  topic,
  Array.from({ length: 30 }, (_, i) => {
    const id = `topic-${i}`
    return { id, value: { ...TOPIC, id, name: `Topic ${i}`, status: i < 20 ? 'active' : 'draft', mood: i % 3 } }
  }),
)

const listed = (query: Record<string, unknown>, by: Person | undefined = admin, model = 'topic'): Promise<ApiResponse> =>
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
    const first = await listed({ limit: 5, count: true })
    const second = await listed({ limit: 5, count: true, cursor: first.at('data.cursor') })
    assert.deepEqual(totalOf(second), [30, false])
  })

  it('is there only where it is asked for, in a body too', async () => {
    for (const query of [{}, { count: 'false' }]) assert.deepEqual(totalOf(await listed(query)), [undefined, undefined])
    const posted = (count: unknown): Promise<ApiResponse> =>
      service.data('POST', '/query', { model: 'topic' }, { token: admin.token, body: { count, filter: { status: 'draft' } } })
    assert.deepEqual([totalOf(await posted(true)), totalOf(await posted(false)), totalOf(await posted(null))].map(([total]) => total), [10, undefined, undefined])
    for (const count of ['yes', '1', '']) {
      assert.match((await listed({ count })).error, /^badRequest: Cannot read count ".*": expected true or false$/)
    }
    assert.equal((await posted(1)).status, 400)
    assert.deepEqual(totalOf(await listed({ count: true }, admin, 'dashboard_summary')), [1, false])
  })

  it('is remembered with its page, and counted again after a change', async () => {
    const query = { filter: { mood: 2 }, count: true }
    for (let i = 0; i < 3; i++) assert.deepEqual(totalOf(await listed(query)), [10, false])
    const tag = (await listed(query)).headers.get('etag') ?? ''
    assert.notEqual((await listed({ filter: { mood: 2 } })).headers.get('etag'), tag)
    const made = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, mood: 2 } })
    assert.deepEqual(totalOf(await listed(query)), [11, false])
    await service.data('DELETE', `/${String(made.at('data.id'))}`, { model: 'topic' }, { token: admin.token })
    assert.deepEqual(totalOf(await listed(query)), [10, false])
  })
})

describe('attack: a total', () => {
  // It went on within the document up to the deadline, where the list that had found its page got 400.
  it('of a filter that takes long on one document is a floor', async () => {
    const [id, listed] = ['long', Array.from({ length: 50_000 }, (_, i) => i)]
    await store.as(SYSTEM).insertMissing(country, [{ id, value: { ...COUNTRY, id, isoCode: 'ZZ', name: 'Zz', listed } }])
    const filter = { $nor: Array.from({ length: 900 }, (_, i) => ({ listed: { $lt: -1 - i } })) }
    const database = openDatabase(databaseOf(service), { readOnly: true })
    const query = countQuery(parseFilter(filter), 10_000)
    const effort = noEffort()
    const counted = execute(database, country, { plan: planQuery(database, country, query), query, effort, mayGoOn: () => true })
    database.close()
    assert.equal(counted?.isFloor, true)
    assert.ok(effort.steps.taken < 25_000_000, `${effort.steps.taken} steps`)
    await store.as(SYSTEM).remove(country, id)
  })

  it('tells a stranger, a guest and a reader nothing that a listed would not show them', async () => {
    assert.equal((await service.data('GET', '', { model: 'topic', count: true }, {})).status, 401)
    for (const by of [guest, standard]) {
      for (let i = 0; i < 3; i++) assert.deepEqual(totalOf(await listed({ count: true }, admin)), [30, false])
      assert.deepEqual(totalOf(await listed({ count: true }, by)), [20, false])
      assert.deepEqual(totalOf(await listed({ count: true, filter: { status: 'draft' } }, by)), [0, false])
      assert.equal((await listed({ count: true, limit: 0 }, by, 'user')).status, 403)
      assert.equal((await listed({ count: true, limit: 0 }, by, 'user_content_preferences')).status, 403)
    }
  })
})
