/** Sign-in by a trusted proxy, and by a code that an administrator makes; with attacks on both. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../../src/config/read-config.ts'
import type { SettingName } from '../../../src/config/settings.ts'
import { newCast } from '../../support/cast.ts'
import { startService, type ApiResponse, type TestService } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'

const HEADER = { authHeader: 'X-Auth-Email' }
const { service, cast, apiToken } = await startSite({ ...HEADER, trustedProxies: '127.0.0.1' })

const signIn = (headers: Readonly<Record<string, string>>, at: TestService = service): Promise<ApiResponse> =>
  at.call('POST', '/api/v1/auth/proxy', { headers })

describe('sign-in by a proxy', () => {
  it('makes an account, finds it again, and gives the roles that are stored', async () => {
    const first = await signIn({ 'x-auth-email': 'Reader@Example.org' })
    assert.deepEqual([first.status, first.at('data.user.email'), first.at('data.user.dashboardRole')], [200, 'reader@example.org', 'none'])
    const again = await signIn({ 'x-auth-email': 'reader@example.org', 'user-agent': 'an app' })
    assert.equal(again.at('data.user.id'), first.at('data.user.id'))
    const boss = await signIn({ 'x-auth-email': cast.admin.email })
    assert.deepEqual([boss.at('data.user.id'), boss.at('data.user.dashboardRole')], [cast.admin.id, 'admin'])
    const token = String(boss.at('data.token'))
    assert.equal((await service.call('GET', '/api/v1/admin/status', { token })).status, 200)
    const filter = encodeURIComponent(JSON.stringify({ event: 'sign-in.succeeded', 'details.value': 'proxy' }))
    const trail = await service.call('GET', `/api/v1/admin/audit?filter=${filter}`, { token })
    assert.deepEqual([trail.at('data.items[0].actor'), trail.at('data.items[0].clientAddress')], [cast.admin.id, '127.0.0.1'])
  })

  it('is refused without the header, and with what is no address of a person', async () => {
    const wrong = ['', 'reader', 'a@b.example, c@d.example', 'administrator@local.invalid', cast.guest.email]
    for (const headers of [{}, ...wrong.map((email) => ({ 'x-auth-email': email }))]) {
      const response = await signIn(headers)
      assert.deepEqual([response.status, response.at('error.code')], [401, 'unauthorized'], JSON.stringify(headers))
    }
  })

  it('attack: a client that is no trusted proxy names a user, and a proxy', async (t) => {
    const other = await startService(t, { ...HEADER, trustedProxies: '192.0.2.1' })
    const { email, token } = await newCast(other).then(({ admin }) => admin)
    for (const more of [{}, { 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }]) {
      const response = await signIn({ 'x-auth-email': email, ...more }, other)
      assert.deepEqual([response.status, response.at('error.code')], [401, 'unauthorized'])
    }
    const me = await other.call('GET', '/api/v1/auth/me', { headers: { 'x-auth-email': email } })
    assert.equal(me.status, 401)
    const filter = encodeURIComponent(JSON.stringify({ event: 'sign-in.failed', 'details.value': 'proxy untrusted' }))
    const trail = await other.call('GET', `/api/v1/admin/audit?filter=${filter}`, { token })
    const records = trail.at('data.items') as { readonly actor: string; readonly clientAddress: string }[]
    assert.deepEqual(records.map(({ actor, clientAddress }) => [actor, clientAddress]), Array(3).fill(['', '127.0.0.1']))
    assert.ok(!trail.text.includes(email))
    const told = (await other.logged()).filter((line) => line.includes('"event":"proxy.untrusted"'))
    assert.equal(told.length, 1, 'the operator learns of it once')
  })

  it('attack: the header counts where the service has none set', async (t) => {
    const other = await startService(t, { trustedProxies: '127.0.0.1' })
    assert.equal((await signIn({ 'x-auth-email': 'admin@example.org' }, other)).status, 403)
  })

  it('attack: a page of another origin lets the browser of a user sign in', async () => {
    const response = await signIn({ 'x-auth-email': cast.admin.email, origin: 'https://evil.example' })
    assert.equal(response.status, 403)
    // Of an origin that may read responses: the browser adds the cookie of the proxy to its requests too.
    const origin = 'http://localhost:5555'
    const crossSite = await signIn({ 'x-auth-email': cast.admin.email, origin, 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([crossSite.status, crossSite.at('data')], [403, undefined])
    const sameSite = await signIn({ 'x-auth-email': cast.admin.email, origin, 'sec-fetch-site': 'same-site' })
    assert.equal(sameSite.status, 200)
  })

  it('wants a proxy that can be told from a client, and a header of its own', () => {
    const read = (...flags: [SettingName, string][]) => () => readConfig(new Map(flags), {})
    assert.throws(read(['authHeader', 'X-User']), /Cannot use --auth-header alone: name the proxy in --trusted-proxies/)
    // As oauth2-proxy names it.
    assert.equal(read(['authHeader', 'X-Forwarded-Email'], ['trustedProxies', '10.0.0.1'])().authHeader, 'x-forwarded-email')
    for (const name of ['Authorization', 'x-forwarded-for', 'Cookie', 'a b', 'x:y', ''])
      assert.throws(read(['authHeader', name], ['trustedProxies', '10.0.0.1']), /expected the name of a header of its own/, name)
  })
})

describe('a code that an administrator makes for a person', () => {
  const codeOf = (id: string, token?: string): Promise<ApiResponse> => service.call('POST', `/api/v1/admin/users/${id}/code`, { token })

  it('signs in once, also while mail does not work', async () => {
    const made = await codeOf(cast.standard.id, cast.admin.token)
    assert.deepEqual([made.status, made.at('data.email')], [201, cast.standard.email])
    const body = { email: cast.standard.email, code: made.at('data.code') }
    const signedIn = await service.call('POST', '/api/v1/auth/verify-code', { body })
    assert.equal(signedIn.at('data.user.id'), cast.standard.id)
    assert.equal((await service.call('POST', '/api/v1/auth/verify-code', { body })).status, 400)
  })

  it('is made by no token of the API, and for no guest', async () => {
    assert.equal((await codeOf(cast.admin.id, await apiToken({ role: 'admin' }))).status, 403)
    assert.equal((await codeOf(cast.guest.id, cast.admin.token)).status, 409)
  })
})
