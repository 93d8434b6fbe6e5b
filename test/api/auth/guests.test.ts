// also: threads
/**
 * Guests: how they begin, how they become users, and what they bring along; with attacks that give an account the address of
 * another person. An account whose role said guest got any address that its token verified a code for, with its rights: so
 * did an administrator's, by a token of the API that may only replace users.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { newPerson, type Person } from '../../support/cast.ts'
import { PREFERENCES, SETTINGS, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { startSite } from '../../support/service/site.ts'
import { OPERATOR } from '../../../src/store/actor.ts'
import type { ApiResponse } from '../../support/service/service.ts'

const { service, admin, apiToken } = await startSite()
const { verify, anonymous, me } = authCalls(service)

const OWNED = ['user', 'user_app_settings', 'user_content_preferences']

let addresses = 0
const newEmail = (): string => `former-guest-${++addresses}@example.org`

/** An own record; undefined where there is none. */
async function own(model: string, { id, token }: Pick<Person, 'id' | 'token'>): Promise<JsonObject | undefined> {
  const response = await service.data('GET', `/${id}`, { model }, { token })
  if (response.status === 404) return undefined
  assert.equal(response.status, 200, response.text)
  return response.at('data') as JsonObject
}

async function put(model: string, body: JsonObject, { id, token }: Pick<Person, 'id' | 'token'>): Promise<void> {
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
    const { user, token } = response.at('data') as { user: JsonObject; token: string }
    const id = String(user['id'])
    assert.deepEqual([user['appRole'], user['dashboardRole']], ['guestUser', 'none'])
    assert.equal(user['email'], `${id}@anonymous.invalid`)
    assert.deepEqual(await own('user', { id, token }), user)
    for (const model of OWNED) assert.equal((await own(model, { id, token }))?.['id'], id)
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
    const { user, token } = response.at('data') as { user: JsonObject; token: string }
    const updatedAt = new Date(service.now()).toISOString()
    assert.deepEqual(user, { ...before[0], email, appRole: 'standardUser', updatedAt })
    assert.deepEqual(response.at('data.user.feedDecoratorStatus'), cards)
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
const { store, sessions } = service.app.services

let thieves = 0
const thiefEmail = (): string => `thief-${++thieves}@example.org`

async function stored(id: string): Promise<JsonObject> {
  return (await service.data('GET', `/${id}`, { model: 'user' }, { token: admin.token })).at('data') as JsonObject
}

/** Stores roles past every check, as an earlier release let an administrator do. */
async function force(id: string, roles: object): Promise<void> {
  assert.notEqual(await store.as(OPERATOR).updateUser(id, (before) => ({ ...before, ...roles })), 'missing')
}

/** A code for an address of the thief, with the token of another person. */
async function take(token: string): Promise<ApiResponse> {
  const email = thiefEmail()
  return verify({ email, code: await service.codeFor(email) }, { token })
}

describe('attack: an account that says it is a guest', () => {
  const patch = (by: Person, body: object, token = by.token): Promise<ApiResponse> =>
    service.data('PATCH', `/${by.id}`, { model: 'user' }, { token, body })
  const put = async (by: Person, roles: object): Promise<ApiResponse> =>
    service.data('PUT', `/${by.id}`, { model: 'user' }, { token: by.token, body: { ...(await stored(by.id)), ...roles } })
  const batch = (by: Person, body: object): Promise<ApiResponse> =>
    service.call('POST', '/api/v1/data/batch', { token: by.token, body: { operations: [{ operation: 'patch', model: 'user', id: by.id, body }] } })

  for (const [name, attempt] of [
    ['a patch', patch],
    ['a replacement', put],
    ['a batch', batch],
    ['a token of the API', async (by: Person, body: object) => patch(by, body, await apiToken({ role: 'admin', models: ['user'], methods: ['replace'] }))],
  ] as const) {
    it(`by ${name} is refused`, async () => {
      const response = await attempt(admin, { appRole: 'guestUser' })
      assert.match(response.error, /^invalidInput: .*appRole: expected standardUser or premiumUser for an account with an e-mail address, found "guestUser"$/)
      assert.equal((await stored(admin.id))['appRole'], 'standardUser')
    })
  }

  it('cannot be invited either', async () => {
    const body = { email: thiefEmail(), appRole: 'guestUser', dashboardRole: 'none' }
    const response = await service.data('POST', '', { model: 'user' }, { token: admin.token, body })
    assert.match(response.error, /^invalidInput: appRole: expected standardUser or premiumUser/)
  })

  for (const role of ['standard', 'publisher'] as const) {
    it(`and is a ${role} keeps address and rights, whatever its session verifies`, async () => {
      const victim = await newPerson(service, role, admin.token)
      await force(victim.id, { appRole: 'guestUser' })
      const before = await stored(victim.id)
      const response = await take(victim.token)
      assert.deepEqual([response.status, response.at('data.user.dashboardRole')], [200, 'none'])
      assert.notEqual(response.at('data.user.id'), victim.id)
      assert.deepEqual(await stored(victim.id), before)
      assert.equal((await me(victim.token)).status, 200, 'and stays signed in')
    })
  }
})

describe('attack: a guest with rights', () => {
  it('passes none of the dashboard on to an address or an account', async () => {
    const [guest, thief] = [await newPerson(service, 'guest', admin.token), await newPerson(service, 'standard', admin.token)]
    const body = { appRole: 'premiumUser', dashboardRole: 'publisher' }
    assert.equal((await service.data('PATCH', `/${guest.id}`, { model: 'user' }, { token: admin.token, body })).status, 200)
    assert.equal((await take(guest.token)).at('data.user.dashboardRole'), 'none')
    assert.equal((await service.signIn(thief.email, { token: guest.token })).user['dashboardRole'], 'none')
    assert.equal((await stored(guest.id))['email'], guest.email)
  })
})

it('verify-code with the token of a premium guest makes a premium account', async () => {
  const guest = await newPerson(service, 'guest', admin.token)
  const body = { appRole: 'premiumUser' }
  assert.equal((await service.data('PATCH', `/${guest.id}`, { model: 'user' }, { token: admin.token, body })).status, 200)
  const { id, appRole, dashboardRole } = (await take(guest.token)).at('data.user') as Record<string, unknown>
  assert.deepEqual([id, appRole, dashboardRole], [guest.id, 'premiumUser', 'none'])
})

describe('attack: a token that is not the sign-in of a guest', () => {
  it('of the API does not sign in, and leaves the code', async () => {
    const email = thiefEmail()
    const code = await service.codeFor(email)
    for (const limits of [{}, { role: 'admin' }, { role: 'admin', models: ['user'] }]) {
      const response = await verify({ email, code }, { token: await apiToken(limits) })
      assert.match(response.error, /^forbidden: A token of the API may not do this: sign in$/)
    }
    assert.equal((await verify({ email, code })).status, 200)
  })

  it('that another client has of the guest ends when the guest becomes an account', async () => {
    const guest = await service.guest()
    const other = await sessions.issue(guest.id, { label: 'another client', now: service.now() })
    const response = await take(guest.token)
    assert.equal(response.at('data.user.id'), guest.id)
    assert.equal((await me(other)).status, 401)
    assert.equal((await me(String(response.at('data.token')))).status, 200)
  })
})
