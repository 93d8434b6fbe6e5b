/**
 * The order in which an index gives the rows of a range, as far as it is that of the sort, and where in that order a page starts
 * behind a cursor.
 */
import { isOptionalTextPath } from '../../models/text-paths.ts'
import { dotted } from '../../query/ast.ts'
import type { Sort } from '../../query/order.ts'
import type { IndexColumn } from '../schema/indexes.ts'
import { valueAt } from '../schema/names.ts'
import { isSqlText, isWithin, strictest, type Bound } from './conditions.ts'
import type { FindQuery } from './find-query.ts'
import { boundSql, NO_SQL, type SqlPart, type Task } from './plan.ts'

/** A column of an index whose values the filter names. */
export interface Fixed {
  readonly path: string
  readonly values: readonly string[]
}

export interface Order {
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
export function orderBy(sort: Sort, fixed: readonly Fixed[], free: readonly IndexColumn[]): Order {
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
export function startsOf(order: Order, { model, query }: Task, bounds: readonly Bound[]): Starts {
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

export interface Starts {
  readonly starts: readonly Start[]
  /** Every row of theirs is after the cursor. */
  readonly isPrecise: boolean
}

/** A part of a range with its own start. Keys that it fixes are left out of its order: SQLite would sort by them. */
export interface Start extends SqlPart {
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
