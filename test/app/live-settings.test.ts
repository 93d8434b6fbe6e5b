// isolated: it mocks timers
/** The look for settings that others have stored: a command, or another node, beside the service. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLiveSettings } from '../../src/app/settings/live-settings.ts'
import { deriveKeys } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { shownSettings } from '../../src/config/shown-settings.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { OPERATOR } from '../../src/store/actor.ts'
import { openStore } from '../../src/store/open-store.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const LOOK_MS = 5_000

it('what another process stores is in use at the next look, five seconds later at most, and no look follows the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { store, dir } = testStore(t)
  const other = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0 })
  t.after(() => other.close())
  const set = (name: string, value: string | undefined) =>
    other.as(OPERATOR).changeSettings({ changes: [{ name, value, isSecret: false }], now: 0, check: () => {} })
  const flags = new Map([['backupKeep', '9']] as const)
  const live = createLiveSettings(readConfig(flags, {}), shownSettings(flags, {}))
  const { log, entries } = recordingLog()
  // A look reads the store once: each takes a number, so that the test waits for the one that it caused.
  let [looks, told] = [0, 0]
  let looked = Promise.withResolvers<void>()
  const source = {
    versions: { ...store.versions, changes: () => (looks++, store.versions.changes()) },
    settings: {
      ...store.settings,
      listSettings() {
        setImmediate(() => looked.resolve())
        return store.settings.listSettings()
      },
    },
  }
  const look = async (): Promise<void> => {
    looked = Promise.withResolvers()
    t.mock.timers.tick(LOOK_MS)
    await looked.promise
  }
  const following = await live.follow({ store: source, keys: deriveKeys(['a secret']) }, log)
  live.onChange(() => told++)
  await set('appName', 'City News')
  await set('backupKeep', '3')
  t.mock.timers.tick(LOOK_MS - 1)
  assert.deepEqual([looks, live.config().appName], [0, 'Dateline'])
  looked = Promise.withResolvers()
  t.mock.timers.tick(1)
  await looked.promise
  assert.deepEqual([live.config().appName, live.config().backupKeep, told], ['City News', 9, 1], 'a flag wins over what is stored')
  t.mock.timers.tick(LOOK_MS)
  assert.equal(told, 1, 'and nothing is told where nothing has changed')
  await set('appName', undefined)
  await look()
  assert.deepEqual([live.config().appName, told], ['Dateline', 2])
  following.stop()
  const before = looks
  await set('appName', 'Later')
  t.mock.timers.tick(10 * LOOK_MS)
  assert.deepEqual([looks, live.config().appName, entries], [before, 'Dateline', []])
})

it('a listener that throws is called again with the same settings, and the others are told once', async (t) => {
  const { store } = testStore(t)
  const live = createLiveSettings(readConfig(new Map(), {}), shownSettings(new Map(), {}))
  const following = await live.follow({ store, keys: deriveKeys(['a secret']) }, recordingLog().log)
  t.after(() => following.stop())
  const calls = { before: 0, failing: 0, behind: 0 }
  live.onChange(() => calls.before++)
  live.onChange(() => {
    if (++calls.failing === 1) throw new Error('not now')
  })
  live.onChange(() => calls.behind++)
  const rows = [{ name: 'appName', value: 'City News', changedAt: 0 }]
  assert.throws(() => live.take(rows), /not now/)
  live.take(rows)
  live.take(rows)
  assert.deepEqual([live.config().appName, calls], ['City News', { before: 1, failing: 2, behind: 1 }])
})
