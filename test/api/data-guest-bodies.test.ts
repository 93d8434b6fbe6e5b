/**
 * Any stranger becomes a guest with one request. So a guest may send less than a registered user: enough for all that
 * the limits of a guest allow.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { COUNTRY, HEADLINE, PREFERENCES, SETTINGS, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, standard } = await startSite()
const BYTES_MAX = 256 * 1024

interface Sender {
  readonly id: string
  readonly token: string
}

const put = ({ id, token }: Sender, body: JsonObject | string): Promise<ApiResponse> =>
  service.data('PUT', `/${id}`, { model: 'user_content_preferences' }, { token, body })

/** Preferences of exactly so many bytes. */
function preferencesOf(bytes: number, { id }: Sender): string {
  const topic = { ...TOPIC, description: '' }
  const text = (): string => JSON.stringify({ ...PREFERENCES, id, followedTopics: [topic] })
  topic.description = 'x'.repeat(bytes - text().length) as ''
  assert.equal(text().length, bytes)
  return text()
}

describe('the body of a guest', () => {
  it('is at most 256 KiB, and one of a user more', async () => {
    assert.equal((await put(guest, preferencesOf(BYTES_MAX, guest))).status, 200)
    const tooLong = await put(guest, preferencesOf(BYTES_MAX + 1, guest))
    assert.deepEqual(
      [tooLong.status, tooLong.error],
      [413, 'payloadTooLarge: Cannot take a request body of this size: expected at most 262144 bytes from a guest'],
    )
    assert.equal((await put(standard, preferencesOf(BYTES_MAX + 1, standard))).status, 200)
    assert.equal((await put(standard, preferencesOf(2 * 1024 * 1024, standard))).status, 200)
  })
})

describe('copies in preferences and settings', () => {
  const junk = { notes: 'x'.repeat(1_000), parts: [{ more: 'y' }] }
  const stuffed = (one: JsonObject): JsonObject => ({ ...one, ...junk })
  const stored = async (who: Sender, model: string): Promise<unknown> => (await service.data('GET', `/${who.id}`, { model }, { token: who.token })).at('data')

  it('have no members that a guest made up, at any depth and by any method', async () => {
    const who = await service.guest()
    const source = { ...SOURCE, language: stuffed(SOURCE.language), headquarters: stuffed(SOURCE.headquarters), ...junk }
    const headline = { ...HEADLINE, source, topic: stuffed(HEADLINE.topic), eventCountry: stuffed(HEADLINE.eventCountry), ...junk }
    const filter = { id: 'f', name: 'f', topics: [stuffed(TOPIC)], sources: [source], countries: [stuffed(COUNTRY)], ...junk }
    const lists = { followedTopics: [stuffed(TOPIC)], followedSources: [source], followedCountries: [stuffed(COUNTRY)], savedHeadlines: [headline], savedFilters: [filter] }
    const settings = { ...SETTINGS, id: who.id, language: stuffed(SETTINGS.language), displaySettings: stuffed(SETTINGS.displaySettings) }
    const send = {
      put: () => put(who, { ...lists, id: who.id }),
      patch: () => service.data('PATCH', `/${who.id}`, { model: 'user_content_preferences' }, { token: who.token, body: lists }),
      again: () => put(who, { ...lists, id: who.id }),
      batch: () =>
        service.data('POST', '/batch', {}, { token: who.token, body: { operations: [{ operation: 'patch', model: 'user_content_preferences', id: who.id, body: lists }] } }),
    }
    for (const [name, run] of Object.entries(send)) {
      assert.equal((await run()).status, 200, name)
      const kept = (await stored(who, 'user_content_preferences')) as JsonObject
      assert.ok(!/notes|more|parts/.test(JSON.stringify(kept)), name)
      assert.deepEqual(kept['savedHeadlines'], [HEADLINE], name)
    }
    assert.equal((await service.data('PUT', `/${who.id}`, { model: 'user_app_settings' }, { token: who.token, body: settings })).status, 200)
    assert.deepEqual(((await stored(who, 'user_app_settings')) as JsonObject)['language'], SETTINGS.language)
  })

  it('keep the members of a publisher that their original has, or had when they were stored', async () => {
    const who = await service.guest()
    const made = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, author: 'Ada', tags: ['sea'] } })
    const original = made.at('data') as JsonObject
    const followed = async (): Promise<unknown> => ((await stored(who, 'user_content_preferences')) as JsonObject)['followedTopics']
    await put(who, { ...PREFERENCES, id: who.id, followedTopics: [{ id: String(original['id']) }] })
    assert.deepEqual(await followed(), [original])
    await put(who, { ...PREFERENCES, id: who.id, followedTopics: [{ ...original, author: 'Eve', more: 'x' }] })
    const { author: _, ...rest } = original
    assert.deepEqual(await followed(), [rest], 'another value is none of the original')
    await put(who, { ...PREFERENCES, id: who.id, followedTopics: [original] })
    await service.data('DELETE', `/${String(original['id'])}`, { model: 'topic' }, { token: admin.token })
    await put(who, { ...PREFERENCES, id: who.id, followedTopics: [original], followedCountries: [COUNTRY] })
    assert.deepEqual(await followed(), [original])
  })
})
