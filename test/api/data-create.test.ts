// also: cache-off cluster
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { isId } from '../../src/base/ids.ts'
import { DECODERS, decodeEnvelope } from '../support/service/client-codec.ts'
import { bodyOf, COUNTRY, HEADLINE, SOURCE, TOPIC, withAt, withOwnCode } from '../../scripts/tools/data-bodies.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, create, read } = await startSite()
const NOW = new Date(service.now()).toISOString()

async function made(model: string, body: unknown): Promise<JsonObject> {
  const response = await create(model, body)
  assert.equal(response.status, 201, response.text)
  return response.at('data') as JsonObject
}

const CONTENT = ['headline', 'topic', 'source', 'country', 'language'] as const
const type = (model: string): { type?: string; publishedAt?: string } => {
  if (model === 'headline') return { type: model, publishedAt: NOW }
  return model === 'language' ? {} : { type: model }
}

describe('what the server makes', () => {
  const placeholders: readonly (readonly [name: string, sent: JsonObject])[] = [
    ['nothing', {}],
    ['a UUID and local times', { id: '0b7f1f6e-6a1e-4a55-9b43-7c1f4f0f2a10', createdAt: '2025-10-20T14:34:56.789123', updatedAt: '2031-01-01' }],
    ['objects', { id: {}, createdAt: [], updatedAt: { a: 0 } }],
  ]
  for (const model of CONTENT) {
    it(`${model}: id, dates and type, whatever is sent for them`, async () => {
      const { id: _, createdAt: _c, updatedAt: _u, type: _t, ...own } = bodyOf(model)
      const ids = new Set<unknown>()
      for (const [name, sent] of placeholders) {
        const wrongType = model === 'language' || name === 'nothing' ? {} : { type: 'banana' }
        const mine = withOwnCode(model, own)
        const response = await create(model, { ...sent, ...mine, ...wrongType })
        assert.equal(response.status, 201, `${name}: ${response.text}`)
        const data = decodeEnvelope<unknown>(response.body, DECODERS[model]).data as JsonObject
        assert.ok(isId(String(data['id'])), name)
        ids.add(data['id'])
        assert.deepEqual(data, { ...mine, id: data['id'], createdAt: NOW, updatedAt: NOW, ...type(model) }, name)
        assert.deepEqual((await read(model, data['id'])).at('data'), data, name)
      }
      assert.equal(ids.size, placeholders.length)
    })
  }
})

describe('what a body must have', () => {
  const EMBEDDED = ['id', 'createdAt', 'updatedAt', 'status']
  const OWN = { topic: ['name', 'description', 'iconUrl'], country: ['isoCode', 'name', 'flagUrl'], language: ['code', 'name', 'nativeName'] }
  const under = (path: string, members: readonly string[]): string[] => [path, ...[...EMBEDDED, ...members].map((name) => `${path}.${name}`)]
  const source = ['name', 'description', 'url', 'sourceType', ...under('language', OWN.language), ...under('headquarters', OWN.country)]
  const headline = ['title', 'excerpt', 'url', 'imageUrl', ...under('source', source), ...under('eventCountry', OWN.country), ...under('topic', OWN.topic)]
  const required: Readonly<Record<string, readonly string[]>> = { ...OWN, source, headline }
  for (const [model, paths] of Object.entries(required)) {
    it(`${model}: each of its ${paths.length} members, of its type`, async () => {
      for (const path of paths) {
        for (const [value, found] of [[undefined, 'nothing'], [7, '7']] as const) {
          const response = await create(model, withAt(bodyOf(model), path, value))
          assert.equal(response.status, 400, path)
          assert.ok(response.error.startsWith(`invalidInput: ${path}: expected `) && response.error.endsWith(`, found ${found}`), response.error)
        }
      }
      for (const value of [null, false, ['a'], {}]) assert.equal((await create(model, withAt(bodyOf(model), paths[0] ?? '', value))).status, 400)
    })
  }
})

describe('members beyond the declared ones', () => {
  for (const model of CONTENT) {
    it(`${model}: are kept as sent, and filter and sort like any other`, async () => {
      const extras = { author: `Ása ${model}`, tags: ['a', { deep: [1, null, true] }], weight: 2.5, constructor: 'c', toString: 't' }
      const one = await made(model, { ...bodyOf(model), ...extras })
      const two = await made(model, { ...bodyOf(model), ...extras, weight: 10 })
      const { author, tags, weight } = one
      assert.deepEqual({ author, tags, weight, constructor: one['constructor'], toString: one['toString'] }, extras)
      const list = async (query: Record<string, unknown>): Promise<unknown[]> => {
        const response = await service.data('GET', '', { model, ...query }, { token: admin.token })
        return (response.at('data.items') as JsonObject[]).map(({ id }) => id)
      }
      assert.deepEqual(await list({ filter: { author: `Ása ${model}` }, sort: 'weight:desc' }), [two['id'], one['id']])
      assert.deepEqual(await list({ filter: { author: `Ása ${model}`, weight: { $lt: 3 } } }), [one['id']])
      const deep = { author: `Ása ${model}`, 'tags.deep': 1, constructor: 'c' }
      assert.deepEqual(await list({ filter: deep, sort: 'weight' }), [one['id'], two['id']])
    })
  }

  it('numbers that a double cannot hold keep their value', async () => {
    const numbers =
      '{"a":9007199254740993,"b":[12345678901234567890.123],"c":1e400,"d":-0.1,"e":{"f":9007199254740992}}'
    const { name, description, iconUrl } = TOPIC
    const body = JSON.stringify({ name, description, iconUrl }).replace(/}$/, `,"big":${numbers}}`)
    const response = await create('topic', body)
    assert.equal(response.status, 201, response.text)
    assert.ok(response.text.includes(`"big":${numbers}`), response.text)
    const again = await read('topic', response.at('data.id'))
    assert.ok(again.text.includes(`"big":${numbers}`), again.text)
    const found = async (filter: string): Promise<number> => {
      const query = `model=topic&filter=${encodeURIComponent(filter)}`
      const { at } = await service.call('GET', `/api/v1/data?${query}`, { token: admin.token })
      return (at('data.items') as unknown[]).length
    }
    assert.equal(await found('{"big.a":9007199254740993}'), 1)
    assert.equal(await found('{"big.a":9007199254740992}'), 0)
    assert.equal(await found('{"big.c":{"$gt":1e399}}'), 1)
  })

  it('apps that require a logo find one in every source and copy of a source, also where none was sent', async () => {
    const { logoUrl: _, ...source } = SOURCE
    assert.equal((await made('source', source))['logoUrl'], '')
    const { source: copy } = await made('headline', { ...HEADLINE, source })
    assert.deepEqual(copy, { ...source, logoUrl: '' })
    const given = { ...SOURCE, logoUrl: 'https://x.example/l.png' }
    assert.deepEqual((await made('headline', { ...HEADLINE, source: given }))['source'], given)
    for (const logoUrl of [null, 7, {}]) {
      const response = await service.data('POST', '', { model: 'source' }, { token: admin.token, body: { ...source, logoUrl } })
      assert.match(response.error, /^invalidInput: logoUrl: expected a string, found /)
    }
  })
})

describe('embedded copies', () => {
  it('get the type that was left out or wrong, and nothing else', async () => {
    const { type: _, ...untyped } = TOPIC
    const body = { ...HEADLINE, topic: untyped, eventCountry: { ...COUNTRY, type: 'planet' }, source: { ...SOURCE, type: null } }
    const { topic, eventCountry, source } = await made('headline', body)
    assert.equal(JSON.stringify(topic), JSON.stringify({ ...untyped, type: 'topic' }))
    assert.equal(JSON.stringify(eventCountry), JSON.stringify(COUNTRY))
    assert.equal(JSON.stringify(source), JSON.stringify(SOURCE))
  })
})

describe('references by id', () => {
  it('become the stored record, at every depth', async () => {
    const topic = await made('topic', { ...TOPIC, extra: { kept: [9] } })
    const [country, language] = [await made('country', bodyOf('country')), await made('language', bodyOf('language'))]
    const source = await made('source', { ...SOURCE, language: { id: language['id'] }, headquarters: { id: country['id'] } })
    assert.deepEqual([source['language'], source['headquarters']], [language, country])
    const ids = { source: { id: source['id'] }, eventCountry: { id: country['id'] }, topic: { id: topic['id'] } }
    const headline = await made('headline', { ...HEADLINE, ...ids })
    assert.equal(JSON.stringify(headline['topic']), JSON.stringify(topic))
    assert.equal(JSON.stringify(headline['source']), JSON.stringify(source))
    assert.equal(JSON.stringify(headline['eventCountry']), JSON.stringify(country))
    const nested = { ...SOURCE, language: { id: language['id'] } }
    assert.deepEqual((await made('headline', { ...HEADLINE, source: nested }))['source'], { ...nested, language })
  })
})
