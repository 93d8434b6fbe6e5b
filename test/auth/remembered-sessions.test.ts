/**
 * Attack: a token that was used a moment ago is used again after its session ended, after its user is gone, or with rights
 * that were taken away. What is remembered for an Authorization header must not outlive any change, by this process or another.
 */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { deriveKeys } from '../../src/auth/keys.ts'
import { newAccount } from '../../src/auth/new-account.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { openForTest } from '../../scripts/tools/stores.ts'
import { openStore } from '../../src/store/open-store.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const HOUR_MS = 3_600_000

async function site(t: TestContext) {
  const dir = prepareDataDir(temporaryDirectory(t))
  let now = 0
  const store = openStore({ dir, models: STORED_MODELS, version: '1', now: () => now, owner: { pid: process.pid, startedAt: 'now' } })
  t.after(() => store.close())
  const other = openForTest(t, dir.database)
  const own = store.as(SYSTEM)
  const account = { id: 'ann', email: 'ann@example.org', appRole: 'standardUser', dashboardRole: 'admin', now: 0, language: {} } as const
  await own.createAccount(newAccount(account))
  let ids = 0
  const sessions = createSessions({
    store,
    keys: deriveKeys(['a secret of the tests, which is long enough']),
    settings: { lifetimeMs: HOUR_MS, issuer: 'tests' },
    newId: () => `id-${ids++}`,
    instance: 'this run',
  })
  const token = await sessions.issue('ann', { label: 'a test', now })
  const request = { headers: { authorization: `Bearer ${token}` }, clientAddress: '192.0.2.1', requestId: 'r' }
  const roleNow = (): string | undefined => sessions.find(request, now)?.caller.dashboardRole
  // The time of the session's use is written at the first request; then all is remembered.
  for (let i = 0; i < 3; i++) assert.equal(roleNow(), 'admin')
  return { sessions, request, roleNow, other, own, pass: (ms: number) => void (now += ms) }
}

type Site = Awaited<ReturnType<typeof site>>

const DEMOTION = `UPDATE user SET doc = json_set(doc, '$.dashboardRole', 'none') WHERE id = 'ann'`

for (const [name, change, role] of [
  ['the session ended', ({ sessions, request }) => sessions.end(sessions.require(request, 0), 0), undefined],
  ['all sessions ended', ({ own }) => own.endSessions('ann', 0), undefined],
  ['the account was deleted', ({ own }) => own.deleteAccount({ id: 'ann', now: 0, keepLastAdmin: false }), undefined],
  ['another process ended the session', ({ other }) => other.run(`INSERT INTO revoked_token SELECT jti, expires_at FROM session`), undefined],
  ['another process ended all sessions', ({ other }) => [`INSERT INTO signed_out VALUES ('ann', 9999999999)`, 'DELETE FROM session'].map((sql) => other.run(sql)), undefined],
  ['another process deleted the account', ({ other }) => other.run(`DELETE FROM user WHERE id = 'ann'`), undefined],
  ['another process took the role away', ({ other }) => other.run(DEMOTION), 'none'],
  ['the session expired', ({ pass }) => pass(HOUR_MS), undefined],
] satisfies readonly (readonly [string, (of: Site) => unknown, string | undefined])[]) {
  it(`a remembered token is looked at again after ${name}`, async (t) => {
    const all = await site(t)
    await change(all)
    // What reads share of one turn of the event loop is over in the next.
    await new Promise((resolve) => void setImmediate(resolve))
    assert.equal(all.roleNow(), role)
    assert.equal(all.roleNow(), role)
  })
}
