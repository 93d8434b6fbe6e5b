import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { guestEmail } from '../../src/models/guest.ts'
import { startHousekeeping } from '../../src/store/housekeeping.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { START, startService } from '../support/service/service.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const KEPT = { guestBytesMax: Number.MAX_SAFE_INTEGER, auditMs: undefined, historyMs: 90 * DAY_MS, trashMs: 30 * DAY_MS }

it('expired rows are removed, however many there are, and others stay', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  database.exec('BEGIN')
  for (let i = 0; i < 450; i++) {
    const expiresAt = START + (i < 430 ? 0 : 1)
    database.run("INSERT INTO code (email, maker, mac, expires_at) VALUES (?, 'mail', x'00', ?)", `e${i}`, expiresAt)
    database.run('INSERT INTO revoked_token VALUES (?, ?)', `j${i}`, expiresAt)
    database.run('INSERT INTO rate_hit (key, at, expires_at) VALUES (?, 0, ?)', Buffer.from(`k${i}`), expiresAt)
  }
  database.run(`INSERT INTO user (id, doc) VALUES ('u', '{"appRole":"standardUser"}')`)
  for (let i = 0; i < 450; i++) {
    database.run(`INSERT INTO session VALUES (?, 'u', '', 0, ?, 0)`, `s${i}`, START + (i < 430 ? 0 : 1))
  }
  // The other code of an address is not the one that expired.
  database.run("INSERT INTO code (email, maker, mac, expires_at) VALUES ('e0', 'operator', x'00', ?)", START + 1)
  database.exec('COMMIT')
  const housekeeping = startHousekeeping({ store, kept: () => ({ ...KEPT, guestMs: undefined }), now: () => START, log: recordingLog().log })
  t.after(() => housekeeping.stop())
  await housekeeping.run()
  for (const table of ['code', 'revoked_token', 'rate_hit', 'session']) {
    assert.equal(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'], table === 'code' ? 21 : 20, table)
  }
})

it('inactive guests are deleted permanently, active ones and those who became users are not', async (t) => {
  const service = await startService(t, { guestDays: '90', tokenHours: String(24 * 3650) })
  const { housekeeping } = service.app
  const [gone, active, member] = [await service.guest(), await service.guest(), await service.guest()]
  await service.signIn('member@example.org', { token: member.token })
  const status = async ({ token }: { token: string }): Promise<number> =>
    (await service.call('GET', '/api/v1/auth/me', { token })).status
  await housekeeping.run()
  service.advance(60 * DAY_MS)
  assert.equal(await status(active), 200)
  service.advance(30 * DAY_MS)
  await housekeeping.run()
  assert.equal(await status(gone), 200, 'on the ninetieth day')
  service.advance(89 * DAY_MS)
  await housekeeping.run()
  assert.equal(await status(gone), 200, 'being asked for counts as coming back')
  service.advance(89 * DAY_MS)
  await housekeeping.run()
  assert.equal(await status(active), 401, 'stayed away for longer')
  assert.equal(await status(gone), 200)
  service.advance(91 * DAY_MS)
  await housekeeping.run()
  assert.equal(await status(gone), 401)
  const { token } = await service.signIn('member@example.org')
  assert.equal(await status({ token }), 200)
  await service.stop()
  const bytes = readFileSync(`${service.directory}/data/dateline.db`, 'latin1')
  for (const { id } of [gone, active]) assert.ok(!bytes.includes(id), 'nothing of the guest is left in the file')
  assert.ok(bytes.includes(member.id))
})

it('earlier guests are watched from now on, and a site that keeps guests keeps them', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  database.exec('BEGIN')
  for (let i = 0; i < 1_200; i++) {
    const role = i % 2 === 0 ? 'guestUser' : 'standardUser'
    // One in four says it is a guest and has an address of its own: it is none, and stays.
    const doc = JSON.stringify({
      id: `u${i}`,
      appRole: role,
      dashboardRole: 'none',
      email: i % 4 === 0 ? guestEmail(`u${i}`) : `e${i}@example.org`,
      createdAt: '2020-01-01T00:00:00.000Z',
    })
    database.run('INSERT INTO user (id, doc) VALUES (?, ?)', `u${i}`, doc)
  }
  database.exec('COMMIT')
  let time = START
  const start = (guestMs: number | undefined) => {
    const housekeeping = startHousekeeping({ store, kept: () => ({ ...KEPT, guestMs }), now: () => time, log: recordingLog().log })
    t.after(() => housekeeping.stop())
    return housekeeping
  }
  const users = (): unknown => database.get('SELECT count(*) AS n FROM user')?.['n']
  await start(DAY_MS).run()
  assert.equal(users(), 1_200)
  time += 2 * DAY_MS
  await start(undefined).run()
  assert.equal(users(), 1_200)
  const last = start(DAY_MS)
  const running = last.run()
  await last.stop()
  await running
  assert.ok(Number(users()) >= 1_180, 'the end of the service ends the round')
  await start(DAY_MS).run()
  assert.equal(users(), 900)
})
