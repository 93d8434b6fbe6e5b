/**
 * References by id make a small body large: `{"id": "…"}` is replaced by a whole record, once for each place.
 *
 * The attacks: records nested as deep as a body may be, which inside another document are deeper than what can be
 * read again, so that one creation would break every list of its model; one long record named a thousand times, which
 * would fill the memory of the service; and more places than anybody needs, each of which costs a look-up.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { HEADLINE, PREFERENCES, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, create, madeId: made } = await startSite()
const DEPTH_MAX = 200

const follow = (followedTopics: readonly Json[], { id, token } = admin): Promise<ApiResponse> =>
  service.data('PUT', `/${id}`, { model: 'user_content_preferences' }, { token, body: { ...PREFERENCES, id, followedTopics } })

/** `levels` arrays within one another. */
function nested(levels: number): Json {
  let value: Json = 'core'
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

describe('a record that is nested as deep as a body may be', () => {
  it('can be stored and read, and not one level more', async () => {
    const id = await made('topic', { ...TOPIC, extra: nested(DEPTH_MAX - 1) })
    assert.equal((await service.data('GET', `/${id}`, { model: 'topic' }, { token: guest.token })).status, 200)
    assert.equal(
      (await service.data('GET', '', { model: 'topic', filter: { name: 'Harbours' } }, { token: guest.token })).status,
      200,
    )
    assert.equal((await create('topic', { ...TOPIC, extra: nested(DEPTH_MAX) })).status, 400)
  })

  it('is refused inside another document, and every list goes on working', async () => {
    const deep = await made('topic', { ...TOPIC, extra: nested(DEPTH_MAX - 1) })
    const fits = await made('topic', { ...TOPIC, extra: nested(DEPTH_MAX - 2) })
    const response = await create('headline', { ...HEADLINE, topic: { id: deep } })
    assert.equal(response.status, 400, response.text.slice(0, 300))
    assert.equal(
      response.error,
      'invalidInput: Cannot store a document of more than 200 levels, those of its embedded records included',
    )
    const headline = await made('headline', { ...HEADLINE, topic: { id: fits } })
    const list = await service.data('GET', '', { model: 'headline', filter: { id: headline } }, { token: guest.token })
    assert.deepEqual([list.status, (list.at('data.items') as unknown[]).length], [200, 1])
    assert.equal((await follow([{ id: deep }], guest)).status, 400)
    assert.equal((await follow([], guest)).status, 200)
  })
})
