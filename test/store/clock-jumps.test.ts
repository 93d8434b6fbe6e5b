/** A clock that jumps: housekeeping removes nothing for a day, so that a clock that was set wrong can be set back. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { watchClockJumps } from '../../src/store/clock-jumps.ts'
import { topic } from '../../src/models/topic.ts'
import { startHousekeeping } from '../../src/store/housekeeping.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 2, 1, 12)

for (const [name, rounds] of [
  ['rounds each six hours remove', [[0, true], [6, true], [12, true]]],
  ['a clock that is a day ahead at most removes', [[0, true], [24, true], [48, true]]],
  ['a clock that jumps ahead waits for a day', [[0, true], [720, false], [726, false], [743, false], [744, true], [750, true]]],
  ['a service that runs every third day removes every second time', [[0, true], [72, false], [144, true], [216, false], [288, true]]],
  ['a clock that is set back waits for a day at most', [[0, true], [720, false], [6, false], [12, false], [30, true]]],
  ['a clock that was behind and is set waits for a day', [[-400_000, true], [0, false], [6, false], [24, true]]],
] as const) {
  it(name, async (t) => {
    const { store } = testStore(t)
    const { log, entries } = recordingLog()
    const found: [number, boolean][] = []
    // The note is in the database: each round is that of another process.
    for (const [hour] of rounds) found.push([hour, await watchClockJumps({ store, now: () => START + hour * HOUR_MS, log })()])
    assert.deepEqual(found, rounds)
    // Each wait is told once.
    assert.equal(entries.length, rounds.filter(([, mayRemove], i) => !mayRemove && rounds[i - 1]![1]).length)
  })
}

it('a note that is none of ours holds nothing up', async (t) => {
  const { store } = testStore(t)
  const mayRemove = watchClockJumps({ store, now: () => START, log: recordingLog().log })
  for (const note of [null, 'yesterday', { seenAt: '0', waitsUntil: 1e300 }]) {
    await store.writeMeta('clock', note)
    assert.equal(await mayRemove(), true)
  }
  await store.writeMeta('clock', { seenAt: 1e300, waitsUntil: 1e300 })
  assert.equal(await mayRemove(), false)
  assert.deepEqual(store.settings.readMeta('clock'), { seenAt: START, waitsUntil: START + 24 * HOUR_MS })
})

it('a round of housekeeping behind a jump leaves what is past its time, and the round a day later removes it', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const { log, entries } = recordingLog()
  let now = START
  const kept = () => ({ guestBytesMax: Infinity, auditMs: undefined, guestMs: undefined, historyMs: HOUR_MS, trashMs: HOUR_MS })
  const housekeeping = startHousekeeping({ store, kept, now: () => now, log })
  t.after(() => housekeeping.stop())
  const inTrash = (): unknown => database.get('SELECT count(*) AS n FROM trash')?.['n']
  await housekeeping.wake()
  await store.insert(topic, { id: 'gone', value: { ...bodyOf('topic'), id: 'gone' } })
  await store.remove(topic, 'gone')
  now += 30 * 24 * HOUR_MS
  await housekeeping.wake()
  assert.equal(inTrash(), 1)
  assert.deepEqual(entries.map(({ event }) => event), ['housekeeping.waits'])
  now += 24 * HOUR_MS
  await housekeeping.wake()
  assert.equal(inTrash(), 0)
})
