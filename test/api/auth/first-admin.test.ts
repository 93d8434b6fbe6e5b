// also: executable
/** The administrator that the setting names exists after every start, and no other user is changed by it. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { readConfig } from '../../../src/config/read-config.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { newPerson } from '../../support/cast.ts'
import { OPERATOR } from '../../../src/store/actor.ts'
import { ONLY_HERE } from '../../support/service/service-process.ts'
import { ADMIN_EMAIL, startService, type TestService, type TestSettings } from '../../support/service/service.ts'

async function restart(t: TestContext, service: TestService, settings: TestSettings = {}): Promise<TestService> {
  await service.stop()
  return startService(t, settings, { directory: service.directory, start: service.now() + 60_000 })
}

async function users(service: TestService, token: string): Promise<readonly Record<string, unknown>[]> {
  return (await service.data('GET', '', { model: 'user', limit: 100 }, { token })).at('data.items') as Record<
    string,
    unknown
  >[]
}

describe('the first administrator', () => {
  it('is promoted where the address has a user, who keeps everything else', async (t) => {
    const first = await startService(t)
    const [boss, reader] = [await first.admin(), await first.signIn('reader@example.org')]
    const second = await restart(t, first, { adminEmail: 'Reader@Example.org' })
    const data = (await authCalls(second).me(reader.token)).at('data')
    const updatedAt = new Date(second.now()).toISOString()
    assert.deepEqual(data, { ...reader.user, dashboardRole: 'admin', updatedAt })
    assert.equal((await second.signIn('reader@example.org', { dashboard: true })).id, reader.id)
    assert.equal((await authCalls(second).me(boss.token)).at('data.dashboardRole'), 'admin', 'as the one before')
  })

  it('is made an administrator again after the role was taken away', async (t) => {
    const first = await startService(t)
    const { id, token, user } = await first.admin()
    const other = await newPerson(first, 'admin', token)
    const body = { ...user, dashboardRole: 'none' }
    assert.equal((await first.data('PUT', `/${id}`, { model: 'user' }, { token: other.token, body })).status, 200)
    assert.equal((await authCalls(first).requestCode({ email: ADMIN_EMAIL, isDashboardLogin: true })).status, 403)
    const second = await restart(t, first)
    assert.equal((await second.admin()).id, id)
  })
})

describe('attack: the address of the first set-up', { skip: ONLY_HERE }, () => {
  const open = (t: TestContext): Promise<TestService> =>
    startService(t, { adminEmail: undefined, trustedProxies: '127.0.0.1' } as unknown as TestSettings, { pageAssets: [] })
  const tokenOf = async ({ app }: TestService): Promise<string> => (await app.setupUrl?.())?.split('#setup=')[1] ?? ''
  const use = (service: TestService, token: unknown, headers = {}) =>
    service.call('POST', '/api/v1/auth/setup', { body: { token, email: 'evil@example.org' }, headers })
  const failures = async (service: TestService, token: string): Promise<unknown> => {
    const filter = encodeURIComponent(JSON.stringify({ event: 'sign-in.failed' }))
    const trail = await service.call('GET', `/api/v1/admin/audit?sort=id:asc&filter=${filter}`, { token })
    const items = trail.at('data.items') as { readonly clientAddress: string; readonly details: readonly { readonly value: string }[] }[]
    return items.map(({ clientAddress, details }) => [clientAddress, details[0]?.value])
  }

  it('is guessed, used over a proxy for a page of another site, and used again', async (t) => {
    const service = await open(t)
    const token = await tokenOf(service)
    const proxied = { 'x-forwarded-for': '203.0.113.9' }
    assert.equal((await use(service, 'A'.repeat(43), proxied)).status, 401)
    assert.equal((await use(service, token, { ...proxied, origin: 'https://evil.example' })).status, 403)
    const made = await use(service, token, proxied)
    assert.deepEqual([made.status, made.at('data.user.dashboardRole')], [200, 'admin'])
    const used = await use(service, token, proxied)
    assert.equal(used.error, 'unauthorized: This set-up address no longer works, because there is an administrator: sign in, or ask an administrator to add you')
    assert.equal(await service.app.setupUrl?.(), undefined)
    assert.deepEqual(await failures(service, String(made.at('data.token'))), [['203.0.113.9', 'setup token'], ['203.0.113.9', 'setup token']])
    assert.ok(!(await service.logged()).join('\n').includes(token))
  })

  it('is used after its hour, after a new one was printed, and when there is an administrator', async (t) => {
    const service = await open(t)
    const first = await tokenOf(service)
    const second = await tokenOf(service)
    const remedy = /: restart the service in a terminal or with --print-setup for a new one, or run "dateline admin --email ADDRESS --code" and sign in with the code$/
    const stale = await use(service, first)
    assert.match(stale.error, /^unauthorized: This is not the set-up address that the service printed last: /)
    service.advance(60 * 60_000)
    const late = await use(service, second)
    assert.match(late.error, /^unauthorized: This set-up address is older than an hour: /)
    for (const { error } of [stale, late]) assert.match(error, remedy)
    const third = await tokenOf(service)
    // As `dateline admin` beside the service.
    await service.app.services.accounts.ensureAdmin('boss@example.org', service.now(), OPERATOR)
    const beaten = await use(service, third)
    assert.deepEqual([beaten.status, beaten.at('error.code')], [403, 'forbidden'])
    const { token } = await service.signIn('boss@example.org', { dashboard: true })
    const told = ['setup token', 'setup token', 'setup'].map((value) => ['127.0.0.1', value])
    assert.deepEqual(await failures(service, token), told)
    assert.deepEqual((await users(service, token)).map(({ email }) => email), ['boss@example.org'])
  })
})

describe('a reserved e-mail address', () => {
  const STAND_INS = [
    '66f000000000000000000601@anonymous.invalid',
    'X@Anonymous.INVALID',
    'x@sub.anonymous.invalid',
    'X@A.Sub.Anonymous.INVALID',
    'administrator@local.invalid',
  ]

  it('cannot be that of the administrator, whichever way it is set', () => {
    for (const address of STAND_INS) {
      const wanted = /expected an e-mail address that receives mail/
      assert.throws(() => readConfig(new Map([['adminEmail', address]]), {}), wanted, address)
      assert.throws(() => readConfig(new Map(), { DATELINE_ADMIN_EMAIL: address }), wanted, address)
      assert.throws(() => readConfig(new Map(), { OVERRIDE_ADMIN_EMAIL: address }), wanted, address)
    }
  })
})
