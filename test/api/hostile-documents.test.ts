/**
 * Documents as an attack: checks that would tell a hundred thousand faults, references that make a small body large, bodies
 * of guests, which any stranger becomes, and patches that build a document which no single request could send.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Problem } from '../../src/base/problem.ts'
import { COUNTRY, HEADLINE, PREFERENCES, SETTINGS, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { type ApiResponse, startService, type TestService } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'

const { service, admin, standard, guest, create, madeId: made, madeId } = await startSite()
const PROBLEMS_MAX = 50
/** Fifty problems with a path of a thousand characters and a sentence each. */
const REPLY_BYTES_MAX = 100_000
const LONG = 'n'.repeat(1_900_000)

async function check(model: string, body: unknown): Promise<readonly Problem[]> {
  const id = model === 'topic' ? {} : { id: standard.id }
  const token = model === 'topic' ? admin.token : standard.token
  const response = await service.data('POST', '/check', { model, ...id }, { token, body })
  assert.equal(response.status, 200, response.text.slice(0, 300))
  assert.ok(response.text.length < REPLY_BYTES_MAX, `${response.text.length} bytes`)
  return response.at('data.problems') as Problem[]
}

const many = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`$${i}`, i]))

describe('a check of', () => {
  it('a hundred thousand faults tells the first fifty', async () => {
    const zeros = `[${Array(99_000).fill('0').join()}]`
    const body = JSON.stringify({ ...PREFERENCES, id: standard.id, followedTopics: [] })
    const problems = await check('user_content_preferences', body.replace('"followedTopics":[]', `"followedTopics":${zeros}`))
    assert.equal(problems.length, PROBLEMS_MAX)
    assert.deepEqual(problems[0], {
      path: 'followedTopics',
      code: 'tooMany',
      params: { max: '1000' },
      message: 'expected at most 1000 entries, found 99000',
    })
    assert.equal(problems.at(-1)?.path, `followedTopics[${PROBLEMS_MAX - 2}]`)
  })

  it('a body of more names and values than it may have is refused', async () => {
    const call = (zeros: number): Promise<ApiResponse> =>
      service.data('POST', '/check', { model: 'topic' }, { token: admin.token, body: { x: Array(zeros).fill(0) } })
    // The object, the name, the array and its zeros.
    assert.equal((await call(100_000 - 3)).status, 200)
    const refused = await call(100_000 - 2)
    assert.deepEqual(
      [refused.status, refused.error],
      [400, 'invalidInput: Cannot read the request body as JSON: more than 100000 names and values'],
    )
  })

  it('names as long as a body may be repeats none of them whole', async () => {
    const problems = await check('topic', { ...TOPIC, [LONG]: many(1_000) })
    assert.equal(problems.length, PROBLEMS_MAX)
    assert.match(problems[0]?.path ?? '', /^n{1000}…$/)
    const response = await service.data(
      'POST',
      '',
      { model: 'topic' },
      { token: admin.token, body: { ...TOPIC, [LONG]: many(1) } },
    )
    assert.equal(response.error, `invalidInput: ${problems[0]?.path}: ${problems[0]?.message}`)
  })
})
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
const patch = (by: { token: string }, model: string, id: string, body: unknown, on: TestService = service): Promise<ApiResponse> =>
  on.data('PATCH', `/${id}`, { model }, { token: by.token, body })

describe('a document that grows patch by patch', () => {
  it('gets no longer than a body', async () => {
    const id = await madeId('topic', { a: 'x'.repeat(1_500_000) })
    const grown = await patch(admin, 'topic', id, { b: 'x'.repeat(700_000) })
    assert.equal(grown.status, 413, grown.text.slice(0, 300))
    assert.match(grown.error, /^payloadTooLarge: Cannot patch the document: expected at most 2097152 bytes in the result, found 2\d+$/)
    assert.equal((await patch(admin, 'topic', id, { b: 'x'.repeat(500_000) })).status, 200)
  })

  it('gets no more names and values than a body', async () => {
    const id = await madeId('topic', { a: Array(60_000).fill(0) })
    assert.match((await patch(admin, 'topic', id, { b: Array(60_000).fill(0) })).error, /at most 100000 names and values in the result/)
    assert.equal((await patch(admin, 'topic', id, { a: Array(60_000).fill(1) })).status, 200)
  })

  it('gets no deeper than a body', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
    const id = await madeId('topic', nested(150))
    const atLevel = (levels: number, inner: object): object => (levels === 0 ? inner : { a: atLevel(levels - 1, inner) })
    assert.match((await patch(admin, 'topic', id, atLevel(100, { b: nested(120) }))).error, /of more than 200 levels/)
    assert.equal((await patch(admin, 'topic', id, atLevel(100, { b: nested(90) }))).status, 200)
  })

  it('of a guest gets no longer than the body of a guest', async () => {
    const model = 'user_content_preferences'
    const topics = (n: number): object[] => Array.from({ length: n }, () => ({ ...TOPIC, description: 'x'.repeat(60_000) }))
    assert.equal((await patch(guest, model, guest.id, { followedTopics: topics(3) })).status, 200)
    assert.equal((await patch(guest, model, guest.id, { savedFilters: [{ id: '1', name: 'a', topics: topics(3), sources: [], countries: [] }] })).status, 413)
    assert.equal((await patch(guest, model, guest.id, { followedTopics: [] })).status, 200)
  })
})

it('a small patch of a long document counts for the limit of its caller as the document does', async (t) => {
  const limited = await startService(t, { rateLimits: 'on', dataPerUser: '40' })
  const person = await limited.guest()
  const model = 'user_content_preferences'
  const long = { followedTopics: [{ ...TOPIC, description: 'x'.repeat(200_000) }] }
  assert.equal((await patch(person, model, person.id, long, limited)).status, 200)
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await patch(person, model, person.id, {}, limited)).status)
  // Each counts as four requests.
  assert.deepEqual([statuses[0], statuses.at(-1)], [200, 429])
})

it('names of the prototype are rejected at every depth, and change no object of the service', async () => {
  const id = await madeId('topic', {})
  for (const body of ['{"__proto__":{"isOwned":true}}', '{"x":{"__proto__":{"isOwned":true}}}', '{"x":[{"__proto__":1}]}', '{"__proto__":null}']) {
    const response = await patch(admin, 'topic', id, body)
    assert.match(response.error, /^invalidInput: (x.*)?cannot store a member named "__proto__"/)
  }
  assert.equal((await patch(admin, 'topic', id, '{"x":{"constructor":{"prototype":{"isOwned":true}}}}')).status, 200)
  assert.equal(({} as { isOwned?: true }).isOwned, undefined)
})

it('a patch reads nothing that its caller may not: a reference of a guest names a record that every guest may read', async () => {
  const response = await patch(guest, 'user_content_preferences', guest.id, { followedTopics: [{ id: admin.id }] })
  assert.match(response.error, /^invalidInput: followedTopics\[0\]: expected the id of a topic/)
})
