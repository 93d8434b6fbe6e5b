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
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { execute, noEffort } from '../../src/store/plan/executor.ts'
import { runsInline } from '../../src/store/scan/inline-budget.ts'
import type { Plan } from '../../src/store/plan/plan.ts'
import { planQuery, possiblePlans } from '../../src/store/plan/planner.ts'
import { createKnownCounts } from '../../src/store/plan/statistics.ts'
import type { FindQuery, Found } from '../../src/store/store.ts'
import { START } from '../support/service/service.ts'
import { sampleId } from '../support/service/headline-samples.ts'
import { testStore } from '../support/service/stores.ts'

const COPIES = 10
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

interface Row {
  readonly search?: string
  readonly name: string
  readonly model: string
  readonly filter?: JsonObject
  readonly sort?: string
  readonly limit?: number
  /** As describePlan() words it. */
  readonly plan: string
  readonly finds?: 'nothing'
}

/** The first records that headlines really name: a list without any of them would be a query without an answer. */
const named = (member: string): string[] =>
  [...new Set(content.headlines.map((one) => (one[member] as JsonObject)['id'] as string))].sort().slice(0, 10)
const [topics, sources, countries] = [named('topic'), named('source'), named('eventCountry')]
const seats = [...new Set(content.sources.map((one) => (one['headquarters'] as JsonObject)['id'] as string))]
const FEED = { sort: 'updatedAt:desc', limit: 10 } as const
const ACTIVE = { status: 'active' } as const

const ROWS: readonly Row[] = [
  {
    name: 'feed',
    model: 'headline',
    filter: ACTIVE,
    ...FEED,
    plan: 'index headline/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'feed of topics',
    model: 'headline',
    filter: { 'topic.id': { $in: topics }, ...ACTIVE },
    ...FEED,
    plan: 'index headline/topic.id,status,updatedAt:desc exact, in order, 10 ranges, inline',
  },
  {
    name: 'feed of sources',
    model: 'headline',
    filter: { 'source.id': { $in: sources }, ...ACTIVE },
    ...FEED,
    plan: 'index headline/source.id,status,updatedAt:desc exact, in order, 10 ranges, inline',
  },
  {
    name: 'feed of countries',
    model: 'headline',
    filter: { 'eventCountry.id': { $in: countries }, ...ACTIVE },
    ...FEED,
    plan: 'index headline/eventCountry.id,status,updatedAt:desc exact, in order, 10 ranges, inline',
  },
  {
    name: 'feed of topics, sources and countries',
    model: 'headline',
    filter: {
      'topic.id': { $in: topics },
      'source.id': { $in: sources },
      'eventCountry.id': { $in: countries },
      ...ACTIVE,
    },
    ...FEED,
    plan: 'index headline/eventCountry.id,status,updatedAt:desc exact, in order, 10 ranges, inline',
  },
  {
    name: 'page of a topic',
    model: 'headline',
    filter: { 'topic.id': topics[0] ?? '', ...ACTIVE },
    ...FEED,
    plan: 'index headline/topic.id,status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'page of a source',
    model: 'headline',
    filter: { 'source.id': sources[0] ?? '', ...ACTIVE },
    ...FEED,
    plan: 'index headline/source.id,status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'page of a country',
    model: 'headline',
    filter: { 'eventCountry.id': countries[0] ?? '', ...ACTIVE },
    ...FEED,
    plan: 'index headline/eventCountry.id,status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'similar headlines',
    model: 'headline',
    filter: { 'topic.id': topics[1] ?? '', ...ACTIVE },
    sort: 'updatedAt:desc',
    limit: 6,
    plan: 'index headline/topic.id,status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'search',
    model: 'headline',
    filter: { title: search('ferry') },
    limit: 20,
    plan: 'search headline_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'search without a hit',
    model: 'headline',
    filter: { title: search('xyzzy') },
    limit: 20,
    finds: 'nothing',
    plan: 'search headline_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'search of two letters',
    model: 'headline',
    filter: { title: search('ab') },
    limit: 20,
    plan: 'ids superset, in order, 1 range, inline',
  },
  {
    name: 'pattern with a literal part',
    model: 'headline',
    filter: { title: { $regex: '\\bfer+y\\b', $options: 'i' } },
    limit: 20,
    plan: 'search headline_search superset, to sort, 2 ranges, inline',
  },
  {
    name: 'pattern of two words, of which one is there',
    model: 'headline',
    filter: { title: { $regex: '(fer+ies|ferry) |xyzzy' } },
    limit: 20,
    plan: 'search headline_search superset, to sort, 2 ranges, inline',
  },
  {
    name: 'beginning in any case',
    model: 'headline',
    filter: { title: { $regex: '^FERRY', $options: 'i' } },
    limit: 20,
    plan: 'search headline_search superset, to sort, 2 ranges, inline',
  },
  {
    name: 'pattern without a literal part of three letters',
    model: 'headline',
    filter: { title: { $regex: 'f.rry?|ab' } },
    limit: 20,
    plan: 'ids superset, in order, 1 range, inline',
  },
  {
    name: 'words, of which one is rare',
    model: 'headline',
    search: 'xyzzy ferry',
    limit: 20,
    finds: 'nothing',
    plan: 'search headline_search_words exact, to sort, 2 ranges, inline',
  },
  {
    name: 'words of some headlines, and a condition',
    model: 'headline',
    filter: ACTIVE,
    search: 'fer',
    ...FEED,
    plan: 'search headline_search_words exact, to sort, 2 ranges, inline',
  },
  {
    name: 'suggested topics',
    model: 'topic',
    filter: { _id: { $nin: topics }, ...ACTIVE },
    sort: 'name:asc',
    limit: 5,
    plan: 'index topic/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'suggested topics to a new user',
    model: 'topic',
    filter: { _id: { $nin: [] }, ...ACTIVE },
    sort: 'name:asc',
    limit: 5,
    plan: 'index topic/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'suggested sources',
    model: 'source',
    filter: { _id: { $nin: sources }, ...ACTIVE },
    sort: 'name:asc',
    limit: 5,
    plan: 'index source/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'choice of topics',
    model: 'topic',
    filter: ACTIVE,
    sort: 'name:asc',
    plan: 'index topic/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'choice of sources',
    model: 'source',
    filter: ACTIVE,
    sort: 'name:asc',
    plan: 'index source/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'countries with sources',
    model: 'country',
    filter: { hasActiveSources: true },
    sort: 'name:asc',
    plan: 'index country/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'countries with headlines',
    model: 'country',
    filter: { hasActiveHeadlines: true },
    sort: 'name:asc',
    plan: 'index country/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'August: headlines',
    model: 'headline',
    filter: { q: 'ferry' },
    ...FEED,
    plan: 'search headline_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'August: topics',
    model: 'topic',
    filter: { q: 'ship' },
    sort: 'name:asc',
    limit: 10,
    plan: 'search topic_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'August: sources',
    model: 'source',
    filter: { q: 'post' },
    sort: 'name:asc',
    limit: 10,
    plan: 'search source_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'August: countries',
    model: 'country',
    filter: { q: 'land', hasActiveHeadlines: true },
    sort: 'name:asc',
    limit: 10,
    plan: 'index country/status,name superset, in order, 1 range, inline',
  },
  {
    name: 'August: countries in headlines',
    model: 'country',
    filter: { usage: 'eventCountry' },
    sort: 'name:asc',
    limit: 10,
    plan: 'index country/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'August: countries of sources',
    model: 'country',
    filter: { usage: 'headquarters' },
    sort: 'name:asc',
    limit: 10,
    plan: 'index country/status,name exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: headlines',
    model: 'headline',
    filter: { status: 'draft' },
    ...FEED,
    plan: 'index headline/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: headlines in the order of titles',
    model: 'headline',
    sort: 'title:asc',
    limit: 20,
    plan: 'index headline/title exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: active headlines in the order of titles',
    model: 'headline',
    filter: ACTIVE,
    sort: 'title:asc',
    limit: 20,
    plan: 'index headline/title exact, in order, 1 range, inline',
  },
  {
    name: 'titles that begin with a text',
    model: 'headline',
    filter: { title: { $regex: '^The' } },
    limit: 20,
    plan: 'index headline/title superset, to sort, 1 range, inline',
  },
  {
    name: 'all but one headline by id, and with a title',
    model: 'headline',
    filter: { ...ACTIVE, _id: { $ne: sampleId(1) }, title: { $exists: true } },
    ...FEED,
    plan: 'index headline/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'headlines before a date',
    model: 'headline',
    filter: { ...ACTIVE, updatedAt: { $lt: '2026-06-01' } },
    ...FEED,
    plan: 'index headline/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: headlines by title',
    model: 'headline',
    filter: { ...ACTIVE, title: search('ferry') },
    ...FEED,
    plan: 'search headline_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'dashboard: headlines of sources, topics and countries',
    model: 'headline',
    filter: {
      ...ACTIVE,
      'source.id': { $in: sources },
      'topic.id': { $in: topics },
      'eventCountry.id': { $in: countries },
    },
    ...FEED,
    plan: 'index headline/eventCountry.id,status,updatedAt:desc exact, in order, 10 ranges, inline',
  },
  {
    name: 'dashboard: what is archived next',
    model: 'headline',
    filter: { ...ACTIVE, unpublishAt: { $gt: '' } },
    sort: 'unpublishAt:asc',
    limit: 10,
    plan: 'index headline/unpublishAt? exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: what is published next',
    model: 'headline',
    filter: { status: 'draft', publishAt: { $gt: '' } },
    sort: 'publishAt:asc',
    limit: 10,
    finds: 'nothing',
    plan: 'index headline/publishAt? exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: topics',
    model: 'topic',
    filter: ACTIVE,
    ...FEED,
    plan: 'index topic/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: topics by name',
    model: 'topic',
    filter: { ...ACTIVE, name: search('ing') },
    ...FEED,
    plan: 'search topic_search exact, to sort, 2 ranges, inline',
  },
  {
    name: 'dashboard: sources',
    model: 'source',
    filter: ACTIVE,
    ...FEED,
    plan: 'index source/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: sources of kinds, languages and countries',
    model: 'source',
    filter: {
      ...ACTIVE,
      sourceType: { $in: ['blog', 'nationalNewsOutlet', 'localNewsOutlet'] },
      'language.code': { $in: ['en', 'de'] },
      'headquarters.id': { $in: seats },
    },
    ...FEED,
    plan: 'index source/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  ...['source', 'topic', 'country', 'language'].flatMap((model): Row[] => {
    const isSearched = model === 'source' || model === 'topic'
    const searched = (index: string): string =>
      isSearched
        ? `search ${model}_search exact, to sort, 2 ranges, inline`
        : `index ${model}/${index} superset, in order, 1 range, inline`
    const byName = { name: search({ source: 'post', topic: 'ing' }[model] ?? 'land') }
    return [
      {
        name: 'dashboard: picker',
        model,
        sort: 'name:asc',
        limit: 10,
        plan: `index ${model}/name exact, in order, 1 range, inline`,
      },
      { name: 'dashboard: picker by name', model, filter: byName, sort: 'name:asc', limit: 10, plan: searched('name') },
      {
        name: 'dashboard: picker of active ones',
        model,
        filter: { ...ACTIVE, ...byName },
        sort: 'name:asc',
        limit: 10,
        plan: searched('status,name'),
      },
      { name: 'dashboard: filter dialog', model, limit: 25, plan: 'ids exact, in order, 1 range, inline' },
    ]
  }),
  {
    name: 'dashboard: overview',
    model: 'headline',
    filter: ACTIVE,
    sort: 'updatedAt:desc',
    limit: 5,
    plan: 'index headline/status,updatedAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: users',
    model: 'user',
    sort: 'createdAt:desc',
    limit: 10,
    plan: 'index user/createdAt:desc exact, in order, 1 range, inline',
  },
  {
    name: 'dashboard: users by e-mail',
    model: 'user',
    filter: { email: search('user12') },
    sort: 'createdAt:desc',
    limit: 10,
    plan: 'index user/createdAt:desc superset, in order, 1 range, inline',
  },
  {
    name: 'dashboard: users by role',
    model: 'user',
    filter: { appRole: { $in: ['standardUser'] }, dashboardRole: { $in: ['admin', 'publisher'] } },
    sort: 'createdAt:desc',
    limit: 10,
    plan: 'index user/dashboardRole,createdAt:desc superset, in order, 2 ranges, inline',
  },
]

async function queryOf({ model, filter, search: words, sort, limit }: Row): Promise<FindQuery> {
  const params = { filter, search: words, sort, limit: limit === undefined ? undefined : String(limit) }
  return readListQuery(modelOf(model), params as Parameters<typeof readListQuery>[1], CALLER, {
    settings: SETTINGS,
    store,
  })
}

/** `index headline/status,updatedAt:desc exact, in order, 1 range, inline`, without what the index only keeps. */
function describePlan(plan: Plan, query: FindQuery): string {
  const { access, index, isExact, sortedBy, ranges } = plan
  const way = index === undefined ? access : `${access} ${index.replace(/,\+.*/, '')}`
  // One key more than the sort has is the id.
  const order = sortedBy > query.sort.length ? 'in order' : sortedBy > 0 ? `${sortedBy} keys in order` : 'to sort'
  const number = ranges.length === 1 ? '1 range' : `${ranges.length} ranges`
  return [
    `${way} ${isExact ? 'exact' : 'superset'}`,
    order,
    number,
    runsInline(plan) ? 'inline' : 'in a thread',
  ].join(', ')
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
  for (const row of ROWS) {
    it(`${row.name} (${row.model})`, async () => {
      const [model, query] = [modelOf(row.model), await queryOf(row)]
      const { plan, found, rowsRead } = run(model, query)
      assert.equal(describePlan(plan, query), row.plan)
      assertSteps(plan)
      assert.equal(found.items.length === 0, row.finds === 'nothing')
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
  const query = await queryOf({ name: '', model: 'headline', filter, sort: 'updatedAt:desc', limit: 10, plan: '' })
  const rowsRead = (mayTakeLong: boolean): number => {
    const [plan, effort] = [planQuery(database, modelOf('headline'), query, { mayTakeLong }), noEffort()]
    assert.equal(plan.isExact, true)
    assertSteps(plan)
    const found = execute(database, modelOf('headline'), { plan, query, effort, mayGoOn: () => true })
    assert.deepEqual([found?.items, found?.next], [[], undefined])
    return effort.rowsRead
  }
  assert.ok(rowsRead(false) > 3_000)
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
  const query = await queryOf({ name: '', model: 'headline', filter, ...FEED, plan: '' })
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
      let query = await queryOf({ name: '', model: 'headline', filter, sort, limit: 30, plan: '' })
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

it('counts that steer the choice of a plan are looked up again when something has changed', () => {
  let changes = 1
  const countsNow = createKnownCounts(() => changes)
  countsNow().set('SELECT max(seq)', 7)
  assert.equal(countsNow().get('SELECT max(seq)'), 7)
  changes++
  assert.equal(countsNow().size, 0)
})
