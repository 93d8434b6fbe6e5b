/** Countries in use: the keys `usage`, `hasActiveHeadlines` and `hasActiveSources` of a filter. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { newCast } from '../support/cast.ts'
import { decodeCountry, decodeEnvelope, decodePage, pageOf, type Page } from '../support/service/client-codec.ts'
import { COUNTRY, HEADLINE, SOURCE } from '../support/service/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { admin, guest } = await newCast(service)

const list = (query: Record<string, unknown>): Promise<ApiResponse> =>
  service.data('GET', '', { model: 'country', ...query }, { token: guest.token })
const save = async (method: string, model: string, body: JsonObject): Promise<JsonObject> => {
  const target = method === 'POST' ? '' : `/${String(body['id'])}`
  const response = await service.data(
    method,
    target,
    { model },
    { token: admin.token, ...(method === 'DELETE' ? {} : { body }) },
  )
  assert.ok(response.status < 300, response.text)
  return (response.at('data') ?? {}) as JsonObject
}

type Country = ReturnType<typeof decodeCountry>
async function page(query: Record<string, unknown>): Promise<Page<Country>> {
  const response = await list(query)
  assert.equal(response.status, 200, response.text)
  return decodeEnvelope(response.body, pageOf(decodeCountry)).data
}
const names = async (filter: JsonObject, query: Record<string, unknown> = {}): Promise<string[]> =>
  (await page({ filter, ...query })).items.map(({ name }) => name)

/** Countries by name: which have an active headline, an active source, both, or only drafts. */
const country: Record<string, JsonObject> = {}
before(async () => {
  for (const name of ['Both', 'Heads', 'Mills', 'Drafts', 'Closed', 'Nothing', 'upper heads']) {
    const status = name === 'Closed' ? 'archived' : 'active'
    country[name] = await save('POST', 'country', {
      ...COUNTRY,
      name,
      status,
      isoCode: name.slice(0, 2).toUpperCase(),
      extra: name.length,
    })
  }
  const headline = (where: string, status: string): Promise<JsonObject> =>
    save('POST', 'headline', { ...HEADLINE, eventCountry: { id: country[where]?.['id'] ?? '' }, status })
  const source = (where: string, status: string): Promise<JsonObject> =>
    save('POST', 'source', { ...SOURCE, headquarters: { id: country[where]?.['id'] ?? '' }, status })
  for (const where of ['Both', 'Heads', 'Closed', 'upper heads', 'Both']) await headline(where, 'active')
  for (const where of ['Both', 'Mills', 'Closed']) await source(where, 'active')
  for (const status of ['draft', 'archived']) {
    await headline('Drafts', status)
    await headline('Mills', status)
    await source('Drafts', status)
    await source('Heads', status)
  }
})

describe('a filter by use', () => {
  const HEADS = ['Both', 'Heads', 'upper heads']
  const SEATS = ['Both', 'Mills']
  const rows: readonly (readonly [filter: JsonObject, found: readonly string[]])[] = [
    [{ usage: 'eventCountry' }, HEADS],
    [{ usage: 'headquarters' }, SEATS],
    [{ usage: 'hasActiveHeadlines' }, HEADS],
    [{ usage: 'hasActiveSources' }, SEATS],
    [{ hasActiveHeadlines: true }, HEADS],
    [{ hasActiveSources: true }, SEATS],
    [{ hasActiveHeadlines: true, hasActiveSources: true }, ['Both']],
    [{ usage: 'eventCountry', hasActiveSources: true }, ['Both']],
    [{ usage: 'headquarters', hasActiveHeadlines: true }, ['Both']],
    [{ usage: 'eventCountry', hasActiveHeadlines: true }, HEADS],
    [{ usage: 'eventCountry', hasActiveSources: false }, HEADS],
    [{ usage: 'eventCountry', q: 'HEADS' }, ['Heads', 'upper heads']],
    [{ hasActiveHeadlines: true, q: 'heads' }, ['Heads', 'upper heads']],
    [{ hasActiveHeadlines: true, q: 'eads' }, ['Heads', 'upper heads']],
    [{ hasActiveHeadlines: true, q: '' }, HEADS],
    [{ usage: 'eventCountry', name: 'HEADS' }, ['Heads', 'upper heads']],
    [{ usage: 'eventCountry', name: '' }, HEADS],
    [{ usage: 'eventCountry', name: { $regex: '^H' } }, ['Heads']],
    [{ usage: 'eventCountry', name: 'mills' }, []],
    [{ hasActiveHeadlines: true, name: 'HEADS' }, []],
    [{ hasActiveHeadlines: true, name: 'Heads' }, ['Heads']],
    [{ hasActiveHeadlines: true, status: 'active' }, HEADS],
    [{ hasActiveHeadlines: true, status: 'archived' }, []],
    [{ usage: 'eventCountry', isoCode: 'BO' }, ['Both']],
    [{ usage: 'eventCountry', extra: { $gt: 4 } }, ['Heads', 'upper heads']],
    [{ usage: 'eventCountry', $or: [{ isoCode: 'HE' }, { isoCode: 'MI' }] }, ['Heads']],
  ]
  for (const [filter, found] of rows) {
    it(`${JSON.stringify(filter)} finds ${JSON.stringify(found)}`, async () =>
      assert.deepEqual(await names(filter), found))
  }

  const without: readonly JsonObject[] = [
    { hasActiveHeadlines: false },
    { hasActiveSources: false },
    { hasActiveHeadlines: 'true' },
    { hasActiveHeadlines: 1, hasActiveSources: null },
    { hasActiveSources: { $eq: true } },
    {},
  ]
  for (const filter of without) {
    it(`${JSON.stringify(filter)} is no condition`, async () => {
      const { items, hasMore } = await page({ filter })
      assert.deepEqual([items.length, hasMore], [20, true])
      assert.deepEqual(items, (await page({})).items)
    })
  }

  for (const usage of [
    'other',
    '',
    'EventCountry',
    null,
    7,
    true,
    ['eventCountry'],
    { $eq: 'eventCountry' },
    'constructor',
    '__proto__',
  ] as Json[]) {
    it(`usage ${JSON.stringify(usage)} is refused`, async () => {
      const response = await list({ filter: { usage } })
      assert.equal(response.status, 400)
      assert.ok(
        response.error.startsWith(
          'badRequest: Cannot read filter at "$.usage": expected "eventCountry" or "headquarters", found ',
        ),
        response.error,
      )
    })
  }

  it('is not excused by anything else in it', async () => {
    assert.equal((await list({ filter: { usage: 'eventCountry', a: { $foo: 1 } } })).status, 400)
    assert.equal((await list({ filter: { usage: 'eventCountry', q: 7 } })).status, 400)
  })

  it('is one of countries only: elsewhere the keys are members like any other', async () => {
    for (const filter of [{ usage: 'x' }, { hasActiveHeadlines: true }, { hasActiveSources: true }]) {
      const response = await service.data('GET', '', { model: 'topic', filter }, { token: guest.token })
      assert.deepEqual([response.status, response.at('data.items')], [200, []])
    }
  })

  it('gives the records and not the embedded copies', async () => {
    const { items } = await page({ filter: { usage: 'eventCountry' } })
    assert.deepEqual(items, [country['Both'], country['Heads'], country['upper heads']])
  })
})

describe('without limit and cursor', () => {
  it('countries in use are the complete set, of however many', async () => {
    const { items } = decodePage(
      (await list({ limit: 100, sort: 'name:asc', filter: { createdAt: { $lt: '2026-01-01' } } })).at('data'),
      decodeCountry,
    )
    const made: JsonObject[] = []
    for (const { id } of items.slice(0, 45))
      made.push(await save('POST', 'headline', { ...HEADLINE, eventCountry: { id } }))
    const all = await page({ filter: { hasActiveHeadlines: true } })
    assert.deepEqual([all.items.length, all.hasMore, all.cursor], [48, false, null])
    const ordered = all.items.map(({ name }) => name)
    assert.deepEqual(
      ordered,
      [...ordered].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
    const descending = await names({ hasActiveHeadlines: true }, { sort: 'name:desc' })
    assert.deepEqual(descending, [...ordered].reverse())

    const paged: string[] = []
    for (let cursor: string | null | undefined = undefined; cursor !== null;) {
      const next: Page<Country> = await page({
        filter: { usage: 'eventCountry' },
        limit: 7,
        ...(cursor === undefined ? {} : { cursor }),
      })
      paged.push(...next.items.map(({ name }) => name))
      cursor = next.cursor
    }
    assert.deepEqual(paged, ordered)
    const first = await page({ filter: { usage: 'eventCountry' }, limit: 7 })
    const second = await page({ filter: { usage: 'eventCountry' }, cursor: first.cursor })
    assert.deepEqual(
      second.items.map(({ name }) => name),
      ordered.slice(7, 27),
    )
    assert.equal(second.hasMore, true)
    assert.deepEqual(await page({ filter: { usage: 'eventCountry' }, limit: 0 }), {
      items: [],
      cursor: null,
      hasMore: false,
    })
    for (const { id } of made) await save('DELETE', 'headline', { id: id ?? '' })
  })

  it('all countries are paged as ever', async () => {
    const { items, hasMore } = await page({ sort: 'name:asc' })
    assert.deepEqual([items.length, hasMore], [20, true])
  })
})

it('the response reflects every write at once', async () => {
  const place = await save('POST', 'country', { ...COUNTRY, name: 'Moment' })
  const isListed = async (filter: JsonObject): Promise<boolean> => (await names(filter)).includes('Moment')
  for (const [model, filter, field, body] of [
    ['headline', { hasActiveHeadlines: true }, 'eventCountry', HEADLINE],
    ['source', { usage: 'headquarters' }, 'headquarters', SOURCE],
  ] as const) {
    assert.equal(await isListed(filter), false)
    const item = await save('POST', model, { ...body, [field]: { id: place['id'] ?? '' } })
    assert.equal(await isListed(filter), true, 'created')
    await save('PUT', model, { ...item, status: 'draft' })
    assert.equal(await isListed(filter), false, 'no longer active')
    await save('PUT', model, item)
    assert.equal(await isListed(filter), true, 'active again')
    await save('PUT', model, { ...item, [field]: COUNTRY })
    assert.equal(await isListed(filter), false, 'moved to another country')
    await save('PUT', model, item)
    await save('PUT', 'country', { ...place, status: 'archived' })
    assert.equal(await isListed(filter), false, 'its country is archived')
    await save('PUT', 'country', place)
    assert.equal(await isListed(filter), true, 'its country is back')
    await save('DELETE', model, item)
    assert.equal(await isListed(filter), false, 'deleted')
  }
})
