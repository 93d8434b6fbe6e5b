/**
 * Plans by an index: its leading columns are fixed by the filter, one range for each combination of their values, and
 * the columns that follow have the order of the sort, read forwards or backwards.
 *
 * Conditions on further columns of the index stand in WHERE only where the plan runs in a thread: SQLite passes over
 * rows that do not meet them in one step, which nothing can end, and there may be a million. Beside other requests
 * they are a column of the row, so that the budget counts each row and ends the plan in time.
 *
 * `INDEXED BY` holds SQLite to the choice: a lost index is an error, never a slow query
 * (sqlite.org/lang_indexedby.html).
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Index, Model } from '../../models/schema.ts'
import { isOptionalTextPath } from '../../models/text-paths.ts'
import { dotted } from '../../query/ast.ts'
import type { Sort } from '../../query/order.ts'
import { indexColumns, keptPaths, soughtIndex, sparseColumns, sparseIndex, type IndexColumn } from '../schema/indexes.ts'
import { valueAt } from '../schema/names.ts'
import { isSqlText, isWithin, strictest, type Bound, type Conditions } from './conditions.ts'
import type { FindQuery } from './find-query.ts'
import {
  AT,
  boundSql,
  extraConditions,
  LISTED_COST,
  listedIn,
  NO_SQL,
  ordering,
  ordinalOf,
  pageRange,
  residualOf,
  rowCost,
  rowsOfPage,
  rowsToPage,
  SEEK_COST,
  selectRows,
  where,
  type PageRange,
  type Plan,
  type PlanOption,
  type Residual,
  type SqlPart,
  type Task,
} from './plan.ts'

/** Ranges of one plan; more seeks than this are no shortcut. */
const RANGES_MAX = 1_000
/** The share of documents that bounds on a column are guessed to leave. */
const BOUNDED_SHARE = 0.1

/** The share of documents that an index of few is guessed to have. */
const SPARSE_SHARE = 0.01

/** Ranges that SQLite merges by itself, in one statement: preparing it takes a time that grows faster than they do. */
const MERGED_MAX = 32

export function indexPlans(task: Task): readonly (PlanOption | undefined)[] {
  return namedIndexes(task.model).map((index) => indexPlan(task, index))
}

interface NamedIndex {
  readonly name: string
  readonly columns: readonly IndexColumn[]
  /** The paths whose values its rows have. */
  readonly known: ReadonlySet<string>
  /** Whether it has only the documents with a value in its first column (sqlite.org/partialindex.html). */
  readonly isSparse: boolean
}

/** Of the declaration, which does not change: computed once. */
const indexesOf = new WeakMap<Model, readonly NamedIndex[]>()

function namedIndexes(model: Model): readonly NamedIndex[] {
  const before = indexesOf.get(model)
  if (before !== undefined) return before
  const named = (name: string, index: Index, isSparse = false): NamedIndex => {
    const columns = indexColumns(index)
    return { name, columns, known: new Set(['id', ...columns.map(({ path }) => path), ...keptPaths(index)]), isSparse }
  }
  const { name, unique, indexes, sought = [], sparse = [] } = model
  const declared = [
    ...indexes.map((index) => named(`${name}/${index.join(',')}`, index)),
    ...sought.map((path) => named(soughtIndex(model, path), [path])),
    ...sparse.map((path) => named(sparseIndex(model, path), sparseColumns(path), true)),
  ]
  const all = unique === undefined ? declared : [...declared, named(`${name}/${unique}!`, [unique])]
  indexesOf.set(model, all)
  return all
}

/**
 * `SELECT seq, id, NULL, doc ->> '$."updatedAt"' FROM "headline" INDEXED BY "…" WHERE … = ? AND … ORDER BY … DESC, id`
 */
function indexPlan(task: Task, index: NamedIndex): PlanOption | undefined {
  const { query, conditions, statistics } = task
  const { columns, known, isSparse } = index
  const first = columns[0]?.path ?? ''
  if (!isOfUse(first, task) || (isSparse && !isPresent(first, conditions))) return undefined
  const fixed: Fixed[] = []
  let combinations = 1
  for (const { path } of columns) {
    const values = conditions.texts.get(path)
    if (values === undefined) break
    fixed.push({ path, values })
    combinations *= values.length
  }
  if (combinations > RANGES_MAX) return undefined
  const free = columns.slice(fixed.length)
  const order = orderBy(query.sort, fixed, free)
  const seekable = free[0] === undefined ? [] : boundsOn(free[0].path, conditions)
  const isAll = conditions.paths.every((path) => known.has(path))
  const residual = residualOf(task, { known, isAll, merged: order.covered })
  const starts = (): Starts => startsOf(order, task, seekable)
  let inRange = statistics.total * (isSparse ? SPARSE_SHARE : 1)
  for (const { path, values } of fixed) inRange *= statistics.shareOf(path, values)
  if (seekable.length > 0 && order.keys.length === 0 && !isSparse) inRange *= BOUNDED_SHARE
  const rows = order.keys.length > 0 || order.isTotal ? rowsToPage(inRange, task) : inRange
  const ranges = query.after === undefined ? combinations : combinations * starts().starts.length
  const listed = ranges * listedIn(conditions, { known, decided: new Set(fixed.map(({ path }) => path)) })
  return {
    cost: ranges * SEEK_COST + rows * rowCost(residual) + listed * LISTED_COST,
    build: () => buildPlan(task, { index, fixed, seekable, starts: starts(), order, residual, expectedRows: rows + ranges, listed }),
  }
}

/** Whether an index with this first column has ranges or an order for the query. */
function isOfUse(column: string, { query: { sort }, conditions: { texts, bounds } }: Task): boolean {
  const [key] = sort
  if (texts.has(column) || bounds.some(({ path }) => path === column)) return true
  return key !== undefined && dotted(key.path) === column
}

/** Whether the filter leaves only documents with a value there. */
function isPresent(column: string, { texts, bounds }: Conditions): boolean {
  return texts.has(column) || bounds.some(({ path }) => path === column)
}

function boundsOn(column: string, { bounds }: Conditions): readonly Bound[] {
  return bounds.length === 0 ? bounds : bounds.filter(({ path }) => path === column)
}

interface Fixed {
  readonly path: string
  readonly values: readonly string[]
}

interface Parts {
  readonly index: NamedIndex
  readonly fixed: readonly Fixed[]
  readonly seekable: readonly Bound[]
  readonly starts: Starts
  readonly order: Order
  readonly residual: Residual
  readonly expectedRows: number
  readonly listed: number
}

function buildPlan(task: Task, parts: Parts): Plan {
  const { query, mayTakeLong } = task
  const { index, fixed, seekable, order, residual, expectedRows, listed } = parts
  const { starts, isPrecise } = parts.starts
  const decided = new Set([...fixed, ...seekable].map(({ path }) => path))
  const extra = extraConditions(task, { known: index.known, decided, column: valueAt })
  const isFlagged = extra.sql.length > 0 && !mayTakeLong
  const [flag, filter] = isFlagged ? [{ flag: `(${extra.sql.join(' AND ')})` }, NO_SQL] : [{}, extra]
  const flagValues = isFlagged ? extra.values : []
  const combinations = product(fixed.map(({ values }) => values))
  const select = selectRows(task, residual, { index: index.name, ...flag })
  const valuesOf = (start: Start, values: readonly string[]): readonly SQLInputValue[] => [
    ...flagValues,
    ...values,
    ...filter.values,
    ...start.values,
  ]
  // SQLite uses such an index only where it sees that.
  const present = index.isSparse ? [`${valueAt(index.columns[0]?.path ?? '')} IS NOT NULL`] : []
  // Ranges that differ in values alone share one text, and so one prepared statement.
  const parted = starts.map((start) => {
    const text = select + where([...present, ...fixed.map(({ path }) => `${valueAt(path)} = ?`), ...filter.sql, ...start.sql])
    return { start, text, sql: text + ordering(start.order.map(inDirection)) }
  })
  const ranges = combinations.flatMap((values) => parted.map(({ start, sql }) => ({ sql, values: valuesOf(start, values) })))
  // Of rows with a flag a quarter more than expected: those that match are not spread evenly.
  const rowsAtOnce = rowsOfPage(isFlagged ? { ...query, limit: Math.ceil(expectedRows * 1.25) } : query)
  const isInOrder = order.isTotal && isPrecise && combinations.length <= MERGED_MAX
  const isAtOnce = residual.isExact && !residual.readsDocuments && isInOrder && !mayTakeLong
  const pagesOf = (rows: number): readonly PageRange[] => {
    if (combinations.length === 1) return ranges.map(({ sql, values }) => pageRange(sql, values, rows))
    return parted.map(({ start, text }) => {
      const all = combinations.flatMap((values) => valuesOf(start, values))
      return pageRange(merged(text, combinations.length, start, query.sort), all, rows, true)
    })
  }
  const { isExact, keyColumns, readsDocuments, tests } = residual
  return {
    access: 'index',
    index: index.name,
    ranges,
    pages: isAtOnce && rowsAtOnce !== undefined && query.limit !== undefined ? pagesOf(rowsAtOnce) : undefined,
    keyColumns,
    sortedBy: order.isTotal ? query.sort.length + 1 : order.covered,
    isExact,
    texts: tests.map(({ pattern }) => pattern),
    isFlagged,
    readsDocuments,
    expectedRows,
    listed,
  }
}

/**
 * Several ranges of one text merged by SQLite, where an index gives each of them in order
 * (sqlite.org/lang_select.html#compound_select_statements).
 */
function merged(range: string, count: number, { order }: Start, sort: Sort): string {
  const columnOf = (path: string): number =>
    ordinalOf(path === 'id' ? AT.id : AT.keys + sort.findIndex((key) => dotted(key.path) === path))
  const terms = order.map(({ path, descending }) => `${columnOf(path)}${descending ? ' DESC' : ''}`)
  return `${Array<string>(count).fill(range).join(' UNION ALL ')}${ordering(terms)}`
}

function inDirection({ path, descending }: IndexColumn): string {
  return (path === 'id' ? 'id' : valueAt(path)) + (descending ? ' DESC' : '')
}

interface Order {
  /** The columns of the index in the direction in which they are read. */
  readonly keys: readonly IndexColumn[]
  /** How many keys of the sort that covers, fixed ones included. */
  readonly covered: number
  /** All keys are covered, and ids are in order among equal ones. */
  readonly isTotal: boolean
  /** The columns of which all rows of a range share one value, or some. */
  readonly fixed: readonly Fixed[]
}

/**
 * How far the free columns of an index follow the sort, read forwards or backwards. A key that has a single value
 * orders nothing, but only where SQL sees to it: rows that the interpreter drops later have other values.
 */
function orderBy(sort: Sort, fixed: readonly Fixed[], free: readonly IndexColumn[]): Order {
  const keys: IndexColumn[] = []
  let [covered, isBackwards] = [0, false]
  for (const { path, descending } of sort) {
    const name = dotted(path)
    if (singleOf(fixed, name) === undefined) {
      const column = free[keys.length]
      if (column === undefined || column.path !== name) break
      const turned = column.descending !== descending
      if (keys.length > 0 && turned !== isBackwards) break
      isBackwards = turned
      keys.push({ path: name, descending })
    }
    covered++
  }
  return { keys, covered, fixed, isTotal: covered === sort.length && keys.length === free.length && !isBackwards }
}

/** The value that all rows of a range have at a path, if there is one. */
function singleOf(fixed: readonly Fixed[], name: string): string | undefined {
  const one = fixed.find(({ path }) => path === name)
  return one?.values.length === 1 ? one.values[0] : undefined
}

/** The start of the page. A cursor with other values of the single keys says nothing about the other keys. */
function startsOf(order: Order, { model, query }: Task, bounds: readonly Bound[]): Starts {
  const { keys, isTotal, fixed } = order
  const { sort, after } = query
  const isOptional = (path: string): boolean => isOptionalTextPath(model, path)
  const inOrder = [...keys, ...(isTotal ? [BY_ID] : [])]
  if (after === undefined) return { starts: [{ ...within(bounds), order: inOrder }], isPrecise: true }
  const isElsewhere = sort.some(({ path }, i) => (singleOf(fixed, dotted(path)) ?? after.keys[i]) !== after.keys[i])
  const at = isElsewhere ? undefined : positionOf(isTotal ? keys : keys.slice(0, 1), query, isOptional)
  if (at === undefined) return { starts: [{ ...within(bounds), order: inOrder }], isPrecise: false }
  if (isTotal) return { starts: startsAfter(keys, { at, id: after.id, isOptional }, bounds), isPrecise: true }
  // Rows without the value follow those with one, and there may be any number before.
  const from = keys[0] !== undefined && isOptional(keys[0].path) ? within(bounds) : startFrom(keys[0], at, bounds)
  return { starts: [{ ...from, order: inOrder }], isPrecise: false }
}

interface Starts {
  readonly starts: readonly Start[]
  /** Every row of theirs is after the cursor. */
  readonly isPrecise: boolean
}

/** A part of a range with its own start. Keys that it fixes are left out of its order: SQLite would sort by them. */
interface Start extends SqlPart {
  readonly order: readonly IndexColumn[]
}

const BY_ID: IndexColumn = { path: 'id', descending: false }

/**
 * The ranges that follow a position in a total order, as SQLite can seek them one by one:
 * `a = ? AND b = ? AND id > ?`, then `a = ? AND b > ?`, then `a > ?`. The bounds are on the first key. Where a key may be
 * absent, its NULL is before all texts: `a < ?` is followed by `a IS NULL`, and `a IS NULL` by `a IS NOT NULL`.
 */
function startsAfter(
  keys: readonly IndexColumn[],
  { at, id, isOptional }: { readonly at: Keys; readonly id: string; readonly isOptional: (path: string) => boolean },
  bounds: readonly Bound[],
): readonly Start[] {
  const same = keys.map(({ path }, n) => (at[n] === null ? `${valueAt(path)} IS NULL` : `${valueAt(path)} = ?`))
  const further = keys.map((key, n): readonly Start[] => {
    const prefix = { sql: same.slice(0, n), values: texts(at.slice(0, n)) }
    const part = (beyond: SqlPart, order: readonly IndexColumn[]): Start => ({
      sql: [...prefix.sql, ...beyond.sql],
      values: [...prefix.values, ...beyond.values],
      order: [...order, BY_ID],
    })
    const value = at[n] ?? null
    const absent = part({ sql: [`${valueAt(key.path)} IS NULL`], values: [] }, keys.slice(n + 1))
    if (value === null) {
      const { sql, values } = within(n === 0 ? bounds : [])
      const present: SqlPart = { sql: [`${valueAt(key.path)} IS NOT NULL`, ...sql], values }
      return key.descending ? [] : [part(present, keys.slice(n))]
    }
    const beyond: Bound = { path: key.path, operator: key.descending ? 'lt' : 'gt', value }
    const present = part(within(n === 0 ? strictest([...bounds, beyond]) : [beyond]), keys.slice(n))
    // Bounds hold for texts only.
    const hasAbsent = key.descending && isOptional(key.path) && (n > 0 || bounds.length === 0)
    return hasAbsent ? [present, absent] : [present]
  })
  const first = at[0]
  const [outermost = [], ...inner] = further
  // Rows with the same first key as the cursor are only there where the bounds have room for it.
  const hasRoom = first === undefined || bounds.every((bound) => first !== null && isWithin(first, bound))
  if (!hasRoom) return outermost
  return [{ sql: [...same, 'id > ?'], values: [...texts(at), id], order: [BY_ID] }, ...inner.reverse().flat(), ...outermost]
}

/** The values of keys at a position; null for one that is absent. */
type Keys = readonly (string | null)[]

function texts(keys: Keys): readonly string[] {
  return keys.filter((key) => key !== null)
}

/** Where only the first keys are in order, the page begins somewhere among those with the same first key. */
function startFrom(key: IndexColumn | undefined, at: Keys, bounds: readonly Bound[]): SqlPart {
  if (key === undefined) return within(bounds)
  const from: Bound = { path: key.path, operator: key.descending ? 'lte' : 'gte', value: at[0] as string }
  return within(strictest([...bounds, from]))
}

/** Bounds that SQLite seeks, one from below and one from above. */
function within(bounds: readonly Bound[]): SqlPart {
  if (bounds.length === 0) return NO_SQL
  return { sql: bounds.map((bound) => boundSql(bound, valueAt)), values: bounds.map(({ value }) => value) }
}

/** The values of these keys in the cursor; undefined where there is none, or none that SQL can compare with texts. */
function positionOf(keys: readonly IndexColumn[], { sort, after }: FindQuery, isOptional: (path: string) => boolean): Keys | undefined {
  if (after === undefined) return undefined
  const values = keys.map(({ path }) => [path, after.keys[sort.findIndex((key) => dotted(key.path) === path)]] as const)
  const isSeekable = values.every(([path, value]) => isSqlText(value) || (value === null && isOptional(path)))
  return isSeekable ? values.map(([, value]) => value as string | null) : undefined
}

/** All ways to take one value of each list. */
function product(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (sofar, list) => sofar.flatMap((head) => list.map((value) => [...head, value])),
    [[]],
  )
}
