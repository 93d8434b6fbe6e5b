// also: cache-off
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { newCast } from '../support/cast.ts'
import { COUNTRY, HEADLINE, LANGUAGE, SOURCE, TOPIC, withOwnCode } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { pageOf, startSite, type Page } from '../support/service/site.ts'

const { service, admin, guest } = await startSite()

const list = (query: Record<string, unknown>, token = guest.token): Promise<ApiResponse> =>
  service.data('GET', '', query, { token })

const page = async (query: Record<string, unknown>): Promise<Page> => pageOf(await list(query))

async function made(model: string, body: JsonObject, site: TestService = service, token = admin.token): Promise<string> {
  const response = await site.data('POST', '', { model }, { token, body })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}

/** In the order of creation. */
const topics: string[] = []
for (let i = 0; i < 21; i++) topics.push(await made('topic', { ...TOPIC, name: `Topic ${i % 7}` }))

describe('a page', () => {
  it('has 20 items where the request names no limit, in the order of creation', async () => {
    const first = await page({ model: 'topic' })
    assert.deepEqual(first.items.map(({ id }) => id), topics.slice(0, 20))
    assert.equal(first.hasMore, true)
    const second = await page({ model: 'topic', cursor: first.cursor })
    assert.deepEqual(second.items.map(({ id }) => id), topics.slice(20))
    assert.deepEqual([second.hasMore, second.cursor], [false, null])
  })
})

describe('limit', () => {
  const rows: readonly (readonly [limit: string, items: number | '400'])[] = [
    ['0', 0],
    ['100', 100],
    ['9999999999', 100],
    ['9'.repeat(300), 100],
    ['-1', '400'],
    ['ten', '400'],
  ]
  for (const [limit, wanted] of rows) {
    it(`"${limit.slice(0, 20)}" ${wanted === '400' ? 'is refused' : `gives ${wanted} of 249`}`, async () => {
      const response = await list({ model: 'country', limit })
      if (wanted === '400') {
        assert.equal(response.status, 400)
        assert.equal(response.error, `badRequest: Cannot read limit ${JSON.stringify(limit)}: expected a whole number, 0 or more`)
        return
      }
      const { items, hasMore } = pageOf(response)
      assert.deepEqual([items.length, hasMore], [wanted, wanted > 0])
    })
  }

  it('has a default and a maximum that the operator can set', async (t) => {
    const site = await startService(t, { pageSize: '3', pageSizeMax: '5' })
    const { token } = await site.guest()
    for (const [query, count] of [[{}, 3], [{ limit: 5 }, 5], [{ limit: 6 }, 5]] as const) {
      const response = await site.data('GET', '', { model: 'country', ...query }, { token })
      assert.equal((response.at('data.items') as unknown[]).length, count)
    }
  })
})

describe('sort', () => {
  it('may name the id, as either name, and dotted fields', async () => {
    for (const sort of ['id:desc', '_id:desc']) {
      const ids = (await page({ model: 'topic', sort, limit: 100 })).items.map(({ id }) => String(id))
      assert.deepEqual(ids, topics.toSorted().reverse())
    }
    for (const [i, code] of ['b', 'c', 'a'].entries()) {
      await made('source', { ...SOURCE, name: `S${i}`, language: { ...LANGUAGE, code } })
    }
    const { items } = await page({ model: 'source', sort: 'language.code:desc' })
    assert.deepEqual(items.map(({ name }) => name), ['S1', 'S0', 'S2'])
  })
})

describe('filter', () => {
  it('decodes a plus as a space', async () => {
    const [trains, cpp] = [await made('topic', { ...TOPIC, name: 'Night trains' }), await made('topic', { ...TOPIC, name: 'C++ at sea' })]
    for (const [filter, id] of [
      ['%7B%22name%22%3A%22Night+trains%22%7D', trains],
      ['%7B%22name%22%3A%7B%22%24regex%22%3A%22c%2B%2B+AT%22%2C%22%24options%22%3A%22i%22%7D%7D', cpp],
    ] as const) {
      const { at } = await service.call('GET', `/api/v1/data?model=topic&filter=${filter}`, { token: guest.token })
      assert.deepEqual((at('data.items') as JsonObject[]).map((item) => item['id']), [id])
    }
  })

  it('compares declared dates as instants, and dates inside embedded copies as text', async () => {
    const id = await made('headline', { ...HEADLINE, topic: { ...TOPIC, createdAt: '2025-10-20T14:34:56' } })
    const found = async (filter: unknown): Promise<number> =>
      (await page({ model: 'headline', filter: { id, ...(filter as object) } })).items.length
    assert.equal(await found({ createdAt: '2026-03-01T13:00:00+01:00' }), 1)
    assert.equal(await found({ createdAt: { $gt: '2026-02-28', $lt: '2026-03-01T12:00:00.001' } }), 1)
    assert.equal(await found({ createdAt: { $gt: '2026-03-01T13:00:00+01:00' } }), 0)
    assert.equal(await found({ 'topic.createdAt': '2025-10-20T14:34:56' }), 1)
    assert.equal(await found({ 'topic.createdAt': '2025-10-20T14:34:56.000Z' }), 0)
  })
})

describe('parameters that a list does not know', () => {
  it('are ignored, and so is userId', async () => {
    const plain = await page({ model: 'topic' })
    for (const extra of [{ userId: admin.id }, { offset: 5, page: 2 }, { Limit: 1 }, { Fields: 'name' }]) {
      assert.deepEqual(await page({ model: 'topic', ...extra }), plain)
    }
    assert.equal((await list({ model: 'user', userId: admin.id })).status, 403)
    const broken = await service.call('GET', '/api/v1/data?model=topic&x=%ZZ&%ZZ=1&&=&y', { token: guest.token })
    assert.equal(broken.status, 200)
  })

  it('that it does know are given once', async () => {
    for (const name of ['filter', 'sort', 'limit', 'cursor']) {
      const response = await service.call('GET', `/api/v1/data?model=topic&${name}=1&${name}=1`, { token: guest.token })
      assert.equal(response.error, `badRequest: Cannot read query parameter "${name}": expected it once, found it 2 times`)
    }
  })
})

describe('q', () => {
  before(async () => {
    await made('headline', { ...HEADLINE, title: 'Übergabe der Fähre (100%)', excerpt: 'Quokka' })
    await made('topic', { ...TOPIC, name: 'Ruderclub.*', description: 'Quokka' })
    await made('source', { ...SOURCE, name: 'ΣΟΦΟΣ ΤΑΙΜΣ', description: 'Quokka' })
    await made('country', { ...COUNTRY, name: 'Quokkaland Ost', isoCode: 'QQ' })
    await made('language', { ...LANGUAGE, name: 'Quenya', nativeName: 'Lambe Eldaiva', code: 'qy' })
  })
  const rows: readonly (readonly [model: string, q: string, found: readonly string[]])[] = [
    ['headline', 'übergabe', ['Übergabe der Fähre (100%)']],
    ['topic', 'club.*', ['Ruderclub.*']],
    ['source', 'σοφος', ['ΣΟΦΟΣ ΤΑΙΜΣ']],
    ['country', 'quokkaLAND', ['Quokkaland Ost']],
    ['language', 'eldaiva', ['Quenya']],
  ]
  for (const [model, q, found] of rows) {
    it(`${model}: "${q}" finds ${JSON.stringify(found)}`, async () => {
      const { items } = await page({ model, filter: { q } })
      assert.deepEqual(items.map((item) => item['name'] ?? item['title']), found)
    })
  }
})

describe('what is not active', () => {
  async function listedStatuses(site: TestService, token: string, model: string): Promise<string[]> {
    const response = await site.data('GET', '', { model, limit: 100, filter: { mark: 'x' } }, { token })
    return pageOf(response).items.map(({ status }) => String(status)).sort()
  }
  const bodies = { headline: HEADLINE, topic: TOPIC, source: SOURCE, country: COUNTRY, language: LANGUAGE }
  const ALL = ['active', 'archived', 'draft']

  for (const [hideInactive, reader] of [['off', ALL], ['on', ['active']]] as const) {
    it(`is ${hideInactive === 'on' ? 'hidden from' : 'shown in'} lists of readers with hide-inactive ${hideInactive}`, async (t) => {
      const site = await startService(t, { hideInactive })
      const cast = await newCast(site)
      for (const [model, body] of Object.entries(bodies)) {
        const ids: string[] = []
        for (const status of ALL)
          ids.push(await made(model, { ...withOwnCode(model, body), status, mark: 'x' }, site, cast.admin.token))
        const isPublished = ['headline', 'topic', 'source'].includes(model)
        for (const role of ['guest', 'standard', 'premium'] as const) {
          assert.deepEqual(await listedStatuses(site, cast[role].token, model), isPublished ? reader : ALL, `${role} ${model}`)
        }
        for (const role of ['publisher', 'admin'] as const)
          assert.deepEqual(await listedStatuses(site, cast[role].token, model), ALL)
        // Saved headlines may be archived; they still open.
        for (const id of ids) assert.equal((await site.data('GET', `/${id}`, { model }, { token: cast.guest.token })).status, 200)
        const listed = await site.data('GET', '', { model, filter: { mark: 'x', status: 'draft' } }, { token: cast.guest.token })
        assert.equal((listed.at('data.items') as unknown[]).length, isPublished && hideInactive === 'on' ? 0 : 1)
      }
    })
  }
})
