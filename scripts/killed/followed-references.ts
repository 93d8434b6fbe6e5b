/**
 * `npm run drill -- references [COPIES] [KILLS]`: headlines follow a topic that is renamed again and again, and a country,
 * while the service is killed with SIGKILL and writers save headlines with copies that they read before. In the end each
 * copy has to be what the topic is, and what no person has edited has to be as it was but for its copies.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '../../src/base/json.ts'
import { isSameJson } from '../../src/base/same-json.ts'
import { headline } from '../../src/models/headline.ts'
import { tableOf } from '../../src/store/schema/names.ts'
import { readDatabase } from '../tools/read-database.ts'
import { bodyOf } from '../tools/data-bodies.ts'
import { run } from '../tools/program.ts'
import { temporaryDirectory, type Cleanup } from '../tools/temporary-directory.ts'
import { inSoundDatabase, startKilledSite, type Drill, type KilledSite } from './killed-site.ts'

const LOOK_MS = 50
/** The service is killed after this time at most. */
const LIFE_MS_MAX = 700

/** Gives what happened. Throws what should not have. */
export async function drillReferences({ cleanup, random }: Drill, copies: number, kills: number): Promise<string> {
  const site = await startKilledSite(cleanup, { data: await fill(cleanup, copies) })
  const before = headlinesOf(site)
  const [ids, edited, isOver] = [[...before.keys()], new Set<string>(), new AbortController()]
  /** As an editor saves who had opened the headline a moment before. */
  const writing = site.keepSending(1, isOver.signal, async () => {
    const path = `/data/${random.pick(ids)}?model=headline`
    const { data } = (await (await site.call('GET', path)).json()) as { data: JsonObject }
    await pause(random.below(120))
    edited.add(String(data['id']))
    await site.call('PUT', path, { ...data, title: `Saved ${random.below(1e6)}` })
  })
  const since = performance.now()
  await rename(site, 'topic/topic-1', 'Renamed')
  await site.killRepeatedly(random, kills, LIFE_MS_MAX, async (n) => {
    if (n === 0) await rename(site, 'country/country-1', 'Renamed')
    if (n < kills - 1) await rename(site, 'topic/topic-1', `Renamed ${n}`)
  })
  isOver.abort()
  await writing
  for (const path of ['topic/topic-1', 'country/country-1']) await followed(site, path)
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  await site.kill()
  compare(site, before, edited)
  return `references: ${copies} copies exact after ${kills} kills in ${seconds} s, ${edited.size} headlines saved meanwhile`
}

/** Makes a data directory with headlines that hold copies of two documents, and returns its path. */
async function fill(cleanup: Cleanup, copies: number): Promise<string> {
  const directory = temporaryDirectory(cleanup)
  const data = join(directory, 'data')
  const rows = async (model: string, many: readonly object[]): Promise<void> => {
    const file = join(directory, `${model}.ndjson`)
    writeFileSync(file, many.map((row) => `${JSON.stringify({ ...bodyOf(model), ...row })}\n`).join(''))
    const { code, stderr } = await run(['import', '--data-dir', data, '--model', model, file])
    assert.equal(code, 0, stderr)
  }
  await rows('topic', [{ id: 'topic-1' }, { id: 'topic-2' }])
  await rows('country', [{ id: 'country-1' }])
  const source = { language: bodyOf('language'), headquarters: { id: 'country-1' } }
  await rows('source', [{ id: 'source-1', ...source }])
  const embedded = { topic: { id: 'topic-1' }, source: { id: 'source-1' }, eventCountry: { id: 'country-1' } }
  await rows('headline', Array.from({ length: copies }, (_, i) => ({ id: `headline-${i}`, ...embedded })))
  return data
}

/** `path` is that of a document: MODEL/ID. */
async function rename(site: KilledSite, path: string, name: string): Promise<void> {
  const [model, id] = path.split('/')
  const { status } = await site.call('PATCH', `/data/${id}?model=${model}`, { name })
  assert.equal(status, 200)
}

async function followed(site: KilledSite, path: string): Promise<void> {
  const [model, id] = path.split('/')
  for (;;) {
    const { data } = (await (await site.call('GET', `/data/${id}/usage?model=${model}`)).json()) as { data: { following: object | null } }
    if (data.following === null && behind(site) === 0) return
    await pause(LOOK_MS)
  }
}

/** Changes that are not followed yet, and work that is under way. */
function behind(site: KilledSite): number {
  return readDatabase(site.data, (database) => {
    const sql = "SELECT count(*) AS n FROM headline WHERE doc -> '$.topic' IS NOT (SELECT doc FROM topic WHERE id = 'topic-1') OR doc -> '$.source' IS NOT (SELECT doc FROM source)"
    return Number(database.get(sql)?.['n'])
  })
}

function headlinesOf(site: KilledSite): ReadonlyMap<string, JsonObject> {
  return readDatabase(site.data, (database) => {
    const rows = database.all(`SELECT id, doc FROM ${tableOf(headline)}`)
    return new Map(rows.map(({ id, doc }) => [String(id), JSON.parse(String(doc)) as JsonObject]))
  })
}

function compare(site: KilledSite, before: ReadonlyMap<string, JsonObject>, edited: ReadonlySet<string>): void {
  const tables = ["topic WHERE id = 'topic-1'", 'source', "country WHERE id = 'country-1'"]
  const [topic, source, country] = inSoundDatabase(site.data, (database) =>
    tables.map((table) => JSON.parse(String(database.get(`SELECT doc FROM ${table}`)?.['doc'])) as JsonObject),
  ) as [JsonObject, JsonObject, JsonObject]
  assert.ok(isSameJson(source['headquarters'] as JsonObject, country), 'the source has not followed')
  const after = headlinesOf(site)
  assert.equal(after.size, before.size)
  for (const [id, was] of before) {
    const is = after.get(id) ?? {}
    const wanted = { ...(edited.has(id) ? is : was), topic, source, eventCountry: country }
    assert.ok(isSameJson(is, wanted), `${id} is ${JSON.stringify(is)}, expected ${JSON.stringify(wanted)}`)
  }
}
