import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { topic } from '../../src/models/topic.ts'
import { language } from '../../src/models/language.ts'
import {
  backupRule,
  lackOfRoom,
  startBackups,
  type BackupSchedule,
  type ScheduleOptions,
} from '../../src/store/backup/backup-schedule.ts'
import { createBackupRuns } from '../../src/store/backup/backup-runs.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { testStore, type TestStore } from '../../scripts/tools/stores.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 2, 1, 12)
const DAILY = { everyMs: 24 * HOUR_MS, firstAfterMs: 0, yieldsRoom: false }

interface Site extends TestStore {
  readonly directory: string
  readonly recorded: ReturnType<typeof recordingLog>
  advance(ms: number): void
  start(more?: Partial<ScheduleOptions>): Promise<BackupSchedule>
  names(): string[]
}

function site(t: Cleanup): Site {
  const { store, dir } = testStore(t)
  const recorded = recordingLog()
  const directory = join(dir.path, 'backups')
  let time = START
  return {
    store,
    dir,
    directory,
    recorded,
    advance: (ms) => void (time += ms),
    names: () => readdirSync(directory).sort(),
    async start(more = {}) {
      const common = { now: () => time, log: recorded.log }
      const runs = createBackupRuns({ database: dir.database, directory, keep: () => 2, ...common })
      const backups = await startBackups({ store, runs, rule: () => DAILY, ...common, ...more })
      t.after(() => backups.stop())
      return backups
    },
  }
}

it('the first backup is made at once, the next when it is due, and the oldest are removed', async (t) => {
  const { start, advance, names, recorded, store } = site(t)
  await store.insert(topic, { id: 'x', value: { id: 'x', status: 'active' } })
  const backups = await start()
  await backups.idle()
  assert.deepEqual(names(), ['dateline-20260301T120000Z.db'])
  const { last, failure } = backups.state()
  assert.deepEqual([last?.at, failure], [START, undefined])
  assert.ok((last?.bytes ?? 0) > 4096)
  advance(24 * HOUR_MS - 1)
  await backups.idle()
  assert.equal(names().length, 1)
  for (const day of ['02', '03']) {
    advance(1)
    await backups.idle()
    assert.ok(names().includes(`dateline-202603${day}T120000Z.db`))
    advance(24 * HOUR_MS - 1)
  }
  assert.deepEqual(names(), ['dateline-20260302T120000Z.db', 'dateline-20260303T120000Z.db'])
  assert.deepEqual(
    recorded.entries.map(({ event }) => event),
    ['backup.written', 'backup.written', 'backup.written', 'backup.removed'],
  )
})

it('a restart neither hastens nor delays the next backup', async (t) => {
  const { start, advance, names } = site(t)
  const first = await start()
  await first.idle()
  await first.stop()
  advance(23 * HOUR_MS)
  const second = await start()
  await second.idle()
  assert.equal(names().length, 1)
  assert.equal(second.state().last?.at, START)
  advance(HOUR_MS)
  await second.idle()
  assert.equal(names().length, 2)
})

it('a failure is logged with its cause, is kept for the checks, and is tried again with pauses that grow', async (t) => {
  const { start, advance, names, directory, recorded } = site(t)
  writeFileSync(directory, 'in the way')
  const backups = await start()
  await backups.idle()
  const { last, failure } = backups.state()
  assert.equal(last, undefined)
  assert.match(failure?.reason ?? '', /^Cannot back up ".*": a part of the path is not a directory$/)
  await backups.idle()
  assert.equal(recorded.entries.length, 1, 'not before the pause is over')
  advance(60_000)
  await backups.idle()
  advance(119_999)
  await backups.idle()
  assert.deepEqual(
    recorded.entries.map(({ event, fields }) => [event, fields['retryAt']]),
    [['backup.failed', '2026-03-01T12:01:00.000Z'], ['backup.failed', '2026-03-01T12:03:00.000Z']],
  )
  rmSync(directory)
  advance(1)
  await backups.idle()
  assert.equal(names().length, 1)
  assert.equal(backups.state().failure, undefined)
})

it('a backup that the end of the service aborts leaves nothing', async (t) => {
  const { start, names, store, directory } = site(t)
  mkdirSync(directory)
  const documents = Array.from({ length: 100 }, (_, i) => ({
    id: `l${i}`,
    value: { id: `l${i}`, status: 'active', name: String(i), text: 'x'.repeat(100_000) },
  }))
  await store.insertMissing(language, documents)
  const backups = await start()
  // Until the file is there, and so the copy is under way.
  await until(() => names().length > 0)
  await backups.stop()
  assert.deepEqual(names(), [])
  assert.equal(backups.state().failure, undefined)
  await store.insert(topic, { id: 'x', value: { id: 'x', status: 'active' } })
})

it('backups that are made by default wait for the first minutes of a site, and yield where the disk is short', async (t) => {
  const { start, advance, names, recorded, directory } = site(t)
  mkdirSync(directory)
  let lack: string | undefined = lackOfRoom({ bytes: 20 * 2 ** 20, freeBytes: 500 * 2 ** 20 })
  assert.match(lack ?? '', /^only 500 MiB are free, and a backup of 20 MiB has to leave 512: make room, .*--backup-every off$/)
  const rule = backupRule('daily', false)
  const backups = await start({ rule: () => rule, findLack: async () => lack })
  await backups.idle()
  advance(10 * 60_000 - 1)
  await backups.idle()
  assert.deepEqual([names(), backups.state().skipped], [[], undefined])
  for (const ms of [1, HOUR_MS]) {
    advance(ms)
    await backups.idle()
  }
  assert.deepEqual(backups.state(), { last: undefined, failure: undefined, skipped: { at: START + 600_000 + HOUR_MS, reason: lack } })
  assert.deepEqual(recorded.entries.map(({ event }) => event), ['backup.skipped'])
  lack = lackOfRoom({ bytes: 20 * 2 ** 20, freeBytes: 532 * 2 ** 20 })
  assert.equal(lack, undefined)
  advance(HOUR_MS)
  await backups.idle()
  assert.equal(names().length, 1)
  assert.equal(backups.state().skipped, undefined)
  await backups.stop()
})
