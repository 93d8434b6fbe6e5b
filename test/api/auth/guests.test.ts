// also: threads
/** Guests: how they begin, how they become users, and what they bring along. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { user } from '../../../src/models/user.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { newCast, newPerson, type Person } from '../../support/cast.ts'
import { DECODERS, decodeAuthSuccess, decodeEnvelope } from '../../support/service/client-codec.ts'
import { copies, COUNTRY, HEADLINE, PREFERENCES, SETTINGS, SOURCE, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { startSuiteService } from '../../support/service/suite-service.ts'

const service = await startSuiteService()
const { verify, anonymous, me } = authCalls(service)
const { admin } = await newCast(service)

type ModelName = keyof typeof DECODERS
const OWNED: readonly ModelName[] = ['user', 'user_app_settings', 'user_content_preferences']
const LISTS = ['followedCountries', 'followedSources', 'followedTopics', 'savedHeadlines', 'savedFilters'] as const

let addresses = 0
const newEmail = (): string => `former-guest-${++addresses}@example.org`

/** An own record, decoded; undefined where there is none. */
async function own(model: ModelName, { id, token }: Pick<Person, 'id' | 'token'>): Promise<JsonObject | undefined> {
  const response = await service.data('GET', `/${id}`, { model }, { token })
  if (response.status === 404) return undefined
  return decodeEnvelope<unknown>(response.body, DECODERS[model]).data as JsonObject
}

async function put(model: ModelName, body: JsonObject, { id, token }: Pick<Person, 'id' | 'token'>): Promise<void> {
  const response = await service.data('PUT', `/${id}`, { model }, { token, body: { ...body, id } })
  assert.equal(response.status, 200, response.text)
}

/** The ids in each list, without the ends that are the same everywhere. */
function idsOf(preferences: JsonObject | undefined): Record<string, unknown> {
  return Object.fromEntries(LISTS.map((list) => [list, (preferences?.[list] as JsonObject[]).map(({ id }) => id)]))
}

describe('a guest', () => {
  // Each response is checked against the description of the API, which did not know that a body can be refused here.
  for (const [body, status] of [
    ['[[[', 400],
    [`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`, 413],
    ['{"deviceId":"1"}', 200],
  ] as const) {
    it(`begins with no body or an object of JSON: ${body.slice(0, 20)} gets ${status}`, async () => {
      const response = await service.call('POST', '/api/v1/auth/anonymous', { body })
      assert.equal(response.status, status, response.text)
    })
  }

  it('gets user and token, and all three documents exist', async () => {
    const response = await anonymous()
    assert.equal(response.status, 200)
    const { user, token } = decodeEnvelope(response.body, decodeAuthSuccess).data
    assert.deepEqual([user.appRole, user.dashboardRole], ['guestUser', 'none'])
    assert.equal(user.email, `${user.id}@anonymous.invalid`)
    assert.deepEqual(await own('user', { id: user.id, token }), user)
    for (const model of OWNED) assert.equal((await own(model, { id: user.id, token }))?.['id'], user.id)
    assert.deepEqual((await me(token)).at('data'), user)
  })

  const BODIES: readonly (readonly [string, Parameters<typeof anonymous>[0]])[] = [
    ['no body', {}],
    ['an object with members', { body: { name: 'unknown', email: 7 } }],
    ['an object of another type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
  ]
  for (const [name, options] of BODIES) {
    it(`is made with ${name}`, async () => {
      assert.equal((await anonymous(options)).status, 200)
    })
  }
})

describe('a guest who verifies a free address', () => {
  it('keeps id, settings, preferences and feed cards, and becomes a standard user', async () => {
    const guest = await service.guest()
    const cards = {
      ...(guest.user['feedDecoratorStatus'] as JsonObject),
      rateApp: { isCompleted: true, lastShownAt: '2026-02-01T00:00:00.000Z' },
    }
    await put('user', { ...(guest.user as JsonObject), feedDecoratorStatus: cards }, guest)
    await put('user_app_settings', { ...SETTINGS, displaySettings: { ...SETTINGS.displaySettings, baseTheme: 'dark' } }, guest)
    await put('user_content_preferences', PREFERENCES, guest)
    const before = await Promise.all(OWNED.map((model) => own(model, guest)))
    service.advance(60_000)
    const email = newEmail()
    const response = await verify({ email, code: await service.codeFor(email) }, { token: guest.token })
    const { user, token } = decodeEnvelope(response.body, decodeAuthSuccess).data
    const updatedAt = new Date(service.now()).toISOString()
    assert.deepEqual(user, { ...before[0], email, appRole: 'standardUser', updatedAt })
    assert.deepEqual(user.feedDecoratorStatus, cards)
    const after = await Promise.all(OWNED.map((model) => own(model, { id: guest.id, token })))
    assert.deepEqual(after, [user, before[1], before[2]])
    assert.equal((await me(guest.token)).status, 401)
    assert.equal((await me(token)).status, 200)
    // And the account is found by its address from now on.
    assert.equal((await service.signIn(email)).id, guest.id)
  })
})

describe('a guest who verifies the address of an account', () => {
  /** Preferences whose ids begin with the given letter and meet at `both`. */
  function preferencesOf(name: string, count: number): JsonObject {
    const named = <T extends JsonObject>(document: T): JsonObject[] => [
      ...copies(document, count).map((copy, i) => ({ ...copy, id: `${name}-${i}` })),
      { ...document, id: 'both' },
    ]
    const filters = named(PREFERENCES.savedFilters[0] as unknown as JsonObject).map((filter) => ({ ...filter, name }))
    return {
      id: '',
      followedCountries: named(COUNTRY),
      followedSources: named(SOURCE),
      followedTopics: named(TOPIC),
      savedHeadlines: named(HEADLINE),
      savedFilters: filters,
    }
  }

  it('signs in to it, adds what the account did not have after its own, and is gone', async () => {
    const account = await newPerson(service, 'standard', admin.token)
    await put(
      'user_app_settings',
      { ...SETTINGS, feedPreferences: { ...SETTINGS.feedPreferences, headlineDensity: 'compact' } },
      account,
    )
    await put('user_content_preferences', preferencesOf('own', 2), account)
    const [user, settings] = [await own('user', account), await own('user_app_settings', account)]
    const guest = await service.guest()
    await put(
      'user_app_settings',
      { ...SETTINGS, feedPreferences: { ...SETTINGS.feedPreferences, headlineDensity: 'comfortable' } },
      guest,
    )
    await put('user_content_preferences', preferencesOf('guest', 1), guest)
    service.advance(1000)
    const signed = await service.signIn(account.email, { token: guest.token })
    assert.deepEqual(signed.user, user)
    assert.deepEqual(await own('user_app_settings', account), settings)
    const merged = await own('user_content_preferences', account)
    assert.deepEqual(idsOf(merged), Object.fromEntries(LISTS.map((list) => [list, ['own-0', 'own-1', 'both', 'guest-0']])))
    assert.deepEqual(
      (merged?.['savedFilters'] as JsonObject[]).map(({ name }) => name),
      ['own', 'own', 'own', 'guest'],
    )
    assert.equal(merged?.['updatedAt'], new Date(service.now()).toISOString())
    assert.equal((await me(guest.token)).status, 401)
    for (const model of OWNED) {
      assert.equal((await service.data('GET', `/${guest.id}`, { model }, { token: admin.token })).status, 404, model)
    }
    assert.equal((await me(account.token)).status, 200, 'other tokens of the account hold')
  })

  const full = (follow: number, save: number, filter: number): JsonObject => ({
    id: '',
    followedCountries: copies(COUNTRY, follow),
    followedSources: copies(SOURCE, follow),
    followedTopics: copies(TOPIC, follow),
    savedHeadlines: copies(HEADLINE, save),
    savedFilters: copies(PREFERENCES.savedFilters[0] as unknown as JsonObject, filter),
  })
  const prefixed = (preferences: JsonObject, prefix: string): JsonObject =>
    Object.fromEntries(
      Object.entries(preferences).map(([name, list]) => [
        name,
        Array.isArray(list)
          ? (list as JsonObject[]).map((entry) => ({ ...entry, id: `${prefix}-${String(entry['id'])}` }))
          : list,
      ]),
    )
  const LIMITS = [['standard', [14, 29, 9], [15, 30, 10]]] as const
  for (const [role, [follow, save, filter], [followed, saved, filters]] of LIMITS) {
    it(`cuts at the limits of a ${role}: ${follow}, ${save} and ${filter} entries become ${followed}, ${saved} and ${filters}`, async () => {
      const account = await newPerson(service, role, admin.token)
      await put('user_content_preferences', prefixed(full(follow, save, filter), 'own'), account)
      const guest = await service.guest()
      await put('user_content_preferences', prefixed(full(5, 10, 3), 'guest'), guest)
      await service.signIn(account.email, { token: guest.token })
      const merged = await own('user_content_preferences', account)
      const lengths = LISTS.map((list) => (merged?.[list] as unknown[]).length)
      assert.deepEqual(lengths, [followed, followed, followed, saved, filters])
      assert.deepEqual(
        (merged?.['followedTopics'] as JsonObject[])[follow]?.['id'],
        followed > follow ? 'guest-copy-0' : undefined,
      )
    })
  }
})
