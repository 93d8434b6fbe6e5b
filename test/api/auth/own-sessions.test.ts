// also: threads cluster
/** Where a user is signed in, as the user sees and ends it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UserSessions } from '../../../src/models/responses.ts'
import { newPerson, type Role } from '../../support/cast.ts'
import { startSite } from '../../support/service/site.ts'

const PATH = '/api/v1/auth/sessions'
const MINUTE_MS = 60_000

const { service, admin } = await startSite()

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
