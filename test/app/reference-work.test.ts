/** Many copies follow a change in a thread: all of them, whatever ends it, and nothing else changes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { startReferenceThread, type ReferenceThread } from '../../src/app/references/reference-thread.ts'
import { startReferenceWork, type ReferenceWorkOptions } from '../../src/app/references/reference-work.ts'
import { parseJson, type JsonObject } from '../../src/base/json.ts'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { headline } from '../../src/models/headline.ts'
import { topic } from '../../src/models/topic.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import type { FollowedStep } from '../../src/store/references/reference-progress.ts'
import { changeFaults } from '../support/cluster/change-faults.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const COPIES = longRun(90, 300)
/** What the event loop changes in one step. */
const HERE_MAX = 4

/** A renamed topic, with headlines that hold copies of it as it was. */
async function renamed(t: TestContext) {
  const { store, dir } = testStore(t)
  const dates = { createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' }
  const members = (model: string, id: string): JsonObject => ({ ...(bodyOf(model) as JsonObject), ...dates, id })
  const ports = members('topic', 't')
  await store.insert(topic, { id: 't', value: ports })
  const news = Array.from({ length: COPIES }, (_, i): JsonObject => ({ ...members('headline', `h${i}`), topic: ports }))
  await Promise.all(news.map((value) => store.insert(headline, { id: String(value['id']), value })))
  await store.update(topic, 't', (stored) => ({ ...stored, name: 'Harbours', updatedAt: '1970-01-01T00:00:01.000Z' }))
  const steps: FollowedStep[] = []
  const lines: string[] = []
  const log = createLog({ level: 'warn', format: 'json', now: () => 0, write: (text) => void lines.push(text) })
  const begin = (more: Partial<ReferenceWorkOptions> = {}) =>
    startReferenceWork({ store, isOnDuty: undefined, metrics: createMetrics(), log, onStep: (step) => void steps.push(step), ...more })
  const startThread = (): ReferenceThread => startReferenceThread({ dataDir: dir.path, trash: true, store })
  const isExact = (): void => {
    const now = { ...news[0], topic: parseJson(store.documents.get(topic, 't') ?? 'null') }
    for (const { id } of news) assert.deepEqual(parseJson(store.documents.get(headline, String(id)) ?? 'null'), { ...now, id })
    const database = openDatabase(dir.database, { readOnly: true })
    assert.deepEqual(changeFaults(database, [topic, headline]), [])
    database.close()
  }
  return { store, dir, steps, lines, begin, startThread, isExact }
}

const sum = (steps: readonly FollowedStep[]): number => steps.reduce((n, { changed }) => n + changed, 0)

it('a thread brings many copies up to date, and each once', async (t) => {
  const { steps, lines, begin, startThread, isExact } = await renamed(t)
  const work = begin({ startThread })
  await work.idle()
  await work.stop()
  assert.ok(steps.some(({ changed }) => changed > HERE_MAX))
  assert.equal(sum(steps), COPIES)
  assert.deepEqual(lines, [])
  isExact()
})

it('work that was stopped goes on where it was', async (t) => {
  const { steps, begin, startThread, isExact } = await renamed(t)
  const first = Promise.withResolvers<void>()
  const stopped = begin({ startThread, onStep: (step) => void (steps.push(step), first.resolve()) })
  await first.promise
  await stopped.stop()
  assert.ok(sum(steps) < COPIES)
  const work = begin({ startThread })
  await work.idle()
  await work.stop()
  assert.equal(sum(steps), COPIES)
  isExact()
})

it('the thread gives up no lock of the process', async (t) => {
  const { dir, begin, startThread } = await renamed(t)
  const module = new URL('../../src/store/db/data-dir.ts', import.meta.url).href
  const owning = `const { ownDataDir } = await import(${JSON.stringify(module)}); ownDataDir(${JSON.stringify(dir)}, { pid: 1, startedAt: 'now' })`
  const locks = locksOf([dir.database, join(dir.path, 'dateline.lock')])
  const work = begin({ startThread })
  await work.idle()
  await work.stop()
  assert.throws(() => execFileSync(process.execPath, ['--input-type=module', '-e', owning], { stdio: 'pipe' }), /is using it/)
  assert.deepEqual(locksOf([dir.database, join(dir.path, 'dateline.lock')]), locks)
})

/** The locks that any process has on files, which Linux lists. */
function locksOf(files: readonly string[]): readonly (readonly string[])[] {
  if (process.platform !== 'linux') return []
  const lines = readFileSync('/proc/locks', 'utf8').split('\n')
  const locksOn = (file: string): readonly string[] => lines.filter((line) => line.includes(`:${statSync(file).ino} `)).map((line) => line.replace(/^\d+: /, ''))
  // Where locks of other processes come and go between two reads of the list, it shows a line twice.
  return files.map((file) => [...new Set(locksOn(file))])
}

it('copies follow in the event loop where the thread fails', async (t) => {
  const { store, steps, lines, begin, isExact } = await renamed(t)
  const file = join(temporaryDirectory(t), 'no-directory')
  writeFileSync(file, '')
  const work = begin({ startThread: () => startReferenceThread({ dataDir: file, trash: true, store }) })
  while (sum(steps) < COPIES) await work.idle().then(() => new Promise(setImmediate))
  await work.stop()
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /references\.failed/)
  assert.ok(steps.every(({ changed }) => changed <= HERE_MAX))
  isExact()
})
