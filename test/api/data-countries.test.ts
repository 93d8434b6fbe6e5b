// also: cache-off
/** Countries in use and their codes: the keys `usage`, `hasActiveHeadlines` and `hasActiveSources` of a filter; and the summary. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { bodyOf, COUNTRY, freeCode, HEADLINE, SOURCE, SUMMARY_ID } from '../../scripts/tools/data-bodies.ts'
import { country as countryModel } from '../../src/models/country.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { pageOf, startSite, type Page } from '../support/service/site.ts'

const { service, admin, guest, publisher } = await startSite()
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

const page = async (query: Record<string, unknown>): Promise<Page> => pageOf(await list(query))
const names = async (filter: JsonObject, query: Record<string, unknown> = {}): Promise<unknown[]> =>
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
      isoCode: `X${name.slice(0, 1).toUpperCase()}`,
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
    [{ hasActiveHeadlines: true }, HEADS],
    [{ hasActiveHeadlines: true, hasActiveSources: true }, ['Both']],
    [{ usage: 'eventCountry', hasActiveSources: false }, HEADS],
    [{ usage: 'eventCountry', q: 'HEADS' }, ['Heads', 'upper heads']],
    [{ usage: 'eventCountry', name: 'HEADS' }, ['Heads', 'upper heads']],
    [{ usage: 'eventCountry', name: { $regex: '^H' } }, ['Heads']],
    [{ usage: 'eventCountry', $or: [{ isoCode: 'XH' }, { isoCode: 'XM' }] }, ['Heads']],
  ]
  for (const [filter, found] of rows) {
    it(`${JSON.stringify(filter)} finds ${JSON.stringify(found)}`, async () => assert.deepEqual(await names(filter), found))
  }
})

describe('a code', () => {
  const write = (method: string, model: string, target: string, body: object, token = admin.token, query: object = {}): Promise<ApiResponse> =>
    service.data(method, target, { model, ...query }, { token, body })
  const CODES = { country: ['isoCode', 'QN', 'QO'], language: ['code', 'qn', 'qo'] } as const

  for (const model of ['country', 'language'] as const) {
    const [member, one, two] = CODES[model]
    const { id: _, ...given } = bodyOf(model)
    const body = (code: string): JsonObject => ({ ...given, name: `The ${code}`, [member]: code })
    it(`of a ${model} is that of one document, whichever write brings it`, async () => {
      const first = await write('POST', model, '', body(one))
      const second = await write('POST', model, '', body(two))
      const [id, other] = [String(first.at('data.id')), String(second.at('data.id'))]
      const refused = [
        await write('POST', model, '', body(one)),
        await write('PUT', model, `/${other}`, { ...body(two), [member]: one }),
        await write('PATCH', model, `/${other}`, { [member]: one }),
        await write('POST', model, '/batch', { operations: [{ operation: 'create', model, body: body(one) }] }),
        await write('POST', model, '/batch', { operations: [{ operation: 'patch', model, id: other, body: { [member]: one } }] }),
        await service.call('POST', `/api/v1/sync/${model}/0/push`, {
          token: admin.token,
          body: [{ newDocumentState: { ...body(one), id: 'pushed', _deleted: false } }],
        }),
      ]
      for (const response of refused) {
        assert.equal(response.status, 409, response.text)
        assert.match(response.text, new RegExp(`${member}: expected a code that no other ${model} has, found \\\\"${one}\\\\", which the ${model} \\\\"${id}\\\\" has`))
      }
      const draft = await service.data('POST', '', { model }, { token: admin.token, body: { status: 'draft', [member]: one }, isUndescribed: true })
      assert.equal(draft.status, 201, draft.text)
      const complete = await write('PUT', model, `/${String(draft.at('data.id'))}`, body(one), admin.token, { incomplete: true })
      assert.equal(complete.status, 409, 'a draft may become complete with another code only')
      const unchanged = await write('PATCH', model, `/${id}`, { name: 'The same' })
      assert.equal(unchanged.status, 200, unchanged.text)
      assert.equal((await write('DELETE', model, `/${id}`, {})).status, 204)
      assert.equal((await write('PATCH', model, `/${other}`, { [member]: one })).status, 200)
      const restored = await write('POST', model, `/${id}/restore`, {})
      assert.equal(restored.status, 409, 'its code was given to another one')
      assert.equal((await write('PATCH', model, `/${other}`, { [member]: two })).status, 200)
      assert.equal((await write('POST', model, `/${id}/restore`, {})).status, 200)
    })

    it(`of a ${model} in an import is rejected with its row, in a check and in writing`, async () => {
      const rows = ['Fresh', 'Taken'].map((name, i) => JSON.stringify({ ...bodyOf(model), id: `row-${name}`, name, [member]: i === 0 ? freeCode(model) : one }))
      for (const dryRun of [true, false]) {
        const response = await service.call('POST', '/api/v1/admin/import', { token: admin.token, body: { model, format: 'ndjson', rows: rows.join('\n'), dryRun } })
        assert.deepEqual([response.at('data.inserted'), response.at('data.rejected[0].line')], [1, 2], response.text)
        assert.match(String(response.at('data.rejected[0].message')), /^(isoCode|code): expected a code that no other/)
      }
    })

    it(`attack: of ten that make a ${model} of one code at the same time, in any case, one does`, async () => {
      const code = freeCode(model)
      const responses = await Promise.all(Array.from({ length: 10 }, () => write('POST', model, '', body(code))))
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array<number>(9).fill(409)])
      const flipped = model === 'country' ? code.toLowerCase() : code.toUpperCase()
      assert.equal((await write('POST', model, '', body(flipped))).status, 400)
    })
  }

  it('that documents share from before stays theirs, and each may change elsewhere', { skip: ONLY_HERE }, async () => {
    const system = service.app.services.store.as(SYSTEM)
    const value = { ...COUNTRY, id: 'old', isoCode: 'qz', flagUrl: 'foo bar' }
    assert.equal(await system.insertMissing(countryModel, [{ id: 'old', value }, { id: 'other', value: { ...value, id: 'other', isoCode: 'QZ' } }]), 1)
    const taken = await write('POST', 'country', '', { ...COUNTRY, isoCode: 'QZ' })
    assert.equal(taken.status, 409, 'in another case')
    const renamed = await write('PATCH', 'country', '/old', { name: 'Renamed' })
    assert.deepEqual([renamed.status, renamed.at('data.isoCode'), renamed.at('data.flagUrl')], [200, 'qz', 'foo bar'])
    assert.equal((await write('PATCH', 'country', '/old', { isoCode: 'QZ' })).status, 200, 'its own code, put right')
    assert.match((await write('PATCH', 'country', '/old', { flagUrl: 'foo' })).error, /^invalidInput: flagUrl: expected an address/)
  })
})
const MODEL = { model: 'dashboard_summary' }
const read = (id: string, token = publisher.token): Promise<ApiResponse> => service.data('GET', `/${id}`, MODEL, { token })

async function counts(): Promise<readonly number[]> {
  const { at } = await read(SUMMARY_ID)
  return ['headlineCount', 'topicCount', 'sourceCount'].map((name) => at(`data.${name}`) as number)
}

describe('the summary', () => {
  it('has its id under both names, and exists under no other', async () => {
    for (const id of [SUMMARY_ID, 'dashboard_summary']) {
      const response = await read(id)
      assert.deepEqual([response.status, response.at('data.id')], [200, SUMMARY_ID])
    }
    for (const id of ['6643b1b7a4a4e6e1a8e7b1c2', SUMMARY_ID.toUpperCase(), 'Dashboard_summary', 'x', admin.id]) {
      assert.equal((await read(id)).status, 404, id)
      assert.equal((await read(id, admin.token)).status, 404, id)
    }
  })

  it('counts what is active, right after every write', async () => {
    const models = ['headline', 'topic', 'source']
    for (const [place, model] of models.entries()) {
      const save = async (method: string, body: JsonObject): Promise<JsonObject> => {
        const target = method === 'POST' ? '' : `/${String(body['id'])}`
        const sent = method === 'DELETE' ? {} : { body }
        const response = await service.data(method, target, { model }, { token: admin.token, ...sent })
        assert.ok(response.status < 300, response.text)
        return (response.at('data') ?? {}) as JsonObject
      }
      const count = async (): Promise<number> => (await counts())[place] ?? -1
      const others = (await counts()).filter((_, i) => i !== place)
      const base = await count()
      const one = await save('POST', bodyOf(model))
      assert.equal(await count(), base + 1, 'created active')
      const two = await save('POST', { ...bodyOf(model), status: 'draft' })
      assert.equal(await count(), base + 1, 'created as a draft')
      for (const [status, more] of [['active', 1], ['active', 1], ['archived', 0], ['draft', 0]] as const) {
        await save('PUT', { ...two, status, extra: more })
        assert.equal(await count(), base + 1 + more, status)
      }
      for (const [gone, left] of [[two, 1], [one, 0]] as const) {
        await save('DELETE', gone)
        assert.equal(await count(), base + left)
      }
      assert.equal((await service.data('POST', '', { model }, { token: admin.token, body: {} })).status, 400)
      assert.equal(await count(), base, 'a refused body')
      await save('POST', bodyOf(model))
      assert.deepEqual((await counts()).filter((_, i) => i !== place), others, 'the other models')
    }
  })
})
