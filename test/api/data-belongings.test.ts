/** Settings and preferences: created by their owner, one for each user; preferences have limits. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { newPerson, type Person, type Role } from '../support/cast.ts'
import {
  copies,
  COUNTRY,
  HEADLINE,
  PREFERENCES,
  REMOTE_CONFIG,
  REMOTE_CONFIG_ID,
  SETTINGS,
  SOURCE,
  TOPIC,
} from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, cast, admin, create, read, remove } = await startSite()
const PREFS = 'user_content_preferences'

const put = (body: JsonObject, caller: Person, id = caller.id): Promise<ApiResponse> =>
  service.data('PUT', `/${id}`, { model: PREFS }, { token: caller.token, body: { ...body, id } })

const SAVED_FILTER = PREFERENCES.savedFilters[0]
const EMPTY = { followedCountries: [], followedSources: [], followedTopics: [], savedHeadlines: [], savedFilters: [] }

for (const [model, body] of [['user_app_settings', SETTINGS], [PREFS, PREFERENCES]] as const) {
  describe(`creating ${model}`, () => {
    it('after a 404, with the own id whatever the body names', async () => {
      const person = await newPerson(service, 'standard', admin.token)
      const names: Json[] = [cast.premium.id, body.id, '', 7, null, 'x']
      for (const id of names) {
        assert.equal((await remove(model, person.id)).status, 204)
        assert.equal((await service.data('GET', `/${person.id}`, { model }, { token: person.token })).status, 404)
        const response = await create(model, { ...body, id }, person)
        assert.equal(response.status, 201, `${JSON.stringify(id)}: ${response.text}`)
        const now = new Date(service.now()).toISOString()
        const wanted = { ...body, id: person.id, createdAt: now, updatedAt: now }
        assert.deepEqual(response.at('data'), wanted)
        assert.deepEqual((await read(model, person.id)).at('data'), wanted)
      }
    })

    it('by an administrator, for the user that the body names, or without one for themselves', async () => {
      const person = await newPerson(service, 'standard', admin.token)
      const { id: _, ...withoutId } = body
      assert.equal((await create(model, { ...body, id: person.id }, admin)).status, 409)
      assert.equal((await remove(model, person.id)).status, 204)
      const made = await create(model, { ...body, id: person.id }, admin)
      assert.deepEqual([made.status, made.at('data.id')], [201, person.id])
      assert.equal((await remove(model, admin.id)).status, 204)
      const own = await create(model, withoutId, admin)
      assert.deepEqual([own.status, own.at('data.id')], [201, admin.id])
    })
  })
}

describe('limits of preferences', () => {
  const entries: Readonly<Record<string, (count: number) => JsonObject[]>> = {
    followedCountries: (count) => copies(COUNTRY, count),
    followedSources: (count) => copies(SOURCE, count),
    followedTopics: (count) => copies(TOPIC, count),
    savedHeadlines: (count) => copies(HEADLINE, count),
    savedFilters: (count) => copies(SAVED_FILTER, count),
  }
  const followed = ['followedCountries', 'followedSources', 'followedTopics']
  const limits: readonly (readonly [role: Role, appRole: string, follow: number, save: number, filter: number])[] = [
    ['guest', 'guestUser', 5, 10, 3],
    ['standard', 'standardUser', 15, 30, 10],
    ['premium', 'premiumUser', 30, 100, 25],
    // Who is a standard reader.
    ['publisher', 'standardUser', 15, 30, 10],
  ]
  for (const [role, appRole, follow, save, filter] of limits) {
    for (const [list, limit] of [...followed.map((name) => [name, follow] as const), ['savedHeadlines', save], ['savedFilters', filter]] as const) {
      it(`${role}: ${list} holds ${limit} and not one more, by PUT and by POST`, async () => {
        const person = await newPerson(service, role, admin.token)
        const filled = (count: number): JsonObject => ({ ...EMPTY, [list]: entries[list]?.(count) ?? [] })
        const message = `forbidden: ${list}: at most ${limit} entries for a ${appRole}, found ${limit + 1}`
        const refused = await put(filled(limit + 1), person)
        assert.deepEqual([refused.status, refused.error], [403, message])
        assert.deepEqual((await read(PREFS, person.id)).at(`data.${list}`), [])
        const taken = await put(filled(limit), person)
        assert.equal(taken.status, 200, taken.text)
        assert.equal((taken.at(`data.${list}`) as unknown[]).length, limit)
        assert.equal((await put(filled(limit + 1), person)).status, 403)
        assert.equal((await remove(PREFS, person.id)).status, 204)
        const posted = await create(PREFS, filled(limit + 1), person)
        assert.deepEqual([posted.status, posted.error], [403, message])
        assert.equal((await read(PREFS, person.id)).status, 404)
        assert.equal((await create(PREFS, filled(limit), person)).status, 201)
      })
    }
  }

  it('do not bind administrators, neither for themselves nor for others', async () => {
    const guest = await newPerson(service, 'guest', admin.token)
    const many = { ...EMPTY, followedTopics: copies(TOPIC, 120), savedHeadlines: copies(HEADLINE, 150) }
    for (const id of [admin.id, guest.id]) {
      const response = await put(many, admin, id)
      assert.equal((response.at('data.savedHeadlines') as unknown[]).length, 150, response.text.slice(0, 200))
    }
    assert.equal((await put({ ...many, followedTopics: copies(TOPIC, 121) }, guest)).status, 403)
  })

  it('let an over-long list shrink or stay, but not grow; other lists keep their limits', async () => {
    const person = await newPerson(service, 'guest', admin.token)
    const lists = (topics: number, countries = 0): JsonObject => ({
      ...EMPTY,
      followedTopics: copies(TOPIC, topics),
      followedCountries: copies(COUNTRY, countries),
    })
    assert.equal((await put(lists(8, 2), admin, person.id)).status, 200)
    const steps: readonly (readonly [topics: number, countries: number, status: number])[] = [
      ...[[9, 2, 403], [8, 2, 200], [8, 5, 200], [8, 6, 403], [7, 5, 200], [8, 5, 403], [5, 5, 200], [6, 5, 403]] as const,
      ...[[4, 5, 200], [5, 5, 200]] as const,
    ]
    for (const [topics, countries, status] of steps) {
      const response = await put(lists(topics, countries), person)
      assert.equal(response.status, status, `${topics} topics, ${countries} countries: ${response.error}`)
    }
  })

  it('hold under concurrent writes: a list that shrank does not grow back', async () => {
    const person = await newPerson(service, 'guest', admin.token)
    const topics = (count: number): JsonObject => ({ ...EMPTY, followedTopics: copies(TOPIC, count) })
    for (let round = 0; round < 10; round++) {
      assert.equal((await put(topics(8), admin, person.id)).status, 200)
      const writes = [put(topics(8), person), put(topics(7), person), put(topics(9), person), put(topics(8), person)]
      const responses = await Promise.all(round % 2 === 0 ? writes : writes.toReversed())
      const statuses = responses.map(({ status }) => status)
      assert.ok(statuses.every((status) => status === 200 || status === 403))
      assert.equal(((await read(PREFS, person.id)).at('data.followedTopics') as unknown[]).length, 7, statuses.join())
    }
  })

  it('follow the configuration and the role of the moment', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const lists = (topics: number): JsonObject => ({ ...EMPTY, followedTopics: copies(TOPIC, topics) })
    const setLimit = async (limit: number): Promise<void> => {
      const body = {
        ...REMOTE_CONFIG,
        userPreferenceConfig: { ...REMOTE_CONFIG.userPreferenceConfig, authenticatedFollowedItemsLimit: limit },
      }
      const response = await service.data('PUT', `/${REMOTE_CONFIG_ID}`, { model: 'remote_config' }, { token: admin.token, body })
      assert.equal(response.status, 200, response.text)
    }
    await setLimit(2)
    assert.equal((await put(lists(3), person)).status, 403)
    assert.equal((await put(lists(2), person)).status, 200)
    await setLimit(0)
    assert.equal((await put(lists(2), person)).status, 200)
    assert.equal((await put(lists(1), person)).status, 200)
    assert.equal((await put(lists(2), person)).status, 403)
    await setLimit(15)
    assert.equal((await put(lists(15), person)).status, 200)
    assert.equal((await put(lists(16), person)).status, 403)
    const user = (await read('user', person.id)).at('data') as JsonObject
    const promoted = { ...user, appRole: 'premiumUser' }
    await service.data('PUT', `/${person.id}`, { model: 'user' }, { token: admin.token, body: promoted })
    assert.equal((await put(lists(30), person)).status, 200)
    await service.data('PUT', `/${person.id}`, { model: 'user' }, { token: admin.token, body: user })
    assert.equal((await put(lists(30), person)).status, 200)
    assert.equal((await put(lists(31), person)).status, 403)
  })

  it('are those of a new installation while the configuration is missing', async () => {
    const person = await newPerson(service, 'guest', admin.token)
    assert.equal((await remove('remote_config', REMOTE_CONFIG_ID)).status, 204)
    assert.equal((await put({ ...EMPTY, followedTopics: copies(TOPIC, 6) }, person)).status, 403)
    assert.equal((await put({ ...EMPTY, followedTopics: copies(TOPIC, 5) }, person)).status, 200)
    assert.equal((await create('remote_config', REMOTE_CONFIG, admin)).status, 201)
  })
})
