/**
 * Plans by an index: its leading columns are fixed by the filter, one range for each combination of their values, and
 * the columns that follow have the order of the sort, read forwards or backwards (index-order.ts).
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
import { dotted } from '../../query/ast.ts'
import type { Sort } from '../../query/order.ts'
import { indexColumns, keptPaths, soughtIndex, sparseColumns, sparseIndex, type IndexColumn } from '../schema/indexes.ts'
import { valueAt } from '../schema/names.ts'
import type { Bound, Conditions } from './conditions.ts'
import { orderBy, startsOf, type Fixed, type Order, type Start, type Starts } from './index-order.ts'
import {
  AT,
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
function isOfUse(column: string, { query: { sort }, conditions }: Task): boolean {
  const [key] = sort
  if (isPresent(column, conditions)) return true
  return key !== undefined && dotted(key.path) === column
}

/** Whether the filter leaves only documents with a value there. */
function isPresent(column: string, { texts, bounds }: Conditions): boolean {
  return texts.has(column) || bounds.some(({ path }) => path === column)
}

function boundsOn(column: string, { bounds }: Conditions): readonly Bound[] {
  return bounds.length === 0 ? bounds : bounds.filter(({ path }) => path === column)
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

/** All ways to take one value of each list. */
function product(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (sofar, list) => sofar.flatMap((head) => list.map((value) => [...head, value])),
    [[]],
  )
}
