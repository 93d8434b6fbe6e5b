// also: cache-off
/** `search` on lists: words in any order, the newest first, for every caller what the caller may list. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { type Person } from '../support/cast.ts'
import { COUNTRY, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

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
