// also: threads
/**
 * Attacks that give an account the address of another person. An account whose role said guest got any address that its
 * token verified a code for, with its rights: so did an administrator's, by a token of the API that may only replace users.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { OPERATOR } from '../../../src/store/actor.ts'
import { newPerson, type Person } from '../../support/cast.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import type { ApiResponse } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'

const { service, admin, apiToken } = await startSite()
const { verify, me } = authCalls(service)
const { store, sessions } = service.app.services

let addresses = 0
const newEmail = (): string => `thief-${++addresses}@example.org`

async function stored(id: string): Promise<JsonObject> {
  return (await service.data('GET', `/${id}`, { model: 'user' }, { token: admin.token })).at('data') as JsonObject
}

/** Stores roles past every check, as an earlier release let an administrator do. */
async function force(id: string, roles: object): Promise<void> {
  assert.notEqual(await store.as(OPERATOR).updateUser(id, (before) => ({ ...before, ...roles })), 'missing')
}

/** A code for an address of the thief, with the token of another person. */
async function take(token: string): Promise<ApiResponse> {
  const email = newEmail()
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
    const body = { email: newEmail(), appRole: 'guestUser', dashboardRole: 'none' }
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
    const email = newEmail()
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
