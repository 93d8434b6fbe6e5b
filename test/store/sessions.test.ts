import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { guestEmail } from '../../src/models/guest.ts'
import { LANGUAGE } from '../../scripts/tools/data-bodies.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import { SESSIONS_MAX, type SessionRecord } from '../../src/store/accounts/session-table.ts'

const NOW = 1_700_000_000_400
const SECOND = 1_700_000_000

const session = (jti: string, createdAt = NOW): SessionRecord => ({
  jti,
  label: `device of ${jti}`,
  createdAt,
  expiresAt: createdAt + 60_000,
})

async function site(t: Cleanup) {
  const { store } = testStore(t)
  for (const id of ['ann', 'bob']) {
    const email = `${id}@example.org`
    const account = newAccount({ id, email, appRole: 'standardUser', dashboardRole: 'none', now: 0, language: LANGUAGE })
    assert.equal(await store.createAccount(account, session(`${id}-first`, NOW - 5_000)), 'inserted')
  }
  const holds = async (userId: string, jti: string, iat = SECOND): Promise<boolean> =>
    store.accounts.caller({ userId, jti, iat, expiresAt: NOW + 60_000 }) !== undefined
  const listed = async (userId: string, now = NOW): Promise<string[]> =>
    store.accounts.sessionsOf(userId, now).map(({ jti }) => jti)
  return { store, holds, listed }
}

it('sessions are listed newest first until they expire, and are purged later', async (t) => {
  const { store, listed } = await site(t)
  assert.equal(await store.addSession('ann', session('ann-second')), 'added')
  assert.deepEqual(store.accounts.sessionsOf('ann', NOW), [
    { ...session('ann-second'), usedAt: NOW },
    { ...session('ann-first', NOW - 5_000), usedAt: NOW - 5_000 },
  ])
  assert.deepEqual(await listed('ann', NOW + 56_000), ['ann-second'])
  await store.addSession('bob', session('late', NOW + 70_000))
  assert.deepEqual(await listed('ann', 0), [])
})

it('attack: a user signs in again and again; past a thousand sessions, the one that was used longest ago ends', async (t) => {
  const { store, holds, listed } = await site(t)
  const begin = (n: number) => store.addSession('ann', session(`ann-${n}`, NOW - 1_000 + n))
  for (let n = 2; n <= SESSIONS_MAX; n++) await begin(n)
  await store.useSession('ann-first', NOW + 1_000)
  const last = { jti: `ann-${SESSIONS_MAX}`, iat: SECOND, expiresAt: NOW + 60_000 }
  assert.equal(await store.replaceSession('ann', last, session('ann-renewed')), 'added')
  const all = await listed('ann')
  assert.deepEqual([all.length, all.includes('ann-2')], [SESSIONS_MAX, true], 'a renewed one takes the place of its own')
  await begin(SESSIONS_MAX + 1)
  const left = await listed('ann')
  assert.equal(left.length, SESSIONS_MAX)
  assert.deepEqual([await holds('ann', 'ann-first', SECOND - 5), left.includes('ann-first')], [true, true], 'the oldest is in use')
  assert.deepEqual([await holds('ann', 'ann-2', SECOND - 1), left.includes('ann-2')], [false, false])
  assert.equal(await holds('ann', `ann-${SESSIONS_MAX + 1}`), true)
  assert.equal(await holds('bob', 'bob-first', SECOND - 5), true)
})

it('a session without a user is not kept', async (t) => {
  const { store, listed } = await site(t)
  assert.equal(await store.addSession('carl', session('carl-first')), 'missing')
  assert.deepEqual(await listed('carl'), [])
})

it('one session is ended by its own user only', async (t) => {
  const { store, holds, listed } = await site(t)
  assert.equal(await store.endSession('bob', 'ann-first', NOW), false)
  assert.equal(await holds('ann', 'ann-first'), true)
  assert.equal(await store.endSession('ann', 'ann-first', NOW), true)
  assert.deepEqual([await holds('ann', 'ann-first'), await listed('ann')], [false, []])
  assert.equal(await holds('bob', 'bob-first'), true)
})

it('ending all sessions refuses listed tokens, and unlisted ones of an earlier second, and none of others', async (t) => {
  const { store, holds } = await site(t)
  await store.addSession('ann', session('same-second'))
  assert.equal(await store.endSessions('ann', NOW), 2)
  assert.equal(await holds('ann', 'same-second'), false)
  assert.equal(await holds('ann', 'elsewhere', SECOND - 1), false)
  assert.equal(await holds('ann', 'elsewhere-now'), true)
  await store.addSession('ann', session('after', NOW + 1))
  assert.equal(await holds('ann', 'after'), true)
  assert.equal(await holds('bob', 'bob-first', SECOND - 5), true)
})

it('sessions go with their user', async (t) => {
  const { store, holds, listed } = await site(t)
  await store.endSessions('ann', NOW)
  await store.addSession('ann', session('ann-second'))
  assert.equal(await store.deleteAccount({ id: 'ann', now: NOW, keepLastAdmin: false }), 'deleted')
  assert.deepEqual([await listed('ann'), await holds('ann', 'ann-second')], [[], false])
})

it('a session keeps when it was last used, and a clock that is set back changes nothing', async (t) => {
  const { store } = await site(t)
  const usedAt = async (): Promise<unknown> => store.accounts.sessionsOf('ann', NOW).map((one) => one.usedAt)
  await store.useSession('ann-first', NOW + 10)
  assert.deepEqual(await usedAt(), [NOW + 10])
  await store.useSession('ann-first', NOW)
  await store.useSession('none', NOW + 20)
  assert.deepEqual(await usedAt(), [NOW + 10])
})

it('all sessions of a user but one are ended, and no other user’s', async (t) => {
  const { store, holds, listed } = await site(t)
  await store.addSession('ann', session('ann-second'))
  await store.addSession('ann', session('ann-third'))
  assert.equal(await store.endOtherSessions('ann', session('ann-second'), NOW), 2)
  assert.deepEqual(await listed('ann'), ['ann-second'])
  assert.deepEqual([await holds('ann', 'ann-first'), await holds('ann', 'ann-third')], [false, false])
  assert.deepEqual([await holds('ann', 'ann-second'), await holds('bob', 'bob-first')], [true, true])
})

for (const end of ['endOtherSessions', 'endSessions'] as const) {
  it(`${end}() counts the sessions that had not expired`, async (t) => {
    // Expired sessions stay in the table until they are purged, and were counted as ended.
    const { store, listed } = await site(t)
    await store.addSession('ann', session('ann-second', NOW - 1_000))
    await store.addSession('ann', session('ann-third', NOW + 10_000))
    const later = NOW + 57_000
    const ended = end === 'endSessions' ? store.endSessions('ann', later) : store.endOtherSessions('ann', session('ann-fourth', later), later)
    assert.equal(await ended, 2)
    assert.deepEqual(await listed('ann', NOW), end === 'endSessions' ? [] : ['ann-fourth'])
  })
}

it('attack: a sign-out of a time to come ends no session that begins after it was found', async (t) => {
  const { store, holds } = await site(t)
  await store.endSessions('ann', NOW + 3_600_000)
  assert.equal(await holds('ann', 'unlisted'), false)
  await store.addSession('ann', session('fresh'))
  assert.equal(await holds('ann', 'fresh'), true)
  assert.equal(await holds('ann', 'ann-first', SECOND - 5), false, 'and what it ended stays ended')
})

it('attack: a guest that renews its token again and again, by any clock, fills no table, and has one token', async (t) => {
  const { store, dir } = testStore(t)
  const id = 'guest'
  const account = newAccount({ id, email: guestEmail(id), appRole: 'guestUser', dashboardRole: 'none', now: 0, language: LANGUAGE })
  const at = [0, 0, 1_000, 2_000, -100_000, -99_000, -98_000, 3_000, 2_000].map((ms) => NOW + ms)
  const [first = NOW, ...others] = at
  await store.createAccount(account, session('0', first))
  const claim = (i: number) => ({ userId: id, jti: String(i), iat: Math.floor((at[i] ?? 0) / 1000), expiresAt: NOW + 60_000 })
  const holding = (): number[] => at.flatMap((_, i) => (store.accounts.caller(claim(i)) === undefined ? [] : [i]))
  for (const [i, time] of others.entries()) {
    assert.equal(await store.replaceSession(id, claim(i), session(String(i + 1), time)), 'added')
    assert.ok(holding().includes(i + 1) && !holding().includes(i), String(holding()))
  }
  assert.deepEqual(holding(), [others.length])
  const database = openForTest(t, dir.database, { readOnly: true })
  const rows = (table: string): unknown => database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']
  assert.deepEqual(['revoked_token', 'signed_out', 'session'].map(rows), [0, 1, 1])
})
