/**
 * `npm run drill -- references [COPIES] [KILLS]`: headlines follow a topic that is renamed again and again, and a country,
 * while the service is killed with SIGKILL and writers save headlines with copies that they read before. In the end each
 * copy has to be what the topic is, and what no person has edited has to be as it was but for its copies.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '../src/base/json.ts'
import { isSameJson } from '../src/base/same-json.ts'
import { headline } from '../src/models/headline.ts'
import { faultsOf } from '../src/store/sqlite/database-check.ts'
import { tableOf } from '../src/store/sqlite/schema-sql.ts'
import { readDatabase } from '../test/support/service/read-database.ts'
import { bodyOf } from '../test/support/service/data-bodies.ts'
import { run, serve, type RunningService } from '../test/support/service/program.ts'
import { seededRandom, type Random } from '../test/support/random.ts'
import { temporaryDirectory, type Cleanup } from '../test/support/service/temporary-directory.ts'

const ADMIN = 'admin@example.org'
const LOOK_MS = 50
/** The service is killed after this time at most. */
const LIFE_MS_MAX = 700

export interface ReferencesDrill {
  readonly copies: number
  readonly kills: number
  readonly seed: number
}

interface Site {
  readonly data: string
  call(method: string, path: string, body?: object): Promise<Response>
  kill(): Promise<void>
}

/** Gives what happened. Throws what should not have. */
export async function drillReferences({ copies, kills, seed }: ReferencesDrill): Promise<string> {
  const cleanups: (() => void | Promise<void>)[] = []
  const cleanup: Cleanup = { after: (work) => void cleanups.unshift(work) }
  try {
    const random = seededRandom(seed)
    const site = await startSite(cleanup, copies)
    const before = headlinesOf(site)
    const edited = new Set<string>()
    const isOver = new AbortController()
    const writing = keepSaving(site, { random, ids: [...before.keys()], edited, signal: isOver.signal })
    const since = performance.now()
    for (let n = 0; n < kills; n++) {
      await rename(site, 'topic/topic-1', `Renamed ${n}`)
      await pause(50 + random.below(LIFE_MS_MAX))
      await site.kill()
      if (n === 0) await rename(site, 'country/country-1', 'Renamed')
    }
    isOver.abort()
    await writing
    for (const path of ['topic/topic-1', 'country/country-1']) await followed(site, path)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    await site.kill()
    compare(site, before, edited)
    return `references: ${copies} copies exact after ${kills} kills in ${seconds} s, ${edited.size} headlines saved meanwhile`
  } finally {
    for (const work of cleanups) await work()
  }
}

async function startSite(cleanup: Cleanup, copies: number): Promise<Site> {
  const directory = temporaryDirectory(cleanup)
  const data = join(directory, 'data')
  const rows = (model: string, many: readonly object[]): Promise<void> => {
    const file = join(directory, `${model}.ndjson`)
    writeFileSync(file, many.map((row) => `${JSON.stringify({ ...bodyOf(model), ...row })}\n`).join(''))
    return done(['import', '--data-dir', data, '--model', model, file])
  }
  await rows('topic', [{ id: 'topic-1' }, { id: 'topic-2' }])
  await rows('country', [{ id: 'country-1' }])
  const source = { language: bodyOf('language'), headquarters: { id: 'country-1' } }
  await rows('source', [{ id: 'source-1', ...source }])
  const embedded = { topic: { id: 'topic-1' }, source: { id: 'source-1' }, eventCountry: { id: 'country-1' } }
  await rows('headline', Array.from({ length: copies }, (_, i) => ({ id: `headline-${i}`, ...embedded })))
  const words = ['--data-dir', data, '--admin-email', ADMIN, '--rate-limits', 'off', '--log-level', 'error']
  const start = (): Promise<RunningService> => serve(cleanup, words)
  let running = start()
  await running
  const { code, stdout, stderr } = await run(['token', '--data-dir', data, '--email', ADMIN])
  assert.equal(code, 0, stderr)
  const headers = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' }
  return {
    data,
    async call(method, path, body) {
      const { url } = await running
      return fetch(`${url}/api/v1/data${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    },
    async kill() {
      const killed = running
      running = (async () => {
        await (await killed).end('SIGKILL')
        return start()
      })()
      await running
    },
  }
}

async function done(words: readonly string[]): Promise<void> {
  const { code, stderr } = await run(words)
  assert.equal(code, 0, stderr)
}

/** `path` is that of a document: MODEL/ID. */
async function rename(site: Site, path: string, name: string): Promise<void> {
  const [model, id] = path.split('/')
  const { status } = await site.call('PATCH', `/${id}?model=${model}`, { name })
  assert.equal(status, 200)
}

/** Saves headlines as an editor does who had opened them a moment before; a service that is killed meanwhile is no fault. */
async function keepSaving(site: Site, { random, ids, edited, signal }: { readonly random: Random; readonly ids: readonly string[]; readonly edited: Set<string>; readonly signal: AbortSignal }): Promise<void> {
  while (!signal.aborted) {
    const path = `/${random.pick(ids)}?model=headline`
    try {
      const { data } = (await (await site.call('GET', path)).json()) as { data: JsonObject }
      await pause(random.below(120))
      edited.add(String(data['id']))
      await site.call('PUT', path, { ...data, title: `Saved ${random.below(1e6)}` })
    } catch {
      await pause(20)
    }
  }
}

async function followed(site: Site, path: string): Promise<void> {
  const [model, id] = path.split('/')
  for (;;) {
    const { data } = (await (await site.call('GET', `/${id}/usage?model=${model}`)).json()) as { data: { following: object | null } }
    if (data.following === null && behind(site) === 0) return
    await pause(LOOK_MS)
  }
}

/** Changes that are not followed yet, and work that is under way. */
function behind(site: Site): number {
  return readDatabase(site.data, (database) => {
    const sql = "SELECT count(*) AS n FROM headline WHERE doc -> '$.topic' IS NOT (SELECT doc FROM topic WHERE id = 'topic-1') OR doc -> '$.source' IS NOT (SELECT doc FROM source)"
    return Number(database.get(sql)?.['n'])
  })
}

function headlinesOf(site: Site): ReadonlyMap<string, JsonObject> {
  return readDatabase(site.data, (database) => {
    const rows = database.all(`SELECT id, doc FROM ${tableOf(headline)}`)
    return new Map(rows.map(({ id, doc }) => [String(id), JSON.parse(String(doc)) as JsonObject]))
  })
}

function compare(site: Site, before: ReadonlyMap<string, JsonObject>, edited: ReadonlySet<string>): void {
  assert.deepEqual(readDatabase(site.data, faultsOf), [])
  const [topic, source, country] = ['topic WHERE id = \'topic-1\'', 'source', "country WHERE id = 'country-1'"].map((table) =>
    readDatabase(site.data, (database) => JSON.parse(String(database.get(`SELECT doc FROM ${table}`)?.['doc'])) as JsonObject),
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
