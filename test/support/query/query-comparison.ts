/**
 * The store's results against brute force: all documents that `matches` accepts, sorted by `comparePositions`.
 *
 * The same documents are in a database with all declared indexes and in one without any. They come there by the store's
 * own writes, some of them changed or removed again, so that what the writes keep up (counts, the trigram index) is
 * compared as well. A query is run page by page, each cursor on its way through its text, and then from any place.
 */
import { Failure } from '../../../src/base/failure.ts'
import { writeJson, type Json, type JsonObject } from '../../../src/base/json.ts'
import { headline } from '../../../src/models/headline.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import type { Model } from '../../../src/models/schema.ts'
import type { Filter } from '../../../src/query/ast.ts'
import { readCursor, writeCursor } from '../../../src/query/cursor.ts'
import { matches } from '../../../src/query/match.ts'
import { comparePositions, parseSort, sortKeys, type Position, type Sort } from '../../../src/query/order.ts'
import { parseFilter } from '../../../src/query/parse.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { execute, noEffort } from '../../../src/store/query/executor.ts'
import type { Plan } from '../../../src/store/query/plan.ts'
import { planQuery, possiblePlans } from '../../../src/store/query/planner.ts'
import { QUERY_READER } from './query-reader.ts'
import { randomHeadline, SAMPLE_EXTRAS, sampleId } from './headline-samples.ts'
import { randomFilter, randomSort } from './query-generator.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { openForTest, testStore, type SystemStore } from '../../../scripts/tools/stores.ts'
import type { FindQuery, Found } from '../../../src/store/query/find-query.ts'

/** Around so many documents there are when changes have gone on for a while. */
const DOCUMENTS_ABOUT = 40
const PAGES_MAX = 3
/** Every other plan is tried once in so many queries. */
const ALL_PLANS_ODDS = 3
const LIMITS = [1, 2, 3, 7, 20, 100] as const

const { trigrams: _trigrams, counted: _counted, tallied: _tallied, ...declared } = headline
/** The same documents, and nothing that serves a query. */
const bareHeadline: Model = { ...declared, indexes: [] }

interface Copy {
  readonly model: Model
  /** Its file. */
  readonly file: string
  readonly store: SystemStore
  readonly database: Database
}

export interface World {
  readonly indexed: Copy
  readonly bare: Copy
  /** The documents by id. */
  readonly documents: Map<string, { readonly document: JsonObject; readonly text: string }>
  /** Inserts, replaces and removes so many documents, in both databases. */
  change(random: Random, times: number): Promise<void>
}

export function createWorld(t: Cleanup): World {
  const copyOf = (model: Model): Copy => {
    const models = STORED_MODELS.map((one) => (one.name === model.name ? model : one))
    const { store, dir } = testStore(t, models)
    const database = openForTest(t, dir.database, { readOnly: true })
    return { model, file: dir.database, store, database }
  }
  const [indexed, bare] = [copyOf(headline), copyOf(bareHeadline)]
  const documents: World['documents'] = new Map()
  let made = 0
  const changeOne = (random: Random): Promise<unknown>[] => {
    const known = [...documents.keys()]
    const isNew = known.length === 0 || random.oneIn(3) !== known.length < DOCUMENTS_ABOUT
    const id = isNew ? sampleId(made++) : random.pick(known)
    const copies = [indexed, bare]
    if (!isNew && random.oneIn(3)) {
      documents.delete(id)
      return copies.map(({ store, model }) => store.remove(model, id))
    }
    const document = randomHeadline(random, id)
    documents.set(id, { document, text: writeJson(document) })
    if (isNew) return copies.map(({ store, model }) => store.insert(model, { id, value: document }))
    return copies.map(({ store, model }) => store.update(model, id, () => document))
  }
  return {
    indexed,
    bare,
    documents,
    async change(random, times) {
      await Promise.all(Array.from({ length: times }, () => changeOne(random)).flat())
    },
  }
}

export interface QueryCase {
  readonly filter: Json
  readonly sort: string
  readonly limit: number
}

export function randomQueryCase(random: Random): QueryCase {
  return { filter: randomFilter(random), sort: randomSort(random), limit: random.pick(LIMITS) }
}

/** Everything that the planner holds to be right beside what the store would do. */
function otherPlans(database: Database, model: Model, query: FindQuery): readonly Plan[] {
  return [false, true].flatMap((mayTakeLong) => possiblePlans(database, model, query, mayTakeLong)).map(({ plan }) => plan)
}

/** What was met in comparisons, so that a test can tell whether they mean anything. */
export interface Tally {
  cases: number
  /** Cases that match some documents and not all. */
  telling: number
  pages: number
  readonly kinds: Map<string, number>
}

export function newTally(): Tally {
  return { cases: 0, telling: 0, pages: 0, kinds: new Map() }
}

export interface Comparison {
  readonly world: World
  readonly copy: Copy
  readonly random: Random
  readonly tally: Tally
}

/** Runs a query and returns the first difference from brute force, as a text; undefined where there is none. */
export function differenceOf(queryCase: QueryCase, { world, copy, random, tally }: Comparison): string | undefined {
  const truth = bruteForce(world, queryCase)
  const { filter, sort, ordered } = truth
  tally.cases++
  if (ordered.length > 0 && ordered.length < world.documents.size) tally.telling++
  const pageAfter = (after: Position | undefined, withOthers: boolean): string | undefined => {
    const query: FindQuery = { filter, sort, limit: queryCase.limit, after }
    tally.pages++
    const chosen = planQuery(copy.database, copy.model, query)
    countKinds(chosen, query, tally)
    for (const plan of [chosen, ...(withOthers ? otherPlans(copy.database, copy.model, query) : [])]) {
      const found = execute(copy.database, copy.model, { plan, query, effort: noEffort(), mayGoOn: () => true })
      const difference = differenceOfPage(found, query, truth)
      if (difference !== undefined) return `${difference}\n${describePlan(plan)}\nafter ${JSON.stringify(after)}`
    }
    return undefined
  }
  let after: Position | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const difference = pageAfter(after, false)
    if (difference !== undefined) return difference
    const last = ordered[(page + 1) * queryCase.limit - 1]
    if (last === undefined) break
    after = sentAsCursor(last, copy.model, sort)
  }
  return pageAfter(sentAsCursor(anyPlace(world, sort, random), copy.model, sort), random.oneIn(ALL_PLANS_ODDS))
}

/** Runs it in the store itself, page by page. */
export async function differenceOfStore(
  queryCase: QueryCase,
  { world, model, find }: { readonly world: World; readonly model: Model; readonly find: SystemStore['documents']['find'] },
): Promise<string | undefined> {
  const truth = bruteForce(world, queryCase)
  const { filter, sort, ordered } = truth
  let after: Position | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const query: FindQuery = { filter, sort, limit: queryCase.limit, after }
    const found = await find(model, query, QUERY_READER)
    const difference = differenceOfPage(found, query, truth)
    if (difference !== undefined) return `${difference}\nafter ${JSON.stringify(after)}`
    if (found.next === undefined || ordered.length === 0) return undefined
    after = sentAsCursor(found.next, model, sort)
  }
  return undefined
}

interface Truth {
  readonly filter: Filter
  readonly sort: Sort
  readonly ordered: readonly (Position & { readonly text: string })[]
}

function bruteForce({ documents }: World, queryCase: QueryCase): Truth {
  const filter = parseFilter(queryCase.filter)
  const sort = queryCase.sort === '' ? [] : parseSort(queryCase.sort)
  const ordered = [...documents]
    .filter(([, { document }]) => matches(filter, document))
    .map(([id, { document, text }]) => ({ id, text, keys: sortKeys(document, sort) }))
    .sort((a, b) => comparePositions(sort, a, b))
  return { filter, sort, ordered }
}

function differenceOfPage(
  found: Found | undefined,
  { sort, limit = 0, after }: FindQuery,
  { ordered }: Truth,
): string | undefined {
  if (found === undefined) return 'the scan was given up'
  const rest = after === undefined ? ordered : ordered.filter((place) => comparePositions(sort, place, after) > 0)
  const wanted = rest.slice(0, limit)
  const isSame = found.items.length === wanted.length && wanted.every(({ text }, i) => text === found.items[i])
  if (!isSame)
    return `expected ${wanted.map(({ id }) => Number(`0x${id.slice(-4)}`))}, found ${found.items.map(shortId)}`
  const joined = Buffer.from(found.joined).toString()
  if (joined !== wanted.map(({ text }) => text).join()) return `the joined documents are others: ${joined}`
  const last = wanted.at(-1)
  const next = rest.length > wanted.length ? last : undefined
  if (
    writeJson((next?.keys ?? null) as Json) === writeJson((found.next?.keys ?? null) as Json) &&
    next?.id === found.next?.id
  )
    return undefined
  return `expected to go on after ${JSON.stringify(next)}, found ${JSON.stringify(found.next)}`
}

function shortId(text: string): number {
  return Number(`0x${String((JSON.parse(text) as { id: string }).id).slice(-4)}`)
}

/** A place where a page may begin: that of any document, matching or not, or one that no document has. */
function anyPlace({ documents }: World, sort: Sort, random: Random): Position {
  const [one, other] = [random.pick([...documents.values()]), random.pick([...documents.values()])]
  const keys = sortKeys(one.document, sort)
  const place = { keys, id: String(one.document['id']) }
  if (!random.oneIn(3)) return place
  const otherKeys = sortKeys(other.document, sort)
  const strange: readonly Json[] = [...SAMPLE_EXTRAS.filter((value) => !Array.isArray(value)), '\ud800', 'active', 't2', []]
  return {
    keys: keys.map((key, i) => random.pick([key, otherKeys[i] ?? null, random.pick(strange)])),
    id: random.pick([place.id, '', 'zzz']),
  }
}

function sentAsCursor({ keys, id }: Position, { name }: Model, sort: Sort): Position {
  return readCursor(writeCursor({ model: name, sort, keys, id }), { model: name, sort })
}

function countKinds(plan: Plan, { sort }: FindQuery, { kinds }: Tally): void {
  const exact = plan.isExact ? 'exact' : 'superset'
  const order = plan.sortedBy > sort.length ? 'total' : plan.sortedBy > 0 ? 'partial' : 'none'
  const found = [plan.access, `${plan.access} ${exact}`, `order ${order}`]
  if (plan.ranges.length > 1) found.push('merged ranges')
  if (plan.access === 'index' && order !== 'none' && isBackwards(plan)) found.push('order backwards')
  for (const kind of found) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
}

/** The only descending column of the indexes, read in ascending order. */
function isBackwards({ ranges: [range], index }: Plan): boolean {
  const order = / ORDER BY (.*)$/.exec(range?.sql ?? '')?.[1] ?? ''
  return index?.includes('updatedAt:desc') === true && order.includes('"updatedAt"') && !order.includes('DESC')
}

function describePlan({ access, index, ranges, isExact, sortedBy, keyColumns }: Plan): string {
  const head = `${access} ${index ?? ''} ${isExact ? 'exact' : 'superset'} sortedBy ${sortedBy} keys ${keyColumns}`
  return [head, ...ranges.slice(0, 6).map(({ sql, values }) => `  ${sql} ${JSON.stringify(values)}`)].join('\n')
}

/** The difference with all that is needed to see it again. */
export function report(queryCase: QueryCase, copy: Copy, difference: string): string {
  const about = `filter ${writeJson(queryCase.filter)} sort ${JSON.stringify(queryCase.sort)} limit ${queryCase.limit}`
  return `${copy.model.indexes.length === 0 ? 'without' : 'with'} indexes, ${about}\n${difference}`
}

/** differenceOf(), where an error of the database is a difference too. A rejected query is a fault of the samples. */
export function differenceOrError(queryCase: QueryCase, comparison: Comparison): string | undefined {
  try {
    return differenceOf(queryCase, comparison)
  } catch (error) {
    if (error instanceof Failure) throw error
    return error instanceof Error ? error.stack : String(error)
  }
}
