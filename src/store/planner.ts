/**
 * From a query to the SQL that narrows it.
 *
 * A plan is a list of ranges: SQL statements whose rows together are a superset of the answer. Each range delivers its
 * rows in the order of the first keys of the sort (`sortedBy`), so that the executor can merge them and stop when the
 * page is full. Where SQL has decided every condition the plan is exact, and no document is parsed.
 *
 * There are four ways in: an index whose leading columns the filter fixes, one range for each combination of their
 * values; the trigram index of the search field; the ids in order; the whole table. The cheapest by the counts of
 * statistics.ts is taken, of equals the first named, so the same query on the same data has the same plan.
 * `INDEXED BY` holds SQLite to the choice: a lost index is an error, never a slow query (sqlite.org/lang_indexedby.html).
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Model } from '../models/schema.ts'
import { isTextPath } from '../models/text-paths.ts'
import type { CompareOperator } from '../query/ast.ts'
import type { Sort } from '../query/order.ts'
import { conditionsOf, isSqlText, type Conditions } from './conditions.ts'
import type { Database } from './database.ts'
import { indexColumns, keptPaths, tableOf, trigramColumns, trigramTable, valueAt, type IndexColumn } from './schema-sql.ts'
import { guessShare, statisticsOf, type Statistics } from './statistics.ts'
import type { FindQuery } from './store.ts'
import { countTexts, indexedText, rarestTrigrams, searchPath, trigramQuery, trigramsOf } from './trigram-index.ts'

/** Rows are `[seq, id, doc or NULL, …keys]`, with the first `keyColumns` keys of the sort. */
export interface Range {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export interface Plan {
  readonly access: 'nothing' | 'index' | 'search' | 'ids' | 'table'
  /** The index, as the database names it; undefined for the table. */
  readonly index: string | undefined
  readonly ranges: readonly Range[]
  readonly keyColumns: number
  /** Rows of a range come in the order of so many keys; one more than the sort has when ids are in order too. */
  readonly sortedBy: number
  /** SQL has decided: every row is a match. */
  readonly isExact: boolean
  /** Rows bring their documents, to be judged or for keys that SQL cannot tell. */
  readonly readsDocuments: boolean
  /** Rows that are expected to be read. */
  readonly expectedRows: number
}

/** Ranges of one plan; more seeks than this are no shortcut. */
const RANGES_MAX = 1_000
/** A trigram in so many texts is common. */
const PROBED_MAX = 1_500
/** Candidates of a search that are counted and gathered; a text in more documents is met soon on the way in order. */
const CANDIDATES_MAX = 8_000
/** Costs in rows of an index: to start a range, to read and judge a document, to take a row out of the search index. */
const SEEK_COST = 2
const DOCUMENT_COST = 5
const CANDIDATE_COST = 2

/** `mayTakeLong` lets the planner count more than it may beside other requests. */
export function planQuery(database: Database, model: Model, query: FindQuery, { mayTakeLong = false } = {}): Plan {
  return possiblePlans(database, model, query, mayTakeLong).reduce((best, one) => (one.cost < best.cost ? one : best)).plan
}

/** Every plan that would answer the query, with its cost; of plans that cost the same the first is taken. */
export function possiblePlans(
  database: Database,
  model: Model,
  query: FindQuery,
  mayTakeLong = false,
): readonly Candidate[] {
  const conditions = conditionsOf(model, query.filter)
  if (conditions.never) return [{ plan: NOTHING, cost: 0 }]
  const statistics = statisticsOf(database, model)
  const search = searchOf(database, model, conditions, mayTakeLong)
  const task: Task = { model, query, conditions, statistics, search, matches: expectedMatches(conditions, statistics, search) }
  const plans = [...indexPlans(task), searchPlan(task), idPlan(task), tablePlan(task)]
  return plans.filter((plan) => plan !== undefined)
}

const NOTHING: Plan = {
  access: 'nothing', index: undefined, ranges: [], keyColumns: 0, sortedBy: 0, isExact: true, readsDocuments: false, expectedRows: 0,
}

interface Task {
  readonly model: Model
  readonly query: FindQuery
  readonly conditions: Conditions
  readonly statistics: Statistics
  readonly search: Search | undefined
  /** Documents that are expected to match. */
  readonly matches: number
}

export interface Candidate {
  readonly plan: Plan
  /** In rows of an index. */
  readonly cost: number
}

interface Search {
  readonly match: string
  readonly text: string
  /** The condition that it serves. */
  readonly condition: Conditions['searches'][number]
  /** Documents that have the trigrams, as far as they were counted. */
  readonly candidates: number
  /** They are few enough to gather all of them. */
  readonly isRare: boolean
}

/**
 * Looking for trigrams that are all common takes as long as they are common, in one step of SQLite that nothing can end.
 * So beside other requests each trigram is only probed, and the search is taken where one of them is rare.
 */
function searchOf(database: Database, model: Model, { searches }: Conditions, mayTakeLong: boolean): Search | undefined {
  if (model.trigrams === undefined) return undefined
  const condition = searches.find(({ path }) => path === searchPath(model))
  const text = condition === undefined ? '' : indexedText(condition.pattern.text)
  const trigrams = trigramsOf(text)
  if (condition === undefined || trigrams.length === 0) return undefined
  const rarest = rarestTrigrams(database, model, trigrams, PROBED_MAX)
  if (rarest.count < PROBED_MAX) {
    return { match: trigramQuery(rarest.trigrams), text, condition, candidates: rarest.count, isRare: true }
  }
  const match = trigramQuery(trigrams)
  const candidates = mayTakeLong ? countTexts(database, model, match, CANDIDATES_MAX) : PROBED_MAX
  return { match, text, condition, candidates, isRare: mayTakeLong && candidates < CANDIDATES_MAX }
}

function expectedMatches(conditions: Conditions, statistics: Statistics, search: Search | undefined): number {
  let share = 1
  for (const [path, values] of conditions.texts) share *= statistics.shareOf(path, values)
  for (const filter of conditions.rest) {
    share *= filter === search?.condition.filter ? search.candidates / Math.max(1, statistics.total) : guessShare(filter)
  }
  return statistics.total * share
}

/** Rows that are read until a page is full, when the matches lie evenly among them. */
function rowsToPage(rows: number, { query: { limit }, matches }: Task): number {
  return limit === undefined ? rows : Math.min(rows, ((limit + 1) * rows) / Math.max(matches, 0.5))
}

function indexPlans(task: Task): readonly (Candidate | undefined)[] {
  const { model } = task
  const declared = model.indexes.map((index) => ({ name: `${model.name}/${index.join(',')}`, columns: indexColumns(index), kept: keptPaths(index) }))
  const unique = model.unique === undefined ? [] : [{ name: `${model.name}/${model.unique}!`, columns: indexColumns([model.unique]), kept: [] }]
  return [...declared, ...unique].map((index) => indexPlan(task, index))
}

interface NamedIndex {
  readonly name: string
  readonly columns: readonly IndexColumn[]
  readonly kept: readonly string[]
}

/** `SELECT seq, id, NULL, doc ->> '$."updatedAt"' FROM "headline" INDEXED BY "…" WHERE … = ? AND … ORDER BY … DESC, id` */
function indexPlan(task: Task, { name, columns, kept }: NamedIndex): Candidate | undefined {
  const { model, query, conditions, statistics } = task
  const fixed: { readonly path: string; readonly values: readonly string[] }[] = []
  for (const { path } of columns) {
    const values = conditions.texts.get(path)
    if (values === undefined) break
    fixed.push({ path, values })
  }
  const combinations = fixed.reduce((product, { values }) => product * values.length, 1)
  if (combinations > RANGES_MAX) return undefined
  const free = columns.slice(fixed.length)
  const single = new Map(fixed.flatMap(({ path, values }) => (values.length === 1 ? [[path, values[0] as string]] : [])))
  const order = orderBy(query.sort, single, free)
  const bounded = free[0] !== undefined && conditions.bounds.some(({ path }) => path === free[0]?.path)
  if (fixed.length === 0 && order.keys.length === 0 && !bounded) return undefined

  const known = new Set(['id', ...columns.map(({ path }) => path), ...kept])
  const extra = extraConditions(task, known, new Set(fixed.map(({ path }) => path)))
  const isExact = conditions.rest.length === 0 && extra.isAll
  const starts = startsOf(order, query)
  const keyColumns = columnsOfKeys(task, isExact, order.covered)
  // Ranges that differ in values alone share one text, and so one prepared statement.
  const texts = starts.map(
    (start) =>
      select({ model, isExact, keyColumns, query, name }) +
      where([...fixed.map(({ path }) => `${valueAt(path)} = ?`), ...extra.sql, ...start.sql]) +
      ordering([...order.keys.map(({ path, descending }) => valueAt(path) + (descending ? ' DESC' : '')), ...(order.isTotal ? ['id'] : [])]),
  )
  const ranges = product(fixed.map(({ values }) => values)).flatMap((values) =>
    starts.map((start, i) => ({ sql: texts[i] as string, values: [...values, ...extra.values, ...start.values] })),
  )
  const share = fixed.reduce((sofar, { path, values }) => sofar * statistics.shareOf(path, values), 1)
  const inRange = statistics.total * share * (bounded && order.keys.length === 0 ? 0.1 : 1)
  const rows = order.keys.length > 0 || order.isTotal ? rowsToPage(inRange, task) : inRange
  const sortedBy = order.isTotal ? query.sort.length + 1 : order.covered
  const readsDocuments = !isDecided(isExact, keyColumns, query)
  const plan: Plan = {
    access: 'index', index: name, ranges, keyColumns, sortedBy, isExact, readsDocuments, expectedRows: rows + ranges.length,
  }
  return { plan, cost: ranges.length * SEEK_COST + rows * (readsDocuments ? DOCUMENT_COST : 1) }
}

interface Order {
  /** The columns of the index in the direction in which they are read. */
  readonly keys: readonly IndexColumn[]
  /** How many keys of the sort that covers, fixed ones included. */
  readonly covered: number
  /** All keys are covered, and ids are in order among equal ones. */
  readonly isTotal: boolean
  /** The values that all rows of a range share. */
  readonly single: ReadonlyMap<string, string>
}

/**
 * How far the free columns of an index follow the sort, read forwards or backwards. A key that has a single value
 * orders nothing, but only where SQL sees to it: rows that the interpreter drops later have other values.
 */
function orderBy(sort: Sort, single: Order['single'], free: readonly IndexColumn[]): Order {
  const keys: IndexColumn[] = []
  let [covered, isBackwards] = [0, false]
  for (const { path, descending } of sort) {
    const name = path.join('.')
    if (!single.has(name)) {
      const column = free[keys.length]
      if (column === undefined || column.path !== name) break
      const turned = column.descending !== descending
      if (keys.length > 0 && turned !== isBackwards) break
      isBackwards = turned
      keys.push({ path: name, descending })
    }
    covered++
  }
  return { keys, covered, single, isTotal: covered === sort.length && keys.length === free.length && !isBackwards }
}

interface SqlPart {
  readonly sql: readonly string[]
  readonly values: readonly SQLInputValue[]
}

/** Where the page begins. A cursor that came with other values of the single keys says nothing about the other keys. */
function startsOf({ keys, isTotal, single }: Order, query: FindQuery): readonly SqlPart[] {
  const { sort, after } = query
  const isElsewhere = sort.some(({ path }, i) => (single.get(path.join('.')) ?? after?.keys[i]) !== after?.keys[i])
  if (isElsewhere) return [NO_SQL]
  return isTotal ? startsAfter(keys, query) : [startFrom(keys[0], query)]
}

/**
 * The ranges that follow a position in a total order, as SQLite can seek them one by one:
 * `a = ? AND b = ? AND id > ?`, then `a = ? AND b > ?`, then `a > ?`.
 */
function startsAfter(keys: readonly IndexColumn[], query: FindQuery): readonly SqlPart[] {
  const at = positionOf(keys, query)
  if (query.after === undefined || at === undefined) return [NO_SQL]
  const starts: SqlPart[] = [{ sql: [...keys.map(({ path }) => `${valueAt(path)} = ?`), 'id > ?'], values: [...at, query.after.id] }]
  for (let n = keys.length - 1; n >= 0; n--) {
    const key = keys[n] as IndexColumn
    const same = keys.slice(0, n).map(({ path }) => `${valueAt(path)} = ?`)
    starts.push({ sql: [...same, `${valueAt(key.path)} ${key.descending ? '<' : '>'} ?`], values: at.slice(0, n + 1) })
  }
  return starts
}

/** Where only the first keys are in order, the page begins somewhere among those with the same first key. */
function startFrom(key: IndexColumn | undefined, query: FindQuery): SqlPart {
  if (key === undefined) return NO_SQL
  const [at] = positionOf([key], query) ?? []
  if (at === undefined) return NO_SQL
  return { sql: [`${valueAt(key.path)} ${key.descending ? '<=' : '>='} ?`], values: [at] }
}

const NO_SQL: SqlPart = { sql: [], values: [] }

/** The values of these keys in the cursor; undefined where there is none, or none that SQL can compare with texts. */
function positionOf(keys: readonly IndexColumn[], { sort, after }: FindQuery): readonly string[] | undefined {
  if (after === undefined) return undefined
  const values = keys.map((key) => after.keys[sort.findIndex(({ path }) => path.join('.') === key.path)])
  return values.every(isSqlText) ? values : undefined
}

const OPERATORS: Readonly<Record<CompareOperator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Conditions on other columns that are at hand anyway, and whether that leaves none. */
function extraConditions({ conditions }: Task, known: ReadonlySet<string>, fixed: ReadonlySet<string>, column = valueAt) {
  const sql: string[] = []
  const values: SQLInputValue[] = []
  let isAll = true
  for (const [path, wanted] of conditions.texts) {
    if (fixed.has(path)) continue
    if (!known.has(path)) isAll = false
    else {
      // A list of any length is one value, so that the text of the statement stays the same.
      sql.push(`${path === 'id' ? 'id' : column(path)} IN (SELECT value FROM json_each(?))`)
      values.push(JSON.stringify(wanted))
    }
  }
  for (const { path, operator, value } of conditions.bounds) {
    if (!known.has(path)) isAll = false
    else {
      sql.push(`${path === 'id' ? 'id' : column(path)} ${OPERATORS[operator]} ?`)
      values.push(value)
    }
  }
  return { sql, values, isAll }
}

/** `SELECT rowid, id, NULL, "updatedAt" FROM headline_search WHERE headline_search MATCH ? AND instr(text, ?) > 0 AND …` */
function searchPlan(task: Task): Candidate | undefined {
  const { model, query, conditions, search } = task
  if (search?.isRare !== true) return undefined
  const [table, columns] = [trigramTable(model), trigramColumns(model)]
  const quoted = (path: string): string => `"${path}"`
  const extra = extraConditions(task, new Set(['id', ...columns]), new Set(), quoted)
  const { condition, text } = search
  const isExact = extra.isAll && conditions.rest.every((one) => one === condition.filter) && condition.pattern.ignoreCase && !text.includes('\uFFFD')
  const hasKeys = isExact && query.sort.every(({ path }) => columns.includes(path.join('.')) || path.join('.') === 'id')
  const keys = hasKeys ? query.sort.map(({ path }) => quoted(path.join('.'))) : []
  const doc = hasKeys ? 'NULL' : `(SELECT doc FROM ${tableOf(model)} WHERE seq = ${table}.rowid)`
  const sql = `SELECT ${[`rowid, id, ${doc}`, ...keys].join(', ')} FROM ${table} WHERE ${[`${table} MATCH ?`, 'instr(text, ?) > 0', ...extra.sql].join(' AND ')}`
  const rows = search.candidates
  const plan: Plan = {
    access: 'search', index: table, ranges: [{ sql, values: [search.match, text, ...extra.values] }],
    keyColumns: keys.length, sortedBy: 0, isExact, readsDocuments: !hasKeys, expectedRows: rows,
  }
  return { plan, cost: SEEK_COST + rows * (hasKeys ? CANDIDATE_COST : CANDIDATE_COST + DOCUMENT_COST) }
}

/** Ids that the filter names, or all of them in order: `SELECT seq, id, doc FROM "topic" WHERE id > ? ORDER BY id` */
function idPlan(task: Task): Candidate | undefined {
  const { model, query, conditions, statistics } = task
  const named = conditions.texts.get('id')
  const inOrder = query.sort.length === 0
  if (named === undefined && !inOrder) return undefined
  const isExact = conditions.rest.length === 0 && conditions.bounds.length === 0 && conditions.texts.size === (named === undefined ? 0 : 1)
  const keyColumns = columnsOfKeys(task, isExact, 0)
  const after: SqlPart = inOrder && query.after !== undefined ? { sql: ['id > ?'], values: [query.after.id] } : NO_SQL
  const list: SqlPart = named === undefined ? NO_SQL : { sql: ['id IN (SELECT value FROM json_each(?))'], values: [JSON.stringify(named)] }
  const sql = select({ model, isExact, keyColumns, query }) + where([...list.sql, ...after.sql]) + (inOrder ? ' ORDER BY id' : '')
  const rows = named === undefined ? rowsToPage(statistics.total, task) : named.length
  const plan: Plan = {
    access: 'ids', index: undefined, ranges: [{ sql, values: [...list.values, ...after.values] }],
    keyColumns, sortedBy: inOrder ? 1 : 0, isExact, readsDocuments: !isDecided(isExact, keyColumns, query), expectedRows: rows,
  }
  return { plan, cost: (named === undefined ? 1 : SEEK_COST) * rows * (plan.readsDocuments ? DOCUMENT_COST : 1) + SEEK_COST }
}

function tablePlan({ model, query, statistics, conditions }: Task): Candidate {
  const isExact = conditions.rest.length === 0 && conditions.bounds.length === 0 && conditions.texts.size === 0
  const sql = select({ model, isExact: false, keyColumns: 0, query })
  const plan: Plan = {
    access: 'table', index: undefined, ranges: [{ sql, values: [] }],
    keyColumns: 0, sortedBy: 0, isExact, readsDocuments: true, expectedRows: statistics.total,
  }
  return { plan, cost: SEEK_COST + statistics.total * DOCUMENT_COST }
}

/** An exact plan brings all keys with it where SQL can, any other the ones that the merge of its ranges needs. */
function columnsOfKeys({ model, query: { sort } }: Task, isExact: boolean, merged: number): number {
  return isExact && sort.every(({ path }) => isTextPath(model, path)) ? sort.length : merged
}

/** Whether SQL tells all that the executor wants to know of a row. */
function isDecided(isExact: boolean, keyColumns: number, { sort }: Pick<FindQuery, 'sort'>): boolean {
  return isExact && keyColumns === sort.length
}

interface Selection {
  readonly model: Model
  readonly isExact: boolean
  readonly keyColumns: number
  readonly query: FindQuery
  readonly name?: string
}

function select({ model, isExact, keyColumns, query: { sort }, name }: Selection): string {
  const keys = sort.slice(0, keyColumns).map(({ path }) => valueAt(path.join('.')))
  const doc = isDecided(isExact, keyColumns, { sort }) ? 'NULL' : 'doc'
  return `SELECT ${['seq', 'id', doc, ...keys].join(', ')} FROM ${tableOf(model)}${name === undefined ? '' : ` INDEXED BY "${name}"`}`
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

function ordering(terms: readonly string[]): string {
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`
}

/** All ways to take one value of each list. */
function product(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (sofar, list) => sofar.flatMap((head) => list.map((value) => [...head, value])),
    [[]],
  )
}
