// also: threads cluster
/**
 * Requests that come at the same time. Each race is run several times, and its requests are sent together, so that
 * their reads of the store can fall between each other's writes.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { authCalls } from '../../support/service/auth-calls.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'
import { copies, PREFERENCES, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Signed } from '../../support/service/service.ts'
import { startSuiteService } from '../../support/service/suite-service.ts'

const service = await startSuiteService()
const { verify, me, deleteAccount } = authCalls(service)
const admin = await service.admin()
const ROUNDS = longRun(2, 5)

let addresses = 0
const newEmail = (): string => `racer-${++addresses}@example.org`
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

async function usersNamed(email: string): Promise<readonly Record<string, unknown>[]> {
  const found = await service.data('GET', '', { model: 'user', filter: { email } }, { token: admin.token })
  return found.at('data.items') as Record<string, unknown>[]
}

function statuses(responses: readonly ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Signs a guest in to both addresses at the same time, whose token is void then. */
async function signInAtOnce(emails: readonly string[], guest: Signed): Promise<readonly ApiResponse[]> {
  const codes: string[] = []
  for (const email of emails) codes.push(await service.codeFor(email))
  const responses = await Promise.all(emails.map((email, i) => verify({ email, code: codes[i] }, { token: guest.token })))
  assert.deepEqual(statuses(responses), { 200: 2 })
  assert.equal((await me(guest.token)).status, 401)
  return responses
}

/** Every user has its settings and its preferences, and every document has an owner. */
async function assertWhole(): Promise<void> {
  const ids = async (model: string): Promise<string[]> => {
    const found: string[] = []
    for (let cursor: unknown = ''; cursor !== null;) {
      const page = await service.data('GET', '', { model, limit: 100, ...(cursor === '' ? {} : { cursor }) }, { token: admin.token })
      found.push(...(page.at('data.items') as { id: string }[]).map(({ id }) => id))
      cursor = page.at('data.cursor')
    }
    return found.sort()
  }
  const users = await ids('user')
  assert.ok(users.length > 1)
  assert.deepEqual(await ids('user_app_settings'), users)
  assert.deepEqual(await ids('user_content_preferences'), users)
}

describe('the right code, sent', () => {
  for (const count of [2, 20]) {
    it(`by ${count} at once, is good for exactly one`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const email = newEmail()
        const code = await service.codeFor(email)
        assert.deepEqual(statuses(await Promise.all(times(count, () => verify({ email, code })))), { 200: 1, 400: count - 1 })
        assert.equal((await usersNamed(email)).length, 1)
      }
      await assertWhole()
    })
  }
})

describe('guests who convert at once', () => {
  it('to one address: one sign-in wins, and there is one user', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const email = newEmail()
      const guests = await Promise.all(times(4, () => service.guest()))
      const code = await service.codeFor(email)
      const responses = await Promise.all(guests.map(({ token }) => verify({ email, code }, { token })))
      assert.deepEqual(statuses(responses), { 200: 1, 400: 3 })
      const [user, ...more] = await usersNamed(email)
      assert.deepEqual([more, user?.['appRole']], [[], 'standardUser'])
      const winner = responses.findIndex(({ status }) => status === 200)
      assert.equal(user?.['id'], guests[winner]?.id)
      for (const [i, { token }] of guests.entries()) {
        assert.equal((await me(token)).status, i === winner ? 401 : 200, 'only the token of the winner is revoked')
      }
    }
    await assertWhole()
  })

  it('with one token to two addresses: one converts, the other is a user of its own', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const guest = await service.guest()
      const emails = [newEmail(), newEmail()]
      const responses = await signInAtOnce(emails, guest)
      const ids = responses.map((response) => response.at('data.user.id'))
      assert.deepEqual([new Set(ids).size, ids.includes(guest.id)], [2, true])
      for (const [i, email] of emails.entries()) assert.deepEqual((await usersNamed(email)).map(({ id }) => id), [ids[i]])
      for (const response of responses) assert.equal((await me(String(response.at('data.token')))).status, 200)
    }
    await assertWhole()
  })

  it('with one token to two accounts that exist: the preferences go to one of them', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const accounts: Signed[] = [await service.signIn(newEmail()), await service.signIn(newEmail())]
      const guest = await service.guest()
      const body = { ...PREFERENCES, id: guest.id, followedTopics: copies(TOPIC, 2) }
      const model = 'user_content_preferences'
      assert.equal((await service.data('PUT', `/${guest.id}`, { model }, { token: guest.token, body })).status, 200)
      const responses = await signInAtOnce(accounts.map(({ user }) => String(user['email'])), guest)
      assert.deepEqual(responses.map((response) => response.at('data.user.id')), accounts.map(({ id }) => id))
      const counts: unknown[] = []
      for (const { id } of accounts) {
        const preferences = await service.data('GET', `/${id}`, { model }, { token: admin.token })
        counts.push((preferences.at('data.followedTopics') as unknown[]).length)
      }
      assert.deepEqual(counts.sort(), [0, 2])
    }
    await assertWhole()
  })

  it('while the guest deletes the account: the address gets a user, old or new, that is whole', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const guest = await service.guest()
      const email = newEmail()
      const code = await service.codeFor(email)
      const [verified, deleted] = await Promise.all([verify({ email, code }, { token: guest.token }), deleteAccount(guest.token)])
      assert.equal(verified.status, 200)
      assert.ok([204, 401].includes(deleted.status))
      assert.equal((await me(guest.token)).status, 401)
    }
    await assertWhole()
  })
})

describe('at the same time', () => {
  it('an invitation and a sign-up of one address make one user', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const email = newEmail()
      const code = await service.codeFor(email)
      const invite = (): Promise<ApiResponse> =>
        service.data('POST', '', { model: 'user' }, { token: admin.token, body: { email } })
      const responses = await Promise.all([invite(), verify({ email, code }), invite()])
      assert.equal(responses[1]?.status, 200)
      assert.ok(responses.filter(({ status }) => status === 201).length <= 1)
      const [user, ...more] = await usersNamed(email)
      assert.deepEqual([more, user?.['id']], [[], responses[1]?.at('data.user.id')])
    }
    await assertWhole()
  })

  it('deletions of one account are 204 or 401, and the account is gone', async () => {
    const email = newEmail()
    const { token } = await service.signIn(email)
    const responses = await Promise.all(times(6, () => deleteAccount(token)))
    for (const { status } of responses) assert.ok([204, 401].includes(status))
    assert.ok(responses.some(({ status }) => status === 204))
    assert.deepEqual(await usersNamed(email), [])
    await assertWhole()
  })
})
