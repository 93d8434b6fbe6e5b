// also: threads cluster
/** Refreshing a token: a new one, and the old one is void in the same moment, for users and for guests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newPerson } from '../../support/cast.ts'
import { startService, type ApiResponse } from '../../support/service/service.ts'
import { ONLY_HERE } from '../../support/service/service-process.ts'
import { startSite } from '../../support/service/site.ts'

const { service, admin, standard } = await startSite()

const refresh = (token: string | undefined): Promise<ApiResponse> => service.call('POST', '/api/v1/auth/refresh-token', { token })
const me = async (token: string): Promise<number> => (await service.call('GET', '/api/v1/auth/me', { token })).status
const sessions = async (token: string): Promise<Record<string, unknown>[]> =>
  (await service.call('GET', '/api/v1/auth/sessions', { token })).at('data.items') as Record<string, unknown>[]

/** The claims that a token has. */
function claimsOf(token: string): { iat: number; exp: number; jti: string; sub: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as never
}

describe('a refreshed token', () => {
  it('is a new one of the same user, guests too, and the old one ends', async () => {
    const guest = await service.guest()
    for (const person of [guest, await newPerson(service, 'standard', admin.token), await newPerson(service, 'publisher', admin.token)]) {
      service.advance(60_000)
      const response = await refresh(person.token)
      assert.equal(response.status, 200, response.text)
      const token = String(response.at('data.token'))
      assert.equal(response.at('data.user.id'), person.id)
      assert.deepEqual([await me(token), await me(person.token)], [200, 401])
      assert.equal((await refresh(person.token)).status, 401)
      const [old, fresh] = [claimsOf(person.token), claimsOf(token)]
      assert.deepEqual([fresh.sub, fresh.exp - fresh.iat, fresh.iat], [old.sub, old.exp - old.iat, service.now() / 1000])
      assert.notEqual(fresh.jti, old.jti)
    }
  })

  it('goes on with the session: the list shows one, by the label of before, and the audit trail both', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const [before] = await sessions(person.token)
    const token = String((await refresh(person.token)).at('data.token'))
    const [after, ...others] = await sessions(token)
    assert.deepEqual([after?.['label'], after?.['current'], after?.['id'] === before?.['id'], others], ['a test', true, false, []])
    const query = new URLSearchParams({ filter: JSON.stringify({ actor: person.id }) }).toString()
    const trail = await service.call('GET', `/api/v1/admin/audit?${query}`, { token: admin.token })
    const [record] = trail.at('data.items') as Record<string, unknown>[]
    assert.deepEqual([record?.['event'], record?.['sessionId']], ['sign-in.succeeded', claimsOf(person.token).jti])
    assert.deepEqual(record?.['details'], [{ name: 'how', value: 'refresh' }, { name: 'session', value: claimsOf(token).jti }])
  })

  it('lives no longer than the token of a script that it replaces', async () => {
    const options = { label: 'script', now: service.now(), lifetimeMs: 3_600_000 }
    const short = await service.app.services.sessions.issue(standard.id, options)
    const { iat, exp } = claimsOf(String((await refresh(short)).at('data.token')))
    assert.equal(exp - iat, 3600)
  })
})

describe('attack: a token', () => {
  it('that is none, was signed out, or whose user is gone gives no new one', async () => {
    const [out, gone] = [await newPerson(service, 'standard', admin.token), await newPerson(service, 'standard', admin.token)]
    await service.call('POST', '/api/v1/auth/sign-out', { token: out.token })
    await service.call('DELETE', '/api/v1/auth/delete-account', { token: gone.token })
    for (const token of [undefined, 'x', `${standard.token}x`, out.token, gone.token]) {
      const response = await refresh(token)
      assert.equal(response.status, 401)
      assert.doesNotMatch(response.text, /token":/)
    }
  })

  it('that many refresh at the same time gives one of them a new one', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const all = await Promise.all(Array.from({ length: 10 }, () => refresh(person.token)))
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, ...Array<number>(9).fill(401)])
    const token = String(all.find(({ status }) => status === 200)?.at('data.token'))
    assert.equal((await sessions(token)).length, 1)
  })

  it('that was valid for one run of the program stays so', { skip: ONLY_HERE }, async () => {
    const token = await service.app.services.sessions.issueForRun(admin.id, { label: 'run', now: service.now() })
    assert.equal((await refresh(token)).status, 403)
    assert.equal(await me(token), 200)
  })

  it('is not refreshed without an end: 120 times an hour', async (t) => {
    const limited = await startService(t, { rateLimits: 'on' })
    let { token } = await limited.guest()
    const next = (): Promise<ApiResponse> => limited.call('POST', '/api/v1/auth/refresh-token', { token })
    for (let i = 0; i < 120; i++) token = String((await next()).at('data.token'))
    const refused = await next()
    assert.equal(refused.status, 429)
    assert.ok(refused.headers.has('retry-after'))
    limited.advance(3_600_000)
    assert.equal((await next()).status, 200)
  })
})
