// also: cache-off cluster
/** JSON merge patches of documents: the cases of RFC 7396, references, rights, conditions, and races with other writers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { bodyOf, COUNTRY, REMOTE_CONFIG_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Call } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, stored: read, made } = await startSite()
const PATCH_TYPE = { 'content-type': 'application/merge-patch+json' }

const patch = (model: string, id: unknown, body: unknown, options: Call = {}): Promise<ApiResponse> =>
  service.data('PATCH', `/${String(id)}`, { model }, { token: admin.token, body, headers: PATCH_TYPE, ...options })

async function patched(model: string, id: unknown, body: unknown, options: Call = {}): Promise<JsonObject> {
  const response = await patch(model, id, body, options)
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(await read(model, id), response.at('data'))
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
    assert.deepEqual((await read('topic', id))['marks'], Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`by${i}`, i])))
  })
})
