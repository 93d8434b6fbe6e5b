/**
 * `npm run bench -- query [N]`: the queries of the apps on N headlines (default 1,000,000) and on N/100, in the store.
 *
 * Headlines have realistic sizes (1.5 to 2.5 KB with embedded source, topic and country) and Zipf-like topics, sources
 * and countries. For each query: median and p99 in milliseconds, rows read, where it ran, and the ratio of the medians.
 * Then reads by id beside scans, the cost of one write, and sizes.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Services } from '../src/app/services.ts'
import type { Json, JsonObject } from '../src/base/json.ts'
import { readListQuery } from '../src/content/reads/list-query.ts'
import { country } from '../src/models/country.ts'
import { headline } from '../src/models/headline.ts'
import type { Model } from '../src/models/schema.ts'
import { source } from '../src/models/source.ts'
import { topic } from '../src/models/topic.ts'
import type { FindQuery } from '../src/store/store.ts'
import { SYSTEM } from '../src/store/actor.ts'
import { openBenchServices } from './bench/bench-services.ts'
import { fillWorld, type World } from './bench/world.ts'

const HEADLINES_DEFAULT = 1_000_000
const SMALLER = 100
const RUNS = 200
const RUNS_SLOW = 10
const SETTINGS = { limitDefault: 20, limitMax: 100, hideInactive: false }
const READER = { id: '0'.repeat(24), appRole: 'standardUser', dashboardRole: 'none' } as const

export async function benchQuery([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  const [large, small] = [Number(count), Math.max(100, Math.round(Number(count) / SMALLER))]
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  try {
    const before = await measure(join(directory, 'small'), small)
    const after = await measure(join(directory, 'large'), large)
    print(large, small, before, after)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Figure {
  readonly name: string
  readonly median: number
  readonly p99: number
  readonly where: string
  readonly answer: string
}

interface Measured {
  readonly queries: readonly Figure[]
  readonly others: readonly (readonly [name: string, value: string])[]
}

async function measure(path: string, count: number): Promise<Measured> {
  const services = await openBenchServices(path)
  try {
    const world = await fillWorld(services, count)
    const queries: Figure[] = []
    for (const [name, model, params] of screens(world)) queries.push(await time(services, name, { model, params }))
    for (const [name, model, params] of hardOnes())
      queries.push(await time(services, name, { model, params, runs: RUNS_SLOW }))
    queries.push(await deepPage(services, world))
    const others = [
      ...(await writes(services, world)),
      ...(await readsBesideScans(services, world)),
      ['loading', `${Math.round(world.loadedPerSecond)} headlines/s`] as const,
      ['database', `${Math.round(statSync(join(path, 'dateline.db')).size / count)} bytes a headline`] as const,
      ['resident memory', `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB`] as const,
    ]
    return { queries, others }
  } finally {
    await services.store.close()
  }
}

type Screen = readonly [name: string, model: Model, params: Params]
interface Params {
  readonly filter?: Json
  readonly sort?: string
  readonly limit?: number
}

/** The queries that the apps send. */
function screens({ topics, sources, countries }: World): readonly Screen[] {
  const ids = (items: readonly JsonObject[], ...places: number[]): string[] =>
    places.map((i) => String(items[i]?.['id']))
  const [byDate, byName] = ['updatedAt:desc', 'name:asc']
  const active = { status: 'active' }
  return [
    ['feed, everything', headline, { filter: active, sort: byDate, limit: 10 }],
    [
      'feed, 5 topics',
      headline,
      { filter: { 'topic.id': { $in: ids(topics, 0, 3, 9, 20, 40) }, ...active }, sort: byDate, limit: 10 },
    ],
    [
      'feed, 30 topics',
      headline,
      {
        filter: { 'topic.id': { $in: ids(topics, ...Array.from({ length: 30 }, (_, i) => i)) }, ...active },
        sort: byDate,
        limit: 10,
      },
    ],
    [
      'feed, 3 topics, 5 sources',
      headline,
      {
        filter: {
          'topic.id': { $in: ids(topics, 1, 4, 8) },
          'source.id': { $in: ids(sources, 2, 5, 30, 90, 200) },
          ...active,
        },
        sort: byDate,
        limit: 10,
      },
    ],
    [
      'feed, topics, sources, countries',
      headline,
      {
        filter: {
          'topic.id': { $in: ids(topics, 0, 1, 4) },
          'source.id': { $in: ids(sources, 0, 2, 5) },
          'eventCountry.id': { $in: ids(countries, 0, 1, 2) },
          ...active,
        },
        sort: byDate,
        limit: 10,
      },
    ],
    [
      'page of a common topic',
      headline,
      { filter: { 'topic.id': ids(topics, 0)[0] ?? '', ...active }, sort: byDate, limit: 10 },
    ],
    [
      'page of a rare source',
      headline,
      { filter: { 'source.id': ids(sources, 480)[0] ?? '', ...active }, sort: byDate, limit: 10 },
    ],
    [
      'page of a country',
      headline,
      { filter: { 'eventCountry.id': ids(countries, 50)[0] ?? '', ...active }, sort: byDate, limit: 10 },
    ],
    [
      'similar headlines',
      headline,
      { filter: { 'topic.id': ids(topics, 10)[0] ?? '', ...active }, sort: byDate, limit: 6 },
    ],
    ['suggested topics', topic, { filter: { _id: { $nin: ids(topics, 1, 2, 3) }, ...active }, sort: byName, limit: 5 }],
    ['choice of sources', source, { filter: active, sort: byName }],
    ['countries with headlines', country, { filter: { hasActiveHeadlines: true }, sort: byName }],
    ['countries with sources', country, { filter: { hasActiveSources: true }, sort: byName }],
    ['countries by usage and q', country, { filter: { q: 'an', usage: 'eventCountry' }, sort: byName, limit: 20 }],
    ['dashboard, drafts', headline, { filter: { status: 'draft' }, sort: byDate, limit: 10 }],
    [
      'dashboard, status $in',
      headline,
      {
        filter: { status: { $in: ['active', 'archived'] }, 'topic.id': { $in: ids(topics, 0, 5) } },
        sort: byDate,
        limit: 10,
      },
    ],
    [
      'dashboard, sources',
      source,
      {
        filter: { ...active, sourceType: { $in: ['blog'] }, 'language.code': { $in: ['en'] } },
        sort: byDate,
        limit: 10,
      },
    ],
    ['dashboard, overview', headline, { filter: active, sort: byDate, limit: 5 }],
    ['picker without filter', topic, { limit: 25 }],
    ['search, common word', headline, { filter: { title: { $regex: 'the', $options: 'i' } }, limit: 20 }],
    ['search, word', headline, { filter: { title: { $regex: 'harbour', $options: 'i' } }, limit: 20 }],
    ['search, two words', headline, { filter: { q: 'new bridge' }, sort: byDate, limit: 20 }],
    [
      'search in the dashboard',
      headline,
      { filter: { title: { $regex: 'night', $options: 'i' }, ...active }, sort: byDate, limit: 10 },
    ],
    ['search, no hit', headline, { filter: { title: { $regex: 'zyxwvut', $options: 'i' } }, limit: 20 }],
  ]
}

/** Queries that no app sends, and that some client will. */
function hardOnes(): readonly Screen[] {
  return [
    ['pattern that is not literal', headline, { filter: { title: { $regex: 'zy.*xw' } }, limit: 20 }],
    ['$ne', headline, { filter: { status: { $ne: 'active' } }, sort: 'updatedAt:desc', limit: 20 }],
    ['sort by an extra member', headline, { sort: 'rank:desc', limit: 20 }],
    ['sort by title', headline, { filter: { status: 'draft' }, sort: 'title:asc', limit: 20 }],
  ]
}

async function time(
  services: Services,
  name: string,
  { model, params, runs = RUNS }: { model: Model; params: Params; runs?: number },
): Promise<Figure> {
  const query = await queryOf(services, model, params)
  return timeQuery(services, name, { model, query, runs })
}

async function queryOf({ store }: Services, model: Model, { filter, sort, limit }: Params): Promise<FindQuery> {
  const params = { filter, sort, limit, cursor: undefined }
  return readListQuery(model, params, READER, { settings: SETTINGS, store })
}

async function timeQuery(
  { store }: Services,
  name: string,
  { model, query, runs }: { model: Model; query: FindQuery; runs: number },
): Promise<Figure> {
  const times: number[] = []
  let answer = ''
  const before = store.queryCounts()
  for (let i = 0; i < runs; i++) {
    await turn()
    const start = performance.now()
    try {
      const found = await store.find(model, query, { id: `bench ${i}`, class: 'user' })
      answer = `${found.items.length} items`
    } catch (error) {
      answer = error instanceof Error ? error.message.slice(0, 30) : 'failed'
    }
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const where = store.queryCounts().inline - before.inline === runs ? 'inline' : 'worker'
  return { name, median: times[runs >> 1] ?? 0, p99: times[Math.floor(runs * 0.99)] ?? 0, where, answer }
}

/** The hundredth page of a feed, by following cursors. */
async function deepPage(services: Services, { topics }: World): Promise<Figure> {
  const filter = { 'topic.id': { $in: [0, 2, 5].map((i) => String(topics[i]?.['id'])) }, status: 'active' }
  let query = await queryOf(services, headline, { filter, sort: 'updatedAt:desc', limit: 10 })
  for (let page = 1; page < 100; page++) {
    const { next } = await services.store.find(headline, query, { id: 'bench', class: 'user' })
    if (next === undefined) break
    query = { ...query, after: next }
  }
  return timeQuery(services, 'feed, 3 topics, page 100', { model: headline, query, runs: RUNS })
}

/** One headline in a shared commit of many: the sync to disk is spread over all, what is left is the work. */
async function writes({ store, newId }: Services, { template, count }: World): Promise<(readonly [string, string])[]> {
  const documents = Array.from({ length: 2_000 }, (_, i) => {
    const id = newId()
    return { id, value: { ...template(count + i), id } }
  })
  const times: number[] = []
  for (let i = 0; i < documents.length; i += 100) {
    const start = performance.now()
    await Promise.all(documents.slice(i, i + 100).map((document) => store.as(SYSTEM).insert(headline, document)))
    times.push((performance.now() - start) / 100)
  }
  times.sort((a, b) => a - b)
  const start = performance.now()
  const alone = 50
  for (let i = 0; i < alone; i++) {
    const id = newId()
    await store.as(SYSTEM).insert(headline, { id, value: { ...template(count + 5_000 + i), id } })
  }
  return [
    ['create, of 100 at once', `${(times[times.length >> 1] ?? 0).toFixed(3)} ms`],
    ['create, alone with its sync', `${((performance.now() - start) / alone).toFixed(3)} ms`],
  ]
}

async function readsBesideScans(services: Services, world: World): Promise<(readonly [string, string])[]> {
  const quiet = await readTimes(services, world, 3_000)
  const query = await queryOf(services, headline, { sort: 'rank:desc', limit: 20 })
  let isOver = false
  const scan = async (i: number): Promise<unknown> => services.store.find(headline, query, { id: `scan ${i}`, class: 'user' })
  const scans = (async () => {
    for (let i = 0; !isOver; i++) await scan(i).catch(() => undefined)
  })()
  const [busy, memory] = [await readTimes(services, world, 3_000), process.memoryUsage.rss()]
  isOver = true
  await scans
  return [
    ['read by id, p99 alone', `${quiet.toFixed(3)} ms`],
    ['read by id, p99 beside scans', `${busy.toFixed(3)} ms, ratio ${(busy / quiet).toFixed(1)}`],
    ['memory while scans run', `${Math.round(memory / 2 ** 20)} MiB`],
  ]
}

/** The p99 in milliseconds of reads by id, one after the other, for so long. */
async function readTimes({ store }: Services, { ids }: World, ms: number): Promise<number> {
  const times: number[] = []
  for (const end = performance.now() + ms; performance.now() < end;) {
    await turn()
    const start = performance.now()
    await store.get(headline, ids[Math.floor((times.length * 7919) % ids.length)] ?? '')
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)] ?? 0
}

function print(large: number, small: number, before: Measured, after: Measured): void {
  console.log(`store, ${large} headlines (ratio to ${small})\n`)
  console.log(
    `${'query'.padEnd(34)}${'median ms'.padStart(10)}${'p99 ms'.padStart(10)}${'ratio'.padStart(8)}  ran     answer`,
  )
  for (const [i, { name, median, p99, where, answer }] of after.queries.entries()) {
    const ratio = median / (before.queries[i]?.median ?? 1)
    console.log(
      `${name.padEnd(34)}${median.toFixed(3).padStart(10)}${p99.toFixed(3).padStart(10)}${ratio.toFixed(1).padStart(8)}  ${where.padEnd(8)}${answer}`,
    )
  }
  console.log()
  for (const [i, [name, value]] of after.others.entries())
    console.log(`${name.padEnd(34)}${value}   (${before.others[i]?.[1] ?? ''})`)
}
