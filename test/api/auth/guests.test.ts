// also: threads
/** Guests: how they begin, how they become users, and what they bring along. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { user } from '../../../src/models/user.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { newPerson, type Person } from '../../support/cast.ts'
import { DECODERS, decodeAuthSuccess, decodeEnvelope } from '../../support/service/client-codec.ts'
import { PREFERENCES, SETTINGS, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { startSite } from '../../support/service/site.ts'

const { service, admin } = await startSite()
const { verify, anonymous, me } = authCalls(service)

type ModelName = keyof typeof DECODERS
const OWNED: readonly ModelName[] = ['user', 'user_app_settings', 'user_content_preferences']

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

describe('a guest', () => {
  it('begins with an object of JSON, and with nothing else', async () => {
    for (const [body, status] of [['[[[', 400], ['{"deviceId":"1"}', 200]] as const) {
      const response = await service.call('POST', '/api/v1/auth/anonymous', { body })
      assert.equal(response.status, status, response.text)
    }
  })

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
  it('signs in to it, adds what the account did not have after its own, and is gone', async () => {
    const followed = (...ids: readonly string[]): JsonObject => ({ ...PREFERENCES, followedTopics: ids.map((id) => ({ ...TOPIC, id })) })
    const settings = (baseTheme: string): JsonObject => ({ ...SETTINGS, displaySettings: { ...SETTINGS.displaySettings, baseTheme } })
    const [account, guest] = [await newPerson(service, 'standard', admin.token), await service.guest()]
    await put('user_app_settings', settings('dark'), account)
    await put('user_app_settings', settings('light'), guest)
    await put('user_content_preferences', followed('own', 'both'), account)
    await put('user_content_preferences', followed('both', 'guest'), guest)
    const before = [await own('user', account), await own('user_app_settings', account)]
    service.advance(1000)
    const signed = await service.signIn(account.email, { token: guest.token })
    assert.deepEqual([signed.user, await own('user_app_settings', account)], before)
    const merged = await own('user_content_preferences', account)
    assert.deepEqual((merged?.['followedTopics'] as JsonObject[]).map(({ id }) => id), ['own', 'both', 'guest'])
    assert.equal(merged?.['updatedAt'], new Date(service.now()).toISOString())
    assert.equal((await me(guest.token)).status, 401)
    for (const model of OWNED) {
      assert.equal((await service.data('GET', `/${guest.id}`, { model }, { token: admin.token })).status, 404, model)
    }
    assert.equal((await me(account.token)).status, 200, 'other tokens of the account hold')
  })
})
