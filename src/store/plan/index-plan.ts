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
import { isSqlText } from './conditions.ts'
import {
  extraConditions,
  residualOf,
  NO_SQL,
  ordering,
  rowCost,
  rowsToPage,
  SEEK_COST,
  selectRows,
  where,
  type PricedPlan,
  type SqlPart,
  type Task,
} from './plan.ts'
import { indexColumns, keptPaths, valueAt, type IndexColumn } from '../sqlite/schema-sql.ts'
import type { FindQuery } from '../store.ts'
import type { Sort } from '../../query/order.ts'

/** Ranges of one plan; more seeks than this are no shortcut. */
const RANGES_MAX = 1_000
/** The share of documents that bounds on a column are guessed to leave. */
const BOUNDED_SHARE = 0.1

export function indexPlans(task: Task): readonly (PricedPlan | undefined)[] {
  const { model } = task
  const declared = model.indexes.map((index) => ({
    name: `${model.name}/${index.join(',')}`,
    columns: indexColumns(index),
    kept: keptPaths(index),
  }))
  const unique = { name: `${model.name}/${model.unique ?? ''}!`, columns: indexColumns([model.unique ?? '']), kept: [] }
  return [...declared, ...(model.unique === undefined ? [] : [unique])].map((index) => indexPlan(task, index))
}

interface NamedIndex {
  readonly name: string
  readonly columns: readonly IndexColumn[]
  readonly kept: readonly string[]
}

/**
 * `SELECT seq, id, NULL, doc ->> '$."updatedAt"' FROM "headline" INDEXED BY "…" WHERE … = ? AND … ORDER BY … DESC, id`
 */
function indexPlan(task: Task, { name, columns, kept }: NamedIndex): PricedPlan | undefined {
  const { query, conditions, statistics } = task
  const fixed: { readonly path: string; readonly values: readonly string[] }[] = []
  for (const { path } of columns) {
    const values = conditions.texts.get(path)
    if (values === undefined) break
    fixed.push({ path, values })
  }
  const combinations = fixed.reduce((product, { values }) => product * values.length, 1)
  if (combinations > RANGES_MAX) return undefined
  const free = columns.slice(fixed.length)
  const single = new Map(
    fixed.flatMap(({ path, values }) => (values.length === 1 ? [[path, values[0] as string]] : [])),
  )
  const order = orderBy(query.sort, single, free)
  const bounded = free[0] !== undefined && conditions.bounds.some(({ path }) => path === free[0]?.path)
  if (fixed.length === 0 && order.keys.length === 0 && !bounded) return undefined

  const known = new Set(['id', ...columns.map(({ path }) => path), ...kept])
  const extra = extraConditions(task, { known, fixed: new Set(fixed.map(({ path }) => path)), column: valueAt })
  const residual = residualOf(task, { known, isAll: extra.isAll, merged: order.covered })
  const starts = startsOf(order, query)
  const isFlagged = extra.sql.length > 0 && !task.mayTakeLong
  const [flag, filter] = isFlagged ? [{ flag: `(${extra.sql.join(' AND ')})` }, NO_SQL] : [{}, extra]
  const flagValues = isFlagged ? extra.values : []
  // Ranges that differ in values alone share one text, and so one prepared statement.
  const texts = starts.map(
    (start) =>
      selectRows(task, residual, { index: name, ...flag }) +
      where([...fixed.map(({ path }) => `${valueAt(path)} = ?`), ...filter.sql, ...start.sql]) +
      ordering(start.orderBy),
  )
  const ranges = product(fixed.map(({ values }) => values)).flatMap((values) =>
    starts.map((start, i) => ({
      sql: texts[i] as string,
      values: [...flagValues, ...values, ...filter.values, ...start.values],
    })),
  )
  const share = fixed.reduce((sofar, { path, values }) => sofar * statistics.shareOf(path, values), 1)
  const inRange = statistics.total * share * (bounded && order.keys.length === 0 ? BOUNDED_SHARE : 1)
  const rows = order.keys.length > 0 || order.isTotal ? rowsToPage(inRange, task) : inRange
  const sortedBy = order.isTotal ? query.sort.length + 1 : order.covered
  const { isExact, keyColumns, readsDocuments, tests } = residual
  const plan = {
    access: 'index',
    index: name,
    ranges,
    keyColumns,
    sortedBy,
    isExact,
    texts: tests.map(({ pattern }) => pattern),
    isFlagged,
    readsDocuments,
    expectedRows: rows + ranges.length,
  } as const
  return { plan, cost: ranges.length * SEEK_COST + rows * rowCost(residual) }
}

function inDirection({ path, descending }: IndexColumn): string {
  return valueAt(path) + (descending ? ' DESC' : '')
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

/** The start of the page. A cursor with other values of the single keys says nothing about the other keys. */
function startsOf({ keys, isTotal, single }: Order, query: FindQuery): readonly Start[] {
  const { sort, after } = query
  const orderBy = [...keys.map(inDirection), ...(isTotal ? ['id'] : [])]
  const isElsewhere = sort.some(({ path }, i) => (single.get(path.join('.')) ?? after?.keys[i]) !== after?.keys[i])
  const at = isElsewhere ? undefined : positionOf(isTotal ? keys : keys.slice(0, 1), query)
  if (after === undefined || at === undefined) return [{ ...NO_SQL, orderBy }]
  return isTotal ? startsAfter(keys, { at, id: after.id }) : [{ ...startFrom(keys[0], at), orderBy }]
}

/** A part of a range with its own start. Keys that it fixes are left out of its order: SQLite would sort by them. */
interface Start extends SqlPart {
  readonly orderBy: readonly string[]
}

/**
 * The ranges that follow a position in a total order, as SQLite can seek them one by one:
 * `a = ? AND b = ? AND id > ?`, then `a = ? AND b > ?`, then `a > ?`.
 */
function startsAfter(
  keys: readonly IndexColumn[],
  { at, id }: { readonly at: readonly string[]; readonly id: string },
): readonly Start[] {
  const same = keys.map(({ path }) => `${valueAt(path)} = ?`)
  const further = keys.map((key, n) => ({
    sql: [...same.slice(0, n), `${valueAt(key.path)} ${key.descending ? '<' : '>'} ?`],
    values: at.slice(0, n + 1),
    orderBy: [...keys.slice(n).map(inDirection), 'id'],
  }))
  return [{ sql: [...same, 'id > ?'], values: [...at, id], orderBy: ['id'] }, ...further.reverse()]
}

/** Where only the first keys are in order, the page begins somewhere among those with the same first key. */
function startFrom(key: IndexColumn | undefined, at: readonly string[]): SqlPart {
  if (key === undefined) return NO_SQL
  return { sql: [`${valueAt(key.path)} ${key.descending ? '<=' : '>='} ?`], values: at }
}

/** The values of these keys in the cursor; undefined where there is none, or none that SQL can compare with texts. */
function positionOf(keys: readonly IndexColumn[], { sort, after }: FindQuery): readonly string[] | undefined {
  if (after === undefined) return undefined
  const values = keys.map((key) => after.keys[sort.findIndex(({ path }) => path.join('.') === key.path)])
  return values.every(isSqlText) ? values : undefined
}

/** All ways to take one value of each list. */
function product(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (sofar, list) => sofar.flatMap((head) => list.map((value) => [...head, value])),
    [[]],
  )
}
