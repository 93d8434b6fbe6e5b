/**
 * References by id make a small body large: `{"id": "…"}` is replaced by a whole record, once for each place.
 *
 * The attacks: records nested as deep as a body may be, which inside another document are deeper than what can be
 * read again, so that one creation would break every list of its model; one long record named a thousand times, which
 * would fill the memory of the service; and more places than anybody needs, each of which costs a look-up.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { newCast } from '../support/cast.ts'
import { HEADLINE, PREFERENCES, TOPIC } from '../support/service/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { admin, guest } = await newCast(service)
const DEPTH_MAX = 200

const create = (model: string, body: JsonObject): Promise<ApiResponse> =>
  service.data('POST', '', { model }, { token: admin.token, body })
const follow = (followedTopics: readonly Json[], { id, token } = admin): Promise<ApiResponse> =>
  service.data(
    'PUT',
    `/${id}`,
    { model: 'user_content_preferences' },
    { token, body: { ...PREFERENCES, id, followedTopics } },
  )

/** `levels` arrays within one another. */
function nested(levels: number): Json {
  let value: Json = 'core'
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

async function made(model: string, body: JsonObject): Promise<string> {
  const response = await create(model, body)
  assert.equal(response.status, 201, response.text.slice(0, 300))
  return String(response.at('data.id'))
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

describe('one record that is named many times', () => {
  it('is looked up once and taken up to 2 MiB in all, as much as a body may have', async () => {
    const long = await made('topic', { ...TOPIC, description: 'x'.repeat(1024 * 1024 - 1000) })
    const refused = await follow(Array.from({ length: 1000 }, () => ({ id: long })))
    assert.equal(refused.status, 400, refused.text.slice(0, 300))
    assert.equal(
      refused.error,
      'invalidInput: followedTopics[2]: expected records of at most 2097152 bytes in all references by id, found more',
    )
    const taken = await follow(Array.from({ length: 2 }, () => ({ id: long })))
    assert.equal(taken.status, 200, taken.text.slice(0, 300))
    assert.equal((taken.at('data.followedTopics') as unknown[]).length, 2)
  })

  it('a thousand times is fine where it is short, and once more is refused', async () => {
    const short = await made('topic', TOPIC)
    const places = (count: number): Json[] => Array.from({ length: count }, () => ({ id: short }))
    const taken = await follow(places(1000))
    assert.equal(taken.status, 200, taken.text.slice(0, 300))
    assert.equal((taken.at('data.followedTopics') as unknown[]).length, 1000)
    assert.equal(
      (await follow(places(1001))).error,
      'invalidInput: followedTopics: expected at most 1000 entries, found 1001',
    )
    const body = { ...PREFERENCES, id: admin.id, followedTopics: places(1000), followedSources: places(1) }
    const query = { model: 'user_content_preferences' }
    assert.equal(
      (await service.data('PUT', `/${admin.id}`, query, { token: admin.token, body })).error,
      'invalidInput: Cannot take 1001 references by id: at most 1000 in one body',
    )
  })
})
