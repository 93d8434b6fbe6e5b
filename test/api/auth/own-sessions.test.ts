// also: threads cluster
/** Where a user is signed in, as the user and administrators see and end it; and tokens that are refreshed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newPerson, type Role } from '../../support/cast.ts'
import { startSite } from '../../support/service/site.ts'
import type { UserSessions } from '../../../src/models/responses.ts'
import { SYSTEM } from '../../../src/store/actor.ts'
import { type ApiResponse, startService } from '../../support/service/service.ts'
import { ONLY_HERE } from '../../support/service/service-process.ts'

const { service, admin, standard } = await startSite()
const PATH = '/api/v1/auth/sessions'
const MINUTE_MS = 60_000

const list = async (token: string): Promise<UserSessions['items']> => {
  const response = await service.call('GET', PATH, { token })
  assert.equal(response.status, 200, response.text)
  return response.at('data.items') as UserSessions['items']
}
const end = async (token: string, id: string) => service.call('DELETE', `${PATH}/${encodeURIComponent(id)}`, { token })
const statusOf = async (token: string): Promise<number> => (await service.call('GET', '/api/v1/auth/me', { token })).status
const signIn = (id: string, label = 'another device'): Promise<string> =>
  service.app.services.sessions.issue(id, { label, now: service.now() })

describe('the own sessions', () => {
  it('come newest first, with a readable name of the client', async () => {
    const { id, token } = await newPerson(service, 'standard', admin.token)
    service.advance(1_000)
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
    await signIn(id, agent)
    const [newest, oldest] = await list(token)
    assert.deepEqual([newest?.client, newest?.label, newest?.current], ['Firefox on Windows', agent, false])
    assert.deepEqual([oldest?.client, oldest?.current], ['a test', true])
  })

  it('tell when each was last used, to within five minutes, and administrators see the same', async () => {
    const { id, token } = await service.signIn('two.devices@example.org')
    const { token: other } = await service.signIn('two.devices@example.org')
    const began = service.now()
    service.advance(4 * MINUTE_MS)
    await statusOf(other)
    const lastUse = async (): Promise<readonly number[]> => {
      const seen = (await list(token)).map(({ lastUsedAt }) => Date.parse(lastUsedAt) - began)
      return seen.toSorted((a, b) => a - b)
    }
    assert.deepEqual(await lastUse(), [0, 0], 'not yet stored')
    service.advance(2 * MINUTE_MS)
    await statusOf(other)
    await list(token)
    // Writes are committed in their order: earlier writes are stored when this response arrives.
    assert.equal((await end(token, 'f'.repeat(24))).status, 404)
    assert.deepEqual(await lastUse(), [6 * MINUTE_MS, 6 * MINUTE_MS])
    const mine = await list(token)
    const theirs = await service.call('GET', `/api/v1/admin/users/${id}/sessions`, { token: admin.token })
    const withoutCurrent = (items: UserSessions['items']) => items.map((item) => ({ ...item, current: false }))
    assert.deepEqual(withoutCurrent(theirs.at('data.items') as UserSessions['items']), withoutCurrent(mine))
  })

  it('end all but the session of the request', async () => {
    const { id, token } = await newPerson(service, 'publisher', admin.token)
    const others = [await signIn(id), await signIn(id)]
    const response = await service.call('DELETE', PATH, { token })
    assert.deepEqual([response.status, response.at('data')], [200, { ended: 2 }])
    for (const other of others) assert.equal(await statusOf(other), 401)
    assert.equal(await statusOf(token), 200)
    assert.deepEqual((await list(token)).map(({ current }) => current), [true])
    assert.deepEqual((await service.call('DELETE', PATH, { token })).at('data'), { ended: 0 })
  })
})

it('attack: ending all but one ends tokens that no row lists as well, such as those from behind a restored backup', async () => {
  const { id, token } = await newPerson(service, 'standard', admin.token)
  const { sessions } = service.app.services
  const unlisted = (label: string): string => sessions.token(id, sessions.open({ label, now: service.now() }))
  const [stolen, own] = [unlisted('of a thief'), unlisted('of the owner')]
  service.advance(1_000)
  assert.deepEqual([await statusOf(stolen), (await list(token)).length], [200, 1])
  assert.deepEqual((await service.call('DELETE', PATH, { token: own })).at('data'), { ended: 1 })
  assert.deepEqual([await statusOf(stolen), await statusOf(token), await statusOf(own)], [401, 401, 200])
  assert.deepEqual((await list(own)).map(({ current }) => current), [true])
})

describe('attack: the sessions of others', () => {
  for (const role of ['guest', 'standard', 'publisher', 'admin'] as const satisfies readonly Role[]) {
    it(`are as unknown to a ${role} as those that never were`, async () => {
      const attacker = await newPerson(service, role, admin.token)
      const victim = await newPerson(service, 'standard', admin.token)
      const [theirs] = await list(victim.token)
      const found = await end(attacker.token, theirs?.id ?? '')
      const never = await end(attacker.token, 'f'.repeat(24))
      assert.deepEqual([found.status, never.status], [404, 404])
      const [told, toldNever] = [found, never].map((response) => String(response.at('error.message')))
      assert.equal(told?.replace(theirs?.id ?? '', 'f'.repeat(24)), toldNever)
      await service.call('DELETE', PATH, { token: attacker.token })
      assert.equal(await statusOf(victim.token), 200)
      assert.ok((await list(attacker.token)).every(({ id }) => id !== theirs?.id))
      // Another user in the query or the body changes nothing.
      const asOther = await service.call('GET', `${PATH}?userId=${victim.id}&id=${victim.id}`, { token: attacker.token })
      assert.deepEqual(asOther.at('data.items'), await list(attacker.token))
    })
  }

  it('are not ended by ids of odd characters', async () => {
    const { token } = await newPerson(service, 'guest', admin.token)
    for (const id of [
      ...['%00', '%', '%25', '_', '*', '..%2f..', '%2e%2e', "'%20OR%201=1--", '%F0%9F%92%A9', '%F0%9F', '%E2%80%AE'],
      ...['a'.repeat(2_000), 'null', 'undefined', '__proto__', '%0d%0aX-Evil:1', '{"$ne":null}', '%20', '-1'],
    ]) {
      const response = await service.call('DELETE', `${PATH}/${id}`, { token })
      assert.ok([400, 404].includes(response.status), `${id}: ${response.status}`)
      assert.ok(response.text.length < 1_000, id)
    }
    assert.equal(await statusOf(token), 200)
    assert.equal(await statusOf(admin.token), 200)
  })
})

it('attack: a hostile User-Agent of 60 KB is shortened and cleaned', async () => {
  const agent = `Mozilla/5.0 (X11; Linux x86_64) ${'x'.repeat(60_000)}`
  const response = await service.call('POST', '/api/v1/auth/anonymous', { headers: { 'user-agent': agent } })
  const [item] = await list(String(response.at('data.token')))
  assert.equal(item?.client, 'Browser on Linux')
  assert.ok([...item.label].length <= 200)
  assert.doesNotMatch(`${item.client}${item.label}`, /[\p{C}\t\n]/u)
})
const pathOf = (id: string, session = ''): string =>
  `/api/v1/admin/users/${id}/sessions${session === '' ? '' : `/${encodeURIComponent(session)}`}`
const itemsOf = (response: ApiResponse): UserSessions['items'] => response.at('data.items') as UserSessions['items']
const listOf = async (id: string): Promise<UserSessions['items']> => {
  const response = await service.call('GET', pathOf(id), { token: admin.token })
  assert.equal(response.status, 200, response.text)
  return itemsOf(response)
}
describe('the sessions of a user', () => {
  it('end one by one: the others hold', async () => {
    const reader = await newPerson(service, 'standard', admin.token)
    const other = await service.app.services.sessions.issue(reader.id, { label: 'other', now: service.now() })
    const one = (await listOf(reader.id)).find(({ label }) => label === 'other')
    const response = await service.call('DELETE', pathOf(reader.id, one?.id ?? ''), { token: admin.token })
    assert.equal(response.status, 204)
    assert.deepEqual([await statusOf(other), await statusOf(reader.token)], [401, 200])
    assert.equal((await listOf(reader.id)).length, 1)
    assert.equal((await service.call('DELETE', pathOf(reader.id, one?.id ?? ''), { token: admin.token })).status, 404)
  })

  it('attack: the session of one user is not ended under the name of another', async () => {
    const [reader, stranger] = [await newPerson(service, 'standard', admin.token), await newPerson(service, 'guest', admin.token)]
    const [mine] = await listOf(reader.id)
    const response = await service.call('DELETE', pathOf(stranger.id, mine?.id ?? ''), { token: admin.token })
    assert.equal(response.status, 404)
    assert.equal(await statusOf(reader.token), 200)
  })

  it('are a 404 where there is no such user', async () => {
    const gone = await newPerson(service, 'standard', admin.token)
    await service.call('DELETE', '/api/v1/auth/delete-account', { token: gone.token })
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await service.call(method, pathOf(gone.id), { token: admin.token })).status, 404)
    }
    assert.equal(await service.app.services.store.as(SYSTEM).endSessions(gone.id, service.now()), 0)
  })
})
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
