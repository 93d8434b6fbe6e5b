/**
 * How the queries of the apps are answered: each has its plan here, so that a lost index is a failed test and not a
 * slow evening. The content is the sample, many times over.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { readListQuery } from '../../src/content/reads/list-query.ts'
import { sampleContent } from '../../src/content/seeds/sample.ts'
import { countrySeeds, languageSeeds } from '../../src/content/seeds/seeds.ts'
import type { Caller } from '../../src/models/caller.ts'
import { modelNamed } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { execute, noEffort } from '../../src/store/query/executor.ts'
import { runsInline } from '../../src/store/query/threads/turn-lane.ts'
import type { Plan } from '../../src/store/query/plan.ts'
import { planQuery, possiblePlans } from '../../src/store/query/planner.ts'
import { START } from '../support/service/service.ts'
import { sampleId } from '../support/query/headline-samples.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import type { FindQuery, Found } from '../../src/store/query/find-query.ts'

const COPIES = 6
/** There are fewer languages and countries. */
const SMALL_TABLE = 250
const CALLER: Caller = { id: sampleId(0), appRole: 'standardUser', dashboardRole: 'none' }
const SETTINGS = { limitDefault: 20, limitMax: 100, hideInactive: false }

const { store, dir } = testStore({ after: (work) => after(() => work()) })
const content = sampleContent({ now: START, countries: countrySeeds(), languages: languageSeeds() })
const database = openDatabase(dir.database, { readOnly: true })
after(() => database.close())

before(async () => {
  const insert = (name: string, items: readonly JsonObject[]): Promise<number> =>
    store.insertMissing(
      modelOf(name),
      items.map((value) => ({ id: String(value['id']), value })),
    )
  await insert('topic', content.topics)
  await insert('source', content.sources)
  await insert('country', countrySeeds())
  await insert('language', languageSeeds())
  await insert(
    'headline',
    Array.from({ length: COPIES }, (_, copy) => content.headlines.map((one, i) => later(one, copy, i))).flat(),
  )
  await insert(
    'user',
    Array.from({ length: 300 }, (_, i) => userNumber(i)),
  )
})

function later(headline: JsonObject, copy: number, i: number): JsonObject {
  const updatedAt = new Date(Date.parse(String(headline['updatedAt'])) + copy * 1_000).toISOString()
  const ends = i % 40 === 0 ? { unpublishAt: new Date(START + (copy * 100 + i) * 60_000).toISOString() } : {}
  return { ...headline, id: sampleId(copy * 10_000 + i), updatedAt, ...ends }
}

function userNumber(i: number): JsonObject {
  const createdAt = new Date(START + i * 1_000).toISOString()
  return {
    id: sampleId(i),
    email: `user${i}@example.org`,
    appRole: 'standardUser',
    dashboardRole: i === 0 ? 'admin' : 'none',
    createdAt,
  }
}

function modelOf(name: string): Model {
  const model = modelNamed(name)
  assert.ok(model)
  return model
}

const search = (text: string): Json => ({ $regex: text, $options: 'i' })

interface Asked {
  readonly search?: string
  readonly filter?: JsonObject
  readonly sort?: string
  readonly limit?: number
  readonly finds?: 'nothing'
}

/** The plan is worded as describePlan() does. */
type Row = readonly [model: string, name: string, plan: string, asked: Asked]

/** The first records that headlines really name: a list without any of them would be a query without an answer. */
const named = (member: string): string[] =>
  [...new Set(content.headlines.map((one) => (one[member] as JsonObject)['id'] as string))].sort().slice(0, 10)
const [topics, sources, countries] = [named('topic'), named('source'), named('eventCountry')]
const seats = [...new Set(content.sources.map((one) => (one['headquarters'] as JsonObject)['id'] as string))]
const FEED = { sort: 'updatedAt:desc', limit: 10 } as const
const NEWEST = { sort: 'createdAt:desc', limit: 10 } as const
const ACTIVE = { status: 'active' } as const
const CHOSEN = { 'source.id': { $in: sources }, 'topic.id': { $in: topics }, 'eventCountry.id': { $in: countries } }
const KINDS = { sourceType: { $in: ['blog', 'nationalNewsOutlet', 'localNewsOutlet'] }, 'language.code': { $in: ['en', 'de'] } }

const ROWS: readonly Row[] = [
  ['headline', 'feed', 'index status,updatedAt:desc exact, in order, 1 range', { filter: ACTIVE, ...FEED }],
  ['headline', 'feed of topics', 'index topic.id,status,updatedAt:desc exact, in order, 10 ranges',
    { filter: { 'topic.id': { $in: topics }, ...ACTIVE }, ...FEED }],
  ['headline', 'feed of sources', 'index source.id,status,updatedAt:desc exact, in order, 10 ranges',
    { filter: { 'source.id': { $in: sources }, ...ACTIVE }, ...FEED }],
  ['headline', 'feed of countries', 'index eventCountry.id,status,updatedAt:desc exact, in order, 10 ranges',
    { filter: { 'eventCountry.id': { $in: countries }, ...ACTIVE }, ...FEED }],
  ['headline', 'feed of topics, sources and countries', 'index eventCountry.id,status,updatedAt:desc exact, in order, 10 ranges',
    { filter: { ...CHOSEN, ...ACTIVE }, ...FEED }],
  ['headline', 'page of a topic', 'index topic.id,status,updatedAt:desc exact, in order, 1 range',
    { filter: { 'topic.id': topics[0] ?? '', ...ACTIVE }, ...FEED }],
  ['headline', 'publication', 'index status,publishedAt:desc exact, in order, 1 range', { filter: ACTIVE, sort: 'publishedAt:desc', limit: 30 }],
  ['headline', 'search', 'search headline_search exact, to sort, 2 ranges', { filter: { title: search('ferry') }, limit: 20 }],
  ['headline', 'search of two letters', 'ids superset, in order, 1 range', { filter: { title: search('ab') }, limit: 20 }],
  ['headline', 'pattern with a literal part', 'search headline_search superset, to sort, 2 ranges',
    { filter: { title: { $regex: '\\bfer+y\\b', $options: 'i' } }, limit: 20 }],
  ['headline', 'pattern of two words, of which one is there', 'search headline_search superset, to sort, 2 ranges',
    { filter: { title: { $regex: '(fer+ies|ferry) |xyzzy' } }, limit: 20 }],
  ['headline', 'pattern without a literal part of three letters', 'ids superset, in order, 1 range',
    { filter: { title: { $regex: 'f.rry?|ab' } }, limit: 20 }],
  ['headline', 'words, of which one is rare', 'search headline_search_words exact, to sort, 2 ranges',
    { search: 'xyzzy ferry', limit: 20, finds: 'nothing' }],
  ['headline', 'words of some headlines, and a condition', 'search headline_search_words exact, to sort, 2 ranges',
    { filter: ACTIVE, search: 'fer', ...FEED }],
  ['topic', 'suggested topics', 'index status,name exact, in order, 1 range',
    { filter: { _id: { $nin: topics }, ...ACTIVE }, sort: 'name:asc', limit: 5 }],
  ['source', 'suggested sources', 'index status,name exact, in order, 1 range',
    { filter: { _id: { $nin: sources }, ...ACTIVE }, sort: 'name:asc', limit: 5 }],
  ['country', 'countries with sources', 'index status,name exact, in order, 1 range',
    { filter: { hasActiveSources: true }, sort: 'name:asc' }],
  ['topic', 'August: topics', 'search topic_search exact, to sort, 2 ranges',
    { filter: { q: 'ship' }, sort: 'name:asc', limit: 10 }],
  ['source', 'August: sources', 'search source_search exact, to sort, 2 ranges',
    { filter: { q: 'post' }, sort: 'name:asc', limit: 10 }],
  ['country', 'August: countries', 'index status,name superset, in order, 1 range',
    { filter: { q: 'land', hasActiveHeadlines: true }, sort: 'name:asc', limit: 10 }],
  ['country', 'August: countries in headlines', 'index status,name exact, in order, 1 range',
    { filter: { usage: 'eventCountry' }, sort: 'name:asc', limit: 10 }],
  ['headline', 'dashboard: headlines in the order of titles', 'index title exact, in order, 1 range',
    { sort: 'title:asc', limit: 20 }],
  ['headline', 'dashboard: active headlines in the order of titles', 'index title exact, in order, 1 range',
    { filter: ACTIVE, sort: 'title:asc', limit: 20 }],
  ['headline', 'titles that begin with a text', 'index title superset, to sort, 1 range',
    { filter: { title: { $regex: '^The' } }, limit: 20 }],
  ['headline', 'all but one headline by id, and with a title', 'index status,updatedAt:desc exact, in order, 1 range',
    { filter: { ...ACTIVE, _id: { $ne: sampleId(1) }, title: { $exists: true } }, ...FEED }],
  ['headline', 'headlines before a date', 'index status,updatedAt:desc exact, in order, 1 range',
    { filter: { ...ACTIVE, updatedAt: { $lt: '2026-06-01' } }, ...FEED }],
  ['headline', 'dashboard: headlines by title', 'search headline_search exact, to sort, 2 ranges',
    { filter: { ...ACTIVE, title: search('ferry') }, ...FEED }],
  ['headline', 'dashboard: what is archived next', 'index unpublishAt? exact, in order, 1 range',
    { filter: { ...ACTIVE, unpublishAt: { $gt: '' } }, sort: 'unpublishAt:asc', limit: 10 }],
  ['headline', 'dashboard: what is published next', 'index publishAt? exact, in order, 1 range',
    { filter: { status: 'draft', publishAt: { $gt: '' } }, sort: 'publishAt:asc', limit: 10, finds: 'nothing' }],
  ['topic', 'dashboard: topics by name', 'search topic_search exact, to sort, 2 ranges',
    { filter: { ...ACTIVE, name: search('ing') }, ...FEED }],
  ['source', 'dashboard: sources', 'index status,updatedAt:desc exact, in order, 1 range', { filter: ACTIVE, ...FEED }],
  ['source', 'dashboard: sources of kinds, languages and countries', 'index status,updatedAt:desc exact, in order, 1 range',
    { filter: { ...ACTIVE, ...KINDS, 'headquarters.id': { $in: seats } }, ...FEED }],
  ...(['source', 'topic', 'country', 'language'] as const).flatMap((model): Row[] => {
    const isSearched = model === 'source' || model === 'topic'
    const searched = (index: string): string =>
      isSearched ? `search ${model}_search exact, to sort, 2 ranges` : `index ${index} superset, in order, 1 range`
    const byName = { name: search({ source: 'post', topic: 'ing' }[model as string] ?? 'land') }
    const PICKER = { sort: 'name:asc', limit: 10 }
    return [
      [model, 'dashboard: picker', 'index name exact, in order, 1 range', PICKER],
      [model, 'dashboard: picker by name', searched('name'), { filter: byName, ...PICKER }],
      [model, 'dashboard: picker of active ones', searched('status,name'), { filter: { ...ACTIVE, ...byName }, ...PICKER }],
      [model, 'dashboard: filter dialog', 'ids exact, in order, 1 range', { limit: 25 }],
    ]
  }),
  ['user', 'dashboard: users', 'index createdAt:desc exact, in order, 1 range', { sort: 'createdAt:desc', limit: 10 }],
  ['user', 'dashboard: users by e-mail', 'index createdAt:desc superset, in order, 1 range',
    { filter: { email: search('user12') }, sort: 'createdAt:desc', limit: 10 }],
  ['user', 'dashboard: users by role', 'index dashboardRole,createdAt:desc superset, in order, 2 ranges',
    { filter: { appRole: { $in: ['standardUser'] }, dashboardRole: { $in: ['admin', 'publisher'] } }, ...NEWEST }],
]

async function queryOf(model: string, { filter, search: words, sort, limit }: Asked): Promise<FindQuery> {
  const params = { filter, search: words, sort, limit: limit === undefined ? undefined : String(limit) }
  return readListQuery(modelOf(model), params as Parameters<typeof readListQuery>[1], CALLER, {
    settings: SETTINGS,
    store,
  })
}

/** `index status,updatedAt:desc exact, in order, 1 range`, without the model, and without what the index only keeps. */
function describePlan(plan: Plan, query: FindQuery): string {
  const { access, index, isExact, sortedBy, ranges } = plan
  const way = index === undefined ? access : `${access} ${index.replace(/^\w+\//, '').replace(/,\+.*/, '')}`
  // One key more than the sort has is the id.
  const order = sortedBy > query.sort.length ? 'in order' : sortedBy > 0 ? `${sortedBy} keys in order` : 'to sort'
  const number = ranges.length === 1 ? '1 range' : `${ranges.length} ranges`
  return [`${way} ${isExact ? 'exact' : 'superset'}`, order, number].join(', ')
}

/**
 * The steps that SQLite may take. A table is read through an index, be it from end to end in its order; the lists of
 * `IN` are gathered first. What a search finds is looked up by its number. Nothing is sorted.
 */
const STEPS = [
  /^SEARCH \w+ USING (COVERING )?INDEX \S+ \(/,
  /^SCAN \w+ USING (COVERING )?INDEX \S+$/,
  /^SCAN \w+_search(_words)? VIRTUAL TABLE INDEX 0:M\d+$/,
  /^SCAN \w+_search_pending$/,
  /^USING ROWID SEARCH ON TABLE \w+_search_pending FOR IN-OPERATOR$/,
  /^CORRELATED SCALAR SUBQUERY \d+$/,
  /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
  /^LIST SUBQUERY \d+$/,
  /^SCAN json_each VIRTUAL TABLE INDEX 1:$/,
  /^(MERGE \(UNION ALL\)|LEFT|RIGHT)$/,
  /^CREATE BLOOM FILTER$/,
]

function assertSteps({ ranges, pages = [], isExact, access }: Plan): void {
  for (const { sql, values } of [...ranges, ...pages]) {
    const steps = database.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => String(row['detail']))
    assert.ok(steps.length > 0)
    for (const step of steps)
      assert.ok(
        STEPS.some((known) => known.test(step)),
        `${step}\n${sql}`,
      )
    const reads = steps.filter((step) => step.startsWith('S') && !step.startsWith('SCAN json_each'))
    if (isExact && access === 'index') for (const step of reads) assert.match(step, /USING COVERING INDEX/, `reads documents: ${sql}`)
  }
}

function run(model: Model, query: FindQuery): { plan: Plan; found: Found; rowsRead: number } {
  const plan = planQuery(database, model, query)
  const effort = noEffort()
  const found = execute(database, model, { plan, query, effort, mayGoOn: () => true })
  assert.ok(found)
  return { plan, found, rowsRead: effort.rowsRead }
}

/** In proportion to the page; where a table has no more than that, all of it may be read. */
const rowsMax = ({ items }: Found): number => Math.max(SMALL_TABLE, 20 * items.length + 100)

describe('the plan of', () => {
  for (const [modelName, name, wanted, asked] of ROWS) {
    it(`${name} (${modelName}) is ${wanted}`, async () => {
      const [model, query] = [modelOf(modelName), await queryOf(modelName, asked)]
      const { plan, found, rowsRead } = run(model, query)
      assert.equal(describePlan(plan, query), wanted)
      assert.ok(runsInline(plan))
      assertSteps(plan)
      assert.equal(found.items.length === 0, asked.finds === 'nothing')
      assert.ok(rowsRead <= rowsMax(found), `${rowsRead} rows for ${found.items.length} items`)
      if (found.next === undefined) return
      const next = run(model, { ...query, after: found.next })
      // The next page may take another index, where that takes fewer ranges.
      assert.equal(next.plan.sortedBy, plan.sortedBy)
      assert.ok(next.rowsRead <= rowsMax(next.found), `${next.rowsRead} rows for the next page`)
      assertSteps(next.plan)
    })
  }
})

it('rows that conditions of SQL pass over count for the budget, but not in a thread', async () => {
  // SQLite looked through all active headlines in one step, beside other requests.
  const filter = { status: 'active', _id: { $gt: 'z' }, title: { $lt: ' ' } }
  const query = await queryOf('headline', { filter, sort: 'updatedAt:desc', limit: 10 })
  const rowsRead = (mayTakeLong: boolean): number => {
    const [plan, effort] = [planQuery(database, modelOf('headline'), query, { mayTakeLong }), noEffort()]
    assert.equal(plan.isExact, true)
    assertSteps(plan)
    const found = execute(database, modelOf('headline'), { plan, query, effort, mayGoOn: () => true })
    assert.deepEqual([found?.items, found?.next], [[], undefined])
    return effort.rowsRead
  }
  assert.ok(rowsRead(false) > 2_000)
  assert.equal(rowsRead(true), 0)
})

it('lists that each range gathers for itself count for the budget, and are no shortcut', async () => {
  // 30 ranges with three lists of a thousand values took 25 ms of the main thread, and counted as one.
  const members = Array.from({ length: 1_000 }, (_, i) => `no ${i}`)
  const filter = {
    'topic.id': { $in: Array.from({ length: 30 }, (_, i) => topics[i] ?? `none ${i}`) },
    ...ACTIVE,
    'source.id': { $nin: members },
    'eventCountry.id': { $nin: members },
    _id: { $nin: members },
  }
  const query = await queryOf('headline', { filter, ...FEED })
  const listedIn = ({ pages, ranges }: Plan): number =>
    (pages ?? ranges)
      .flatMap(({ values }) => values)
      .filter((value) => typeof value === 'string' && value.startsWith('['))
      .reduce<number>((sum, list) => sum + (JSON.parse(String(list)) as Json[]).length, 0)
  const plans = possiblePlans(database, modelOf('headline'), query).map(({ plan }) => plan)
  assert.ok(plans.some((plan) => listedIn(plan) >= 90_000))
  for (const plan of plans) {
    const effort = noEffort()
    execute(database, modelOf('headline'), { plan, query, effort, mayGoOn: () => true })
    assert.ok(effort.steps.taken >= 10 * listedIn(plan), `${effort.steps.taken} steps for ${listedIn(plan)} values`)
  }
  const { plan } = run(modelOf('headline'), query)
  assert.ok(listedIn(plan) <= 3_000, `${listedIn(plan)} values`)
})

it('cursors that are open when a later one fails are closed', async () => {
  const query = await queryOf('headline', { filter: { 'topic.id': { $in: topics.slice(0, 3) } }, sort: 'x', limit: 3 })
  const plans = possiblePlans(database, modelOf('headline'), query).map(({ plan }) => plan)
  const plan = plans.find(({ ranges }) => ranges.length === 3)
  assert.ok(plan)
  let [opened, closed] = [0, 0]
  const failing = Object.create(database, {
    cursor: {
      value(...of: Parameters<typeof database.cursor>) {
        if (++opened === 3) throw new Error('no memory')
        const { next, close } = database.cursor(...of)
        return { next, close: () => (closed++, close()) }
      },
    },
  }) as typeof database
  const task = { plan, query, effort: noEffort(), mayGoOn: () => true }
  assert.throws(() => execute(failing, modelOf('headline'), task), /no memory/)
  assert.deepEqual([opened, closed], [3, 2])
})

it('an index of few documents serves only what wants a value there, and finds what every other plan finds', async () => {
  const isSparse = ({ index }: Plan): boolean => index?.endsWith('?') === true
  for (const [filter, isTaken] of [
    [{ unpublishAt: { $gt: '' } }, true],
    [{ unpublishAt: { $lte: new Date(START + 300 * 60_000).toISOString() } }, true],
    [{}, false],
    [{ unpublishAt: { $ne: 'x' } }, false],
    [{ unpublishAt: null }, false],
    [{ $or: [{ unpublishAt: { $gt: '' } }, ACTIVE] }, false],
  ] as const) {
    for (const sort of ['unpublishAt:asc', 'unpublishAt:desc']) {
      let query = await queryOf('headline', { filter, sort, limit: 30 })
      for (let page = 0; page < 2; page++) {
        const plans = possiblePlans(database, modelOf('headline'), query, true)
        const found = plans.map(({ plan }) => execute(database, modelOf('headline'), { plan, query, effort: noEffort(), mayGoOn: () => true }))
        assert.equal(plans.some(({ plan }) => isSparse(plan)), isTaken, JSON.stringify(filter))
        for (const one of found) assert.deepEqual(one?.items, found[0]?.items)
        const after = found[0]?.next
        if (after === undefined) break
        query = { ...query, after }
      }
    }
  }
})
