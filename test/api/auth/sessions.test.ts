// also: threads
/** Sessions from their first request to their last, at a sign-out or with the account. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { badTokens } from '../../support/service/bad-tokens.ts'
import { newPerson, ROLES } from '../../support/cast.ts'
import { ADMIN_EMAIL, type ApiResponse, startService, type TestService } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'
import { PREFERENCES } from '../../../scripts/tools/data-bodies.ts'

const { service, cast, admin } = await startSite()
const { verify, me, signOut, deleteAccount } = authCalls(service)
const TOKEN_TTL_MS = 720 * 3_600_000

function assertUnauthorized(response: ApiResponse, why: string): void {
  assert.equal(response.status, 401, `${why}: ${response.text}`)
  assert.equal(response.at('error.code'), 'unauthorized')
  assert.equal(response.headers.get('www-authenticate'), 'Bearer')
}

describe('me', () => {
  for (const role of ROLES) {
    it(`gives a ${role} the own user, as the data endpoint does`, async () => {
      const { id, token, email } = cast[role]
      const data = (await me(token)).at('data') as JsonObject
      assert.deepEqual([data['id'], data['email']], [id, email])
      assert.deepEqual((await service.data('GET', `/${id}`, { model: 'user' }, { token })).at('data'), data)
    })
  }
})

describe('a protected endpoint', () => {
  it('responds with the same 401 without a token and to an invalid one', async (t) => {
    const site = await startService(t)
    const endpoints = authCalls(site)
    const tokens = [{ name: 'that is missing', token: undefined }, ...(await badTokens(site))]
    const texts = new Set<string>()
    for (const { name, token } of tokens) {
      for (const endpoint of ['me', 'signOut', 'deleteAccount'] as const) {
        const response = await endpoints[endpoint](token)
        assertUnauthorized(response, `${endpoint} with a token ${name}`)
        texts.add(response.text)
      }
      for (const [method, target] of [['GET', ''], ['POST', ''], ['GET', '/x'], ['PUT', '/x'], ['DELETE', '/x']] as const) {
        const body = method === 'POST' || method === 'PUT' ? { body: '{' } : {}
        const response = await site.data(method, target, { model: 'nonsense' }, { token, ...body })
        assertUnauthorized(response, `${method} /data${target} with a token ${name}`)
        texts.add(response.text)
      }
    }
    assert.equal(texts.size, 1)
  })

  it('takes the token from the header alone', async () => {
    const { token } = cast.standard
    for (const query of [`access_token=${token}`, `token=${token}`, `authorization=Bearer%20${token}`]) {
      assertUnauthorized(await service.call('GET', `/api/v1/auth/me?${query}`), query)
    }
    assertUnauthorized(await me(undefined, { headers: { cookie: `token=${token}; access_token=${token}` } }), 'cookie')
    const form = { body: `access_token=${token}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    assertUnauthorized(await service.call('POST', '/api/v1/auth/sign-out', form), 'form')
    assert.equal((await me(token)).status, 200)
  })

  const { token } = cast.standard
  const HEADERS: readonly (readonly [string, string, number])[] = [
    ['the scheme in lower case', `bearer ${token}`, 200],
    ['no scheme', token, 401],
    ['another scheme', `Basic ${token}`, 401],
    ['two values', `Bearer ${token}, Bearer ${token}`, 401],
    ['the token cut short', `Bearer ${token.slice(0, -1)}`, 401],
    ['a header beyond all limits', `Bearer ${'a'.repeat(100_000)}`, 431],
  ]
  for (const [name, authorization, status] of HEADERS) {
    it(`responds to an Authorization header with ${name} with ${status}`, async () => {
      const response = await me(undefined, { headers: { authorization } })
      assert.equal(response.status, status, response.text)
      if (status === 200) assert.equal(response.at('data.id'), cast.standard.id)
      else assert.equal(typeof response.at('error.code'), 'string')
    })
  }
})

describe('sign-out', () => {
  it('is 204 without a body, and the token is dead from then on', async () => {
    const { token } = await service.signIn('leaver@example.org')
    const response = await signOut(token)
    assert.deepEqual([response.status, response.text], [204, ''])
    assertUnauthorized(await signOut(token), 'the second time')
    assertUnauthorized(await me(token), 'me')
    assertUnauthorized(await service.data('GET', '', { model: 'topic' }, { token }), 'data')
  })
})

const OWNED = ['user', 'user_app_settings', 'user_content_preferences']

async function statusesOf(site: TestService, id: string, token: string): Promise<number[]> {
  return Promise.all(OWNED.map(async (model) => (await site.data('GET', `/${id}`, { model }, { token })).status))
}

describe('delete-account', () => {
  for (const role of ROLES) {
    it(`of a ${role} is 204 without a body, and user, settings and preferences are gone`, async () => {
      const person = await newPerson(service, role, admin.token)
      assert.deepEqual(await statusesOf(service, person.id, admin.token), [200, 200, 200])
      const response = await deleteAccount(person.token)
      assert.deepEqual([response.status, response.text], [204, ''])
      assert.deepEqual(await statusesOf(service, person.id, admin.token), [404, 404, 404])
      const found = await service.data('GET', '', { model: 'user', filter: { email: person.email } }, { token: admin.token })
      assert.deepEqual(found.at('data.items'), [])
    })
  }

  it('voids the pending code, and the e-mail can sign up again, as another user', async () => {
    const email = 'returning@example.org'
    const before = await service.signIn(email)
    const body = { ...PREFERENCES, id: before.id }
    const model = 'user_content_preferences'
    assert.equal((await service.data('PUT', `/${before.id}`, { model }, { token: before.token, body })).status, 200)
    const code = await service.codeFor(email)
    assert.equal((await deleteAccount(before.token)).status, 204)
    assert.equal((await verify({ email, code })).status, 400)
    const after = await service.signIn(email)
    assert.notEqual(after.id, before.id)
    assert.equal(after.user['appRole'], 'standardUser')
    const preferences = await service.data('GET', `/${after.id}`, { model }, { token: after.token })
    assert.deepEqual(preferences.at('data.followedTopics'), [])
    assert.equal((await me(before.token)).status, 401)
  })

  it('lets the last administrator go, who is made again at the next start', async (t) => {
    const first = await startService(t)
    const { id, token } = await first.admin()
    assert.equal((await authCalls(first).deleteAccount(token)).status, 204)
    assert.equal((await authCalls(first).requestCode({ email: ADMIN_EMAIL, isDashboardLogin: true })).status, 401)
    await first.stop()
    const second = await startService(t, {}, { directory: first.directory, start: first.now() + 1000 })
    const again = await second.admin()
    assert.notEqual(again.id, id)
    assert.equal((await authCalls(second).me(token)).status, 401)
  })
})

describe('a token', () => {
  it('holds for 720 hours and not a millisecond longer', async () => {
    const { token } = await service.guest()
    service.advance(TOKEN_TTL_MS - 1)
    assert.equal((await me(token)).status, 200)
    service.advance(1)
    assertUnauthorized(await me(token), 'expired')
  })
})
