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

it('what another process stores is in use at the next look, which reads nothing while nothing has changed', async (t) => {
  const { store, dir } = testStore(t)
  const other = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0 })
  t.after(() => other.close())
  const set = (name: string, value: string | undefined) =>
    other.as(OPERATOR).changeSettings({ changes: [{ name, value, isSecret: false }], now: 0, check: () => {} })
  const flags = new Map([['backupKeep', '9']] as const)
  const live = createLiveSettings(readConfig(flags, {}), shownSettings(flags, {}))
  const { log, entries } = recordingLog()
  let [reads, told] = [0, 0]
  const settings = { ...store.settings, listSettings: () => (reads++, store.settings.listSettings()) }
  const look = live.follow({ store: { versions: store.versions, settings }, keys: deriveKeys(['a secret']) }, log)
  live.onChange(() => told++)
  await set('appName', 'City News')
  await set('backupKeep', '3')
  assert.deepEqual([reads, live.config().appName], [1, 'Dateline'])
  look()
  assert.deepEqual([live.config().appName, live.config().backupKeep, told], ['City News', 9, 1], 'a flag wins over what is stored')
  const before = reads
  look()
  assert.deepEqual([reads, told], [before, 1])
  await set('appName', undefined)
  look()
  assert.deepEqual([live.config().appName, told, entries], ['Dateline', 2, []])
})

it('a look that cannot read is logged, and leaves what is in use', (t) => {
  const { store } = testStore(t)
  const live = createLiveSettings(readConfig(new Map(), {}), shownSettings(new Map(), {}))
  const { log, entries } = recordingLog()
  const versions = { ...store.versions, changes: (): number => { throw new Error('the disk is gone') } }
  live.follow({ store: { versions, settings: store.settings }, keys: deriveKeys(['a secret']) }, log)()
  assert.deepEqual(entries.map(({ event, fields }) => [event, fields['reason']]), [['settings.not_read', 'the disk is gone']])
  assert.equal(live.config().appName, 'Dateline')
})

it('a listener that throws is called again at the next look, and the others are told once', async (t) => {
  const { store } = testStore(t)
  const live = createLiveSettings(readConfig(new Map(), {}), shownSettings(new Map(), {}))
  const { log, entries } = recordingLog()
  const look = live.follow({ store, keys: deriveKeys(['a secret']) }, log)
  const calls = { before: 0, failing: 0, behind: 0 }
  live.onChange(() => calls.before++)
  live.onChange(() => {
    if (++calls.failing === 1) throw new Error('not now')
  })
  live.onChange(() => calls.behind++)
  await store.as(OPERATOR).changeSettings({ changes: [{ name: 'appName', value: 'City News', isSecret: false }], now: 0, check: () => {} })
  for (let looks = 0; looks < 3; looks++) look()
  assert.deepEqual(entries.map(({ fields }) => fields['reason']), ['not now'])
  assert.deepEqual([live.config().appName, calls], ['City News', { before: 1, failing: 2, behind: 1 }])
})
