import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { guestEmail } from '../../src/models/guest.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { caller, sessionsOf } from '../../src/store/accounts/session-table.ts'
import { writeBackup } from '../../src/store/backup/backup.ts'
import { copyForRestore } from '../../src/store/backup/restore.ts'
import { lookInto } from '../../src/store/db/database.ts'
import { LANGUAGE } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const NOW = 1_700_000_000_000
const LATER = NOW + 60_000
const EXPIRES_AT = NOW + 3_600_000
const USERS = ['ann', 'bob', 'carl', 'dora', 'guest', 'gone'] as const
const GUESTS: readonly string[] = ['guest', 'gone']

const RESTORED = LATER + 2_500
const TIMES: Readonly<Record<string, number>> = { 1: NOW, 2: LATER, 3: LATER + 1_000, 4: LATER + 2_000 }
const ISSUED = ['ann-1', 'ann-2', 'bob-1', 'bob-2', 'bob-3', 'carl-1', 'carl-2', 'carl-4', 'dora-1', 'dora-2', 'guest-1', 'guest-2', 'gone-1']
const claimOf = (jti: string) => {
  const [userId = '', n = ''] = jti.split('-')
  return { userId, jti, iat: (TIMES[n] ?? 0) / 1000, expiresAt: EXPIRES_AT }
}

const session = (jti: string, createdAt = LATER) => ({ jti, label: 'a device', createdAt, expiresAt: EXPIRES_AT })

it('attack: a restore brings back no session that ended since the backup, also by deleting its account, and lists those that began since', async (t) => {
  const { store, dir } = testStore(t)
  for (const id of USERS) {
    const [email, appRole] = GUESTS.includes(id) ? ([guestEmail(id), 'guestUser'] as const) : ([`${id}@example.org`, 'standardUser'] as const)
    const account = newAccount({ id, email, appRole, dashboardRole: 'none', now: NOW, language: LANGUAGE })
    assert.equal(await store.createAccount(account, session(`${id}-1`, NOW)), 'inserted')
  }
  const from = join(temporaryDirectory(t), 'backup.db')
  await writeBackup({ database: dir.database, target: from, makesDirectory: false, models: STORED_MODELS, now: () => NOW })
  for (const id of ['ann', 'bob', 'carl', 'dora']) await store.addSession(id, session(`${id}-2`))
  await store.endSession('ann', 'ann-1', LATER)
  await store.endSessions('bob', LATER)
  await store.addSession('bob', session('bob-3', LATER + 1_000))
  // In the second of the restore.
  await store.addSession('carl', session('carl-4', LATER + 2_000))
  for (const id of ['carl', 'gone']) await store.deleteAccount({ id, now: LATER, keepLastAdmin: false })
  await store.revoke({ jti: 'dora-2', expiresAt: EXPIRES_AT, now: LATER })
  assert.equal(await store.replaceSession('guest', claimOf('guest-1'), session('guest-2')), 'added')

  const to = `${dir.database}.copy`
  let request = { dir, from, models: STORED_MODELS, version: '1.2.3', now: () => RESTORED }
  const holding = async () => {
    await copyForRestore(request, to)
    return lookInto(to, (copy) => ({
      held: ISSUED.filter((jti) => caller(copy, claimOf(jti)) !== undefined),
      listed: USERS.flatMap((id) => sessionsOf(copy, id, LATER).map(({ jti }) => jti)),
    }))
  }
  // A guest could not sign in again.
  const kept = ['ann-2', 'bob-3', 'dora-1', 'guest-2', 'gone-1']
  assert.deepEqual(await holding(), { held: kept, listed: kept })
  rmSync(to)
  await store.close()
  rmSync(dir.database)
  const ofBackup = USERS.map((id) => `${id}-1`)
  assert.deepEqual((await holding()).listed, ofBackup, 'a machine without a database has ended none')
  rmSync(to)
  const other = testStore(t)
  const account = newAccount({ id: 'eve', email: 'ann@example.org', appRole: 'standardUser', dashboardRole: 'admin', now: NOW, language: LANGUAGE })
  await other.store.createAccount(account, session('eve-1'))
  request = { ...request, dir: other.dir }
  assert.deepEqual((await holding()).listed, ofBackup, 'nor has the service of another site')
})
