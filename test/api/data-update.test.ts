// also: cache-off cluster
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { DECODERS, decodeEnvelope } from '../support/service/client-codec.ts'
import { bodyOf, PREFERENCES, SETTINGS, withAt } from '../../scripts/tools/data-bodies.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, standard, replace: put, read, made } = await startSite()
const MINUTE_MS = 60_000

const CONTENT = ['headline', 'topic', 'source', 'country', 'language'] as const

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
      const data = decodeEnvelope<unknown>(response.body, DECODERS[model]).data
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
      const data = decodeEnvelope<unknown>(response.body, DECODERS[model]).data
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
    assert.equal(
      (await put('user_content_preferences', standard.id, { ...older, savedFilters: null }, standard)).status,
      400,
    )
    const cleared = await put('user_content_preferences', standard.id, { ...older, savedFilters: [] }, standard)
    assert.deepEqual(cleared.at('data.savedFilters'), [])
  })
})
