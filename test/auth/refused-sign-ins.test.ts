/** What refused sign-ins leave behind, and attacks that would make the disk work. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { it } from 'node:test'
import { createRefusedSignIns } from '../../src/auth/refused-sign-ins.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

const visitor = (clientAddress: string) => ({ kind: 'visitor', origin: { clientAddress, requestId: 'a request' } }) as const

it('attack: a stranger sends wrong tokens without end: the first are recorded, then the disk is left alone', async (t) => {
  const { store, dir } = testStore(t)
  const { log } = recordingLog()
  const refused = createRefusedSignIns({ store, now: () => 0, log })
  const send = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await refused.record(visitor('192.0.2.1'), 'setup token')
  }
  await send(20)
  const written = statSync(`${dir.database}-wal`).size
  await send(500)
  assert.equal(statSync(`${dir.database}-wal`).size, written)
  await refused.record(visitor('192.0.2.2'), 'setup token')
  const database = openForTest(t, dir.database, { readOnly: true })
  const details = database.all("SELECT doc ->> '$.details' AS details FROM audit ORDER BY seq").map((row) => JSON.parse(String(row['details'])) as unknown)
  const reason = { name: 'reason', value: 'setup token' }
  assert.deepEqual(details, [...Array<unknown>(20).fill([reason]), [reason, { name: 'unrecorded', value: '500' }]])
})

it('a peer that is not trusted is named once an hour, and ten of them at most', async (t) => {
  const { store } = testStore(t)
  let now = 0
  const { log, entries } = recordingLog()
  const refused = createRefusedSignIns({ store, now: () => now, log })
  const warned = () => entries.filter(({ event }) => event === 'proxy.untrusted')
  for (let i = 0; i < 30; i++) await refused.recordUntrusted(visitor(`192.0.2.${i % 15}`), 'x-auth-email')
  assert.equal(warned().length, 10)
  const fields = { peer: '192.0.2.0', header: 'x-auth-email', remedy: 'if this is your proxy, add 192.0.2.0 to --trusted-proxies' }
  assert.deepEqual(warned()[0], { level: 'warn', event: 'proxy.untrusted', fields })
  now = 60 * 60_000
  await refused.recordUntrusted(visitor('192.0.2.1'), 'x-auth-email')
  assert.equal(warned().length, 11)
})
