/**
 * `npm run drill -- schedule [DOCUMENTS] [KILLS]`: headlines that are published and archived at times some milliseconds
 * apart, by a service that is killed with SIGKILL meanwhile; then once more while its clock jumps forth and back, where
 * libfaketime is installed. In the end each change must have been made exactly once, at its time or behind it.
 */
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readDatabase } from '../tools/read-database.ts'
import { bodyOf } from '../tools/data-bodies.ts'
import type { Random } from '../tools/random.ts'
import { temporaryDirectory, type Cleanup } from '../tools/temporary-directory.ts'
import { CLOCK } from '../api-suites.ts'
import { inSoundDatabase, startKilledSite, type Drill, type KilledSite } from './killed-site.ts'

const BATCH = 100
/** All is written before the first time, at least: a busy machine gets as long as some starts of the service take. */
const LEAD_MS_MIN = 5_000
const STARTS_OF_LEAD = 10
/** From the first time to the last. */
const SPAN_MS = 5_000
const LIFE_MS_MAX = 1_200
const JUMP_S_MAX = 7_200
const LOOK_MS = 50
/** How late a change may be, beside the time that a start of the service takes; it is told how late it was. */
const LATE_MS_MAX = 20_000
const GIVE_UP_MS = 240_000

/** What is to happen to a document, in milliseconds since the epoch. */
interface Plan {
  readonly publishAt: number
  readonly unpublishAt: number
}

/** Gives what happened. Throws what should not have. */
export async function drillSchedule({ cleanup, random }: Drill, documents: number, kills: number): Promise<readonly string[]> {
  const lines = [await underKills(cleanup, { documents, kills, random })]
  if (CLOCK === undefined) return [...lines, 'schedule: no libfaketime, the clock was left alone']
  return [...lines, await underJumps(cleanup, CLOCK, { documents, kills, random })]
}

interface Round {
  readonly documents: number
  readonly kills: number
  readonly random: Random
}

async function underKills(cleanup: Cleanup, { documents, kills, random }: Round): Promise<string> {
  const site = await startKilledSite(cleanup)
  const plans = await schedule(site, { documents, random })
  await pause(Math.max(0, Math.min(...[...plans.values()].map(({ publishAt }) => publishAt)) - Date.now()))
  await site.killRepeatedly(random, kills, LIFE_MS_MAX)
  await allDone(site, documents)
  const late = compare(site, plans)
  const lateMax = LATE_MS_MAX + Math.ceil(site.startMs)
  assert.ok(late <= lateMax, `a change was made ${late} ms after its time, or after the start of the service, wanted at most ${lateMax}`)
  return `schedule: ${2 * documents} changes made once under ${kills} kills, at most ${late} ms after their time while the service was up`
}

async function underJumps(cleanup: Cleanup, library: string, { documents, kills, random }: Round): Promise<string> {
  const file = join(temporaryDirectory(cleanup), 'clock')
  const jump = (seconds: number): void => {
    // Replaced at once: the service looks into it whenever it asks for the time.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}`)
    renameSync(`${file}.new`, file)
  }
  jump(0)
  const environment = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', TZ: 'UTC' }
  const site = await startKilledSite(cleanup, { environment })
  const plans = await schedule(site, { documents, random })
  let jumps = 0
  for (let n = 0; n < kills; n++) {
    for (let i = 0; i < 3; i++) {
      jump(random.pick([-1, 1]) * random.below(n === 0 ? 3 : JUMP_S_MAX))
      jumps++
      await pause(random.below(LIFE_MS_MAX / 4))
    }
    await site.kill()
  }
  jump(JUMP_S_MAX)
  await allDone(site, documents)
  compare(site, plans)
  return `schedule: ${2 * documents} changes made once under ${jumps} jumps of the clock and ${kills} kills`
}

async function schedule(site: KilledSite, { documents, random }: Pick<Round, 'documents' | 'random'>): Promise<ReadonlyMap<string, Plan>> {
  const begin = Date.now() + Math.max(LEAD_MS_MIN, Math.ceil(STARTS_OF_LEAD * site.startMs))
  const plans = new Map<string, Plan>()
  while (plans.size < documents) {
    const made = Array.from({ length: Math.min(BATCH, documents - plans.size) }, (): Plan => {
      const publishAt = begin + random.below(SPAN_MS)
      return { publishAt, unpublishAt: publishAt + 1 + random.below(SPAN_MS / 2) }
    })
    const operations = made.map(({ publishAt, unpublishAt }) => {
      const times = { publishAt: new Date(publishAt).toISOString(), unpublishAt: new Date(unpublishAt).toISOString() }
      const { id: _, ...headline } = bodyOf('headline') as Record<string, unknown>
      return { operation: 'create', model: 'headline', body: { ...headline, status: 'draft', ...times } }
    })
    const response = await site.call('POST', '/data/batch', { operations })
    const { data, error } = (await response.json()) as { data?: { results: { document: { id: string } }[] }; error?: object }
    assert.ok(data, JSON.stringify(error))
    data.results.forEach(({ document }, i) => plans.set(document.id, made[i] as Plan))
  }
  assert.ok(Date.now() < begin, 'the machine is too busy: the first time came before all was written')
  return plans
}

/** Waits until each document is archived. */
async function allDone(site: KilledSite, documents: number): Promise<void> {
  const until = performance.now() + GIVE_UP_MS
  for (;;) {
    const archived = readDatabase(site.data, (database) => Number(database.get("SELECT n FROM status_count WHERE model = 'headline' AND status = 'archived'")?.['n'] ?? 0))
    if (archived === documents) return
    assert.ok(performance.now() < until, `only ${archived} of ${documents} headlines were archived`)
    await pause(LOOK_MS)
  }
}

const CHANGES = "SELECT kind, status_before AS before, actor FROM change WHERE model = 'headline' AND id = ? ORDER BY seq"
const RECORDS = "SELECT json_extract(doc, '$.details[0].value') AS what FROM audit WHERE doc ->> '$.documentId' = ? AND doc ->> '$.role' = 'service' ORDER BY 1"

/** Each document with what happened to it. Returns the longest time between when a change could be made and when it was. */
function compare(site: KilledSite, plans: ReadonlyMap<string, Plan>): number {
  return inSoundDatabase(site.data, (database) => {
    assert.equal(database.all("SELECT 1 FROM headline WHERE doc ->> '$.status' <> 'archived'").length, 0)
    let late = 0
    for (const [id, { publishAt, unpublishAt }] of plans) {
      const changes = database.all(CHANGES, id).map(({ kind, before, actor }) => `${String(kind)} ${String(before)} ${actor === 'service' ? 'service' : 'person'}`)
      assert.deepEqual(changes, ['created null person', 'updated draft service', 'updated active service'], id)
      assert.deepEqual(database.all(RECORDS, id).map(({ what }) => what), ['publishAt', 'unpublishAt'], id)
      const doc = JSON.parse(String(database.get('SELECT doc FROM headline WHERE id = ?', id)?.['doc'])) as Record<string, string>
      assert.ok(!('publishAt' in doc) && !('unpublishAt' in doc), `${id} still has a time`)
      const [published, archived] = [Date.parse(doc['publishedAt'] ?? ''), Date.parse(doc['updatedAt'] ?? '')]
      assert.ok(published >= publishAt && archived >= unpublishAt, `${id} changed before its time`)
      for (const [at, done] of [[publishAt, published], [unpublishAt, archived]] as const) {
        const ready = Math.max(...site.readyAt.filter((one) => one <= done), 0)
        late = Math.max(late, done - Math.max(at, ready))
      }
    }
    return late
  })
}
