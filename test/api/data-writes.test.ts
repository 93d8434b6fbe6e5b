// also: cache-off cluster
/** Documents that are created, replaced and patched: what their bodies must have, what the server adds, and the cases of RFC 7396. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { isId } from '../../src/base/ids.ts'
import { bodyOf, COUNTRY, HEADLINE, PREFERENCES, REMOTE_CONFIG_ID, SETTINGS, SOURCE, TOPIC, withAt, withOwnCode } from '../../scripts/tools/data-bodies.ts'
import { startSite } from '../support/service/site.ts'
import type { ApiResponse, Call } from '../support/service/service.ts'

const { service, admin, create, read, standard, replace: put, made, publisher, guest, stored: stored } = await startSite()
const NOW = new Date(service.now()).toISOString()

async function exact(model: string, body: unknown): Promise<JsonObject> {
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
        const data = response.at('data') as JsonObject
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
    // Bodies that lack one are in described-bodies.test.ts.
    it(`${model}: each of its ${paths.length} members, of its type`, async () => {
      for (const path of paths) {
        const response = await create(model, withAt(bodyOf(model), path, 7))
        assert.equal(response.status, 400, path)
        assert.ok(response.error.startsWith(`invalidInput: ${path}: expected `) && response.error.endsWith(', found 7'), response.error)
      }
      for (const value of [null, false, ['a'], {}]) assert.equal((await create(model, withAt(bodyOf(model), paths[0] ?? '', value))).status, 400)
    })
  }
})

describe('members beyond the declared ones', () => {
  for (const model of CONTENT) {
    it(`${model}: are kept as sent, and filter and sort like any other`, async () => {
      const extras = { author: `Ása ${model}`, tags: ['a', { deep: [1, null, true] }], weight: 2.5, constructor: 'c', toString: 't' }
      const one = await exact(model, { ...bodyOf(model), ...extras })
      const two = await exact(model, { ...bodyOf(model), ...extras, weight: 10 })
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
    const numbers = '{"a":9007199254740993,"b":[12345678901234567890.123],"c":1e400,"d":-0.1,"e":{"f":9007199254740992}}'
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
    assert.equal((await exact('source', source))['logoUrl'], '')
    const { source: copy } = await exact('headline', { ...HEADLINE, source })
    assert.deepEqual(copy, { ...source, logoUrl: '' })
    const given = { ...SOURCE, logoUrl: 'https://x.example/l.png' }
    assert.deepEqual((await exact('headline', { ...HEADLINE, source: given }))['source'], given)
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
    const { topic, eventCountry, source } = await exact('headline', body)
    assert.equal(JSON.stringify(topic), JSON.stringify({ ...untyped, type: 'topic' }))
    assert.equal(JSON.stringify(eventCountry), JSON.stringify(COUNTRY))
    assert.equal(JSON.stringify(source), JSON.stringify(SOURCE))
  })
})

describe('references by id', () => {
  it('become the stored record, at every depth', async () => {
    const topic = await exact('topic', { ...TOPIC, extra: { kept: [9] } })
    const [country, language] = [await exact('country', bodyOf('country')), await exact('language', bodyOf('language'))]
    const source = await exact('source', { ...SOURCE, language: { id: language['id'] }, headquarters: { id: country['id'] } })
    assert.deepEqual([source['language'], source['headquarters']], [language, country])
    const ids = { source: { id: source['id'] }, eventCountry: { id: country['id'] }, topic: { id: topic['id'] } }
    const headline = await exact('headline', { ...HEADLINE, ...ids })
    assert.equal(JSON.stringify(headline['topic']), JSON.stringify(topic))
    assert.equal(JSON.stringify(headline['source']), JSON.stringify(source))
    assert.equal(JSON.stringify(headline['eventCountry']), JSON.stringify(country))
    const nested = { ...SOURCE, language: { id: language['id'] } }
    assert.deepEqual((await exact('headline', { ...HEADLINE, source: nested }))['source'], { ...nested, language })
  })
})
const MINUTE_MS = 60_000

for (const model of CONTENT) {
  describe(`replacing a ${model}`, () => {
    it('replaces everything that was sent, drops what was not, keeps id and createdAt, sets updatedAt and type', async () => {
      const label = model === 'headline' ? 'title' : 'name'
      const stored = await made(model, { ...bodyOf(model), author: 'gone with the update', tags: [1] })
      service.advance(MINUTE_MS)
      const { author: _, ...sent } = { ...stored, [label]: 'Another', status: 'archived', tags: [2], mood: 'new' } as Record<string, Json>
      const others = { createdAt: '1970-01-01T00:00:00.000', updatedAt: '2031-01-01', type: 'x' }
      const response = await put(model, stored['id'], { ...sent, ...others })
      assert.equal(response.status, 200, response.text)
      const data = response.at('data')
      const type = model === 'language' ? { type: 'x' } : { type: model }
      const updatedAt = new Date(service.now()).toISOString()
      assert.deepEqual(data, { ...sent, createdAt: stored['createdAt'], updatedAt, ...type })
      assert.notEqual(updatedAt, stored['createdAt'])
      assert.deepEqual((await read(model, stored['id'])).at('data'), data)
    })

    it('refuses another id in the body, and takes none or the same', async () => {
      const [stored, other] = [await made(model), await made(model)]
      for (const id of [other['id'], 'x', '', 7, null, {}, String(stored['id']).toUpperCase() + 'A'] as Json[]) {
        const response = await put(model, stored['id'], { ...stored, id })
        assert.equal(response.status, 400, JSON.stringify(id))
        assert.match(response.error, /^invalidInput: id: expected "[0-9a-f]{24}" as in the path, or none, found /)
      }
      assert.equal((await put(model, stored['id'], withAt(stored, 'id', undefined))).status, 200)
      assert.equal((await put(model, stored['id'], stored)).status, 200)
      assert.deepEqual((await read(model, other['id'])).at('data'), other)
    })
  })
}

describe('an update', () => {
  it('of a document that is deleted meanwhile is 404, and does not bring it back', async () => {
    for (let i = 0; i < 10; i++) {
      const topic = await made('topic')
      const [removed, replaced] = await Promise.all([
        service.data('DELETE', `/${String(topic['id'])}`, { model: 'topic' }, { token: admin.token }),
        put('topic', topic['id'], topic),
      ])
      assert.equal(removed.status, 204)
      assert.ok(replaced.status === 200 || replaced.status === 404, replaced.text)
      assert.equal((await read('topic', topic['id'])).status, 404)
    }
  })
})

describe('replacing settings and preferences', () => {
  for (const [model, body] of [['user_app_settings', SETTINGS], ['user_content_preferences', PREFERENCES]] as const) {
    it(`${model}: what is beyond the declared members is dropped, dates are the server's`, async () => {
      const before = (await read(model, standard.id)).at('data') as JsonObject
      service.advance(MINUTE_MS)
      const sent = { ...body, id: standard.id, createdAt: 'x', updatedAt: 7, type: 'x', extra: { a: 1 } }
      const response = await put(model, standard.id, sent, standard)
      assert.equal(response.status, 200, response.text)
      const data = response.at('data')
      const updatedAt = new Date(service.now()).toISOString()
      assert.deepEqual(data, { ...body, id: standard.id, createdAt: before['createdAt'], updatedAt })
    })
  }

  it('saved filters that an older client leaves out are kept; null is no way to leave them out', async () => {
    const full = { ...PREFERENCES, id: standard.id }
    assert.equal((await put('user_content_preferences', standard.id, full, standard)).status, 200)
    const { savedFilters, ...older } = full
    const response = await put('user_content_preferences', standard.id, { ...older, followedTopics: [] }, standard)
    assert.deepEqual(
      [response.status, response.at('data.savedFilters'), response.at('data.followedTopics')],
      [200, savedFilters, []],
    )
    assert.deepEqual((await read('user_content_preferences', standard.id)).at('data.savedFilters'), savedFilters)
    assert.equal((await put('user_content_preferences', standard.id, { ...older, savedFilters: null }, standard)).status, 400)
    const cleared = await put('user_content_preferences', standard.id, { ...older, savedFilters: [] }, standard)
    assert.deepEqual(cleared.at('data.savedFilters'), [])
  })
})
const PATCH_TYPE = { 'content-type': 'application/merge-patch+json' }

const patch = (model: string, id: unknown, body: unknown, options: Call = {}): Promise<ApiResponse> =>
  service.data('PATCH', `/${String(id)}`, { model }, { token: admin.token, body, headers: PATCH_TYPE, ...options })

async function patched(model: string, id: unknown, body: unknown, options: Call = {}): Promise<JsonObject> {
  const response = await patch(model, id, body, options)
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(await stored(model, id), response.at('data'))
  return response.at('data') as JsonObject
}

describe('a merge patch', () => {
  it('gives what the examples of RFC 7396 say, in members that the model does not declare', async () => {
    // Appendix A, without the rows whose target or patch is no object: a document is one, and so is a member `x` here.
    const rows: [target: Json, patch: Json, result: Json | undefined][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [['a', 'b'], ['c', 'd'], ['c', 'd']],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, undefined],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    const { id, ...topic } = await made('topic')
    for (const [target, sent, result] of rows) {
      const put = await service.data('PUT', `/${String(id)}`, { model: 'topic' }, { token: admin.token, body: { ...topic, x: target } })
      assert.equal(put.status, 200, put.text)
      assert.deepEqual((await patched('topic', id, { x: sent }))['x'], result, JSON.stringify(sent))
    }
  })

  // A body of PUT that lacks them leaves them as they are, so that null once did nothing, and said 200.
  it('removes by null also what a body may lack: a list is empty then, and a card of the feed is gone', async () => {
    const by = { token: standard.token }
    const lists = { savedFilters: [{ id: '1', name: 'a', topics: [], sources: [], countries: [] }] }
    assert.equal(((await patched('user_content_preferences', standard.id, lists, by))['savedFilters'] as Json[]).length, 1)
    assert.deepEqual((await patched('user_content_preferences', standard.id, { savedFilters: null }, by))['savedFilters'], [])
    const cards = { rateApp: { isCompleted: true, lastShownAt: null }, upgrade: { isCompleted: true, lastShownAt: null } }
    await patched('user', standard.id, { feedDecoratorStatus: cards }, by)
    const after = await patched('user', standard.id, { feedDecoratorStatus: { rateApp: null } }, by)
    const status = after['feedDecoratorStatus'] as JsonObject
    assert.deepEqual([status['rateApp'], status['upgrade']], [undefined, cards.upgrade])
    const byAdmin = await patched('user', standard.id, { feedDecoratorStatus: { upgrade: null } })
    assert.deepEqual(byAdmin['feedDecoratorStatus'], status)
  })

  it('changes what it names, keeps the rest, and sets updatedAt', async () => {
    for (const model of ['topic', 'source', 'country', 'language', 'headline']) {
      const stored = await made(model, { ...bodyOf(model), mood: 'calm' })
      service.advance(1000)
      const changed = await patched(model, stored['id'], { status: 'archived', type: 'x', createdAt: '1970-01-01' })
      const { type = 'x' } = stored
      assert.deepEqual(changed, { ...stored, status: 'archived', type, updatedAt: new Date(service.now()).toISOString() })
    }
  })

  it('merges into a copy of another document, and replaces the copy by the record of a reference', async () => {
    const { id } = await made('headline')
    const [topic, language] = [await made('topic', { ...TOPIC, name: 'Ferries' }), await made('language')]
    const renamed = await patched('headline', id, { source: { name: 'The Post', headquarters: { mood: 'calm' } } })
    const source = renamed['source'] as JsonObject
    assert.deepEqual([source['name'], source['headquarters']], ['The Post', { ...COUNTRY, mood: 'calm' }])
    const referred = await patched('headline', id, { topic: { id: topic['id'] }, source: { language: { id: language['id'] } } })
    assert.deepEqual(referred['topic'], topic)
    assert.deepEqual(referred['source'], { ...source, language })
    assert.deepEqual(
      (await patch('headline', id, { topic: { id: 'nowhere' } })).error,
      'invalidInput: topic: expected the id of a topic, found "nowhere", which no topic has',
    )
    // With another member it is no reference.
    const own = await patched('headline', id, { topic: { id: 'own', name: 'Own' } })
    assert.deepEqual(own['topic'], { ...topic, id: 'own', name: 'Own' })
  })

  it('changes settings, preferences, the configuration and users as their PUT does', async () => {
    const settings = await patched('user_app_settings', standard.id, { displaySettings: { baseTheme: 'dark' } }, standard)
    assert.equal((settings['displaySettings'] as JsonObject)['fontWeight'], 'regular')
    const { id: topicId, ...rest } = await made('topic')
    const preferences = await patched('user_content_preferences', standard.id, { followedTopics: [{ id: topicId }] }, standard)
    assert.deepEqual(preferences['followedTopics'], [{ id: topicId, ...rest }])
    const config = await patched('remote_config', REMOTE_CONFIG_ID, { feedDecoratorConfig: { suggestedTopics: { itemsToDisplay: 7 } } })
    const decorators = config['feedDecoratorConfig'] as Record<string, JsonObject>
    assert.deepEqual([decorators['suggestedTopics']?.['itemsToDisplay'], Object.keys(decorators).length], [7, 6])
    const hostile = await patch('remote_config', REMOTE_CONFIG_ID, { feedDecoratorConfig: { unknown: {} } })
    assert.match(hostile.error, /^invalidInput: feedDecoratorConfig: expected no keys but /)

    const card = { feedDecoratorStatus: { rateApp: { isCompleted: true } }, appRole: 'premiumUser', dashboardRole: 'admin' }
    const own = await patched('user', standard.id, card, standard)
    assert.deepEqual([own['appRole'], own['dashboardRole']], ['standardUser', 'none'])
    const cards = own['feedDecoratorStatus'] as Record<string, JsonObject>
    assert.deepEqual([cards['rateApp']?.['isCompleted'], Object.keys(cards).length], [true, 6])
    const promoted = await patched('user', standard.id, { appRole: 'premiumUser' })
    assert.deepEqual([promoted['appRole'], promoted['feedDecoratorStatus']], ['premiumUser', cards])
    await patched('user', standard.id, { appRole: 'standardUser' })
    assert.match((await patch('user', admin.id, { dashboardRole: 'none' })).error, /^forbidden: The last administrator/)
    assert.match((await patch('user', standard.id, { email: null })).error, /^invalidInput: email: /)
  })
})

describe('who may send one', () => {
  it('is who may replace the document', async () => {
    const [topic, headline] = [await made('topic'), await made('headline')]
    for (const [model, id, by, status] of [
      ['topic', topic['id'], publisher, 403],
      ['headline', headline['id'], publisher, 200],
      ['user_app_settings', standard.id, guest, 403],
      ['topic', 'nowhere', admin, 404],
      ['dashboard_summary', 'dashboard_summary', admin, 405],
    ] as const) {
      const response = await patch(model, id, {}, { token: by.token })
      assert.equal(response.status, status, `${model}: ${response.text}`)
    }
    assert.equal((await patch('topic', topic['id'], {}, { token: undefined })).status, 401)
  })
})

describe('many who patch one document at the same time', () => {
  it('lose nothing of one another, for each patch is applied to what is stored then', async () => {
    const { id } = await made('topic')
    await Promise.all(Array.from({ length: 20 }, (_, i) => patch('topic', id, { marks: { [`by${i}`]: i } })))
    assert.deepEqual((await stored('topic', id))['marks'], Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`by${i}`, i])))
  })
})
