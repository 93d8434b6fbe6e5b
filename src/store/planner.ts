/**
 * From a query to the SQL that narrows it.
 *
 * SQL gives a superset of the answer, in the order of the sort where an index has that order; the interpreter
 * decides row by row. An index serves a query when its leading columns are fixed by equality in the filter and the
 * columns that follow are the sort's. Declared index fields always hold text, so SQLite's order is ours.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Index, Model } from '../models/schema.ts'
import type { Filter } from '../query/ast.ts'
import { indexColumns, tableOf, valueAt } from './schema-sql.ts'
import type { FindQuery } from './store.ts'

export interface Plan {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
  /** Whether rows come in the order of the sort, so that reading can stop when the page is full. */
  readonly ordered: boolean
}

/** Chooses deterministically: of the indexes that serve, the one that fixes most columns, the first declared of equals. */
export function planQuery(model: Model, query: FindQuery): Plan {
  const fixed = fixedTexts(query.filter)
  const [first] = model.indexes
    .map((index) => indexFit(index, fixed, query))
    .filter((fit) => fit !== undefined)
    .sort((a, b) => b.fixed.length - a.fixed.length)
  if (first !== undefined) return orderedPlan(model, first, query)
  if (query.sort.length === 0) return idPlan(model, query)
  return { sql: `SELECT doc FROM ${tableOf(model)}`, values: [], ordered: false }
}

/** `path = text` for each condition of that form that every match must meet. */
function fixedTexts(filter: Filter, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (filter.kind === 'and') for (const member of filter.filters) fixedTexts(member, found)
  if (filter.kind === 'eq' && typeof filter.value === 'string') found.set(filter.path.join('.'), filter.value)
  return found
}

interface Fit {
  readonly fixed: readonly { readonly path: string; readonly value: string }[]
  /** The only sort key, or none where the order is that of the ids. */
  readonly key: { readonly path: string; readonly descending: boolean } | undefined
}

function indexFit(index: Index, fixed: ReadonlyMap<string, string>, { sort }: FindQuery): Fit | undefined {
  const columns = indexColumns(index)
  const [key, more] = sort
  if (key === undefined || more !== undefined) return undefined
  const last = columns.at(-1)
  if (last === undefined || last.path !== key.path.join('.') || last.descending !== key.descending) return undefined
  const leading = columns.slice(0, -1).map(({ path }) => ({ path, value: fixed.get(path) }))
  if (leading.some(({ value }) => value === undefined)) return undefined
  return { fixed: leading as Fit['fixed'], key: last }
}

/** `SELECT doc FROM "headline" WHERE doc ->> '$."status"' = ? AND … <= ? AND (… < ? OR id > ?) ORDER BY … DESC, id` */
function orderedPlan(model: Model, { fixed, key }: Fit, { after }: FindQuery): Plan {
  const conditions = fixed.map(({ path }) => `${valueAt(path)} = ?`)
  const values: SQLInputValue[] = fixed.map(({ value }) => value)
  const order: string[] = []
  if (key !== undefined) {
    const column = valueAt(key.path)
    order.push(key.descending ? `${column} DESC` : column)
    const from = after?.keys[0]
    if (after !== undefined && typeof from === 'string') {
      const beyond = key.descending ? '<' : '>'
      conditions.push(`${column} ${beyond}= ? AND (${column} ${beyond} ? OR id > ?)`)
      values.push(from, from, after.id)
    }
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return { sql: `SELECT doc FROM ${tableOf(model)}${where} ORDER BY ${[...order, 'id'].join(', ')}`, values, ordered: true }
}

/** `SELECT doc FROM "topic" WHERE id > ? ORDER BY id` */
function idPlan(model: Model, { after }: FindQuery): Plan {
  const where = after === undefined ? '' : ' WHERE id > ?'
  return { sql: `SELECT doc FROM ${tableOf(model)}${where} ORDER BY id`, values: after === undefined ? [] : [after.id], ordered: true }
}
