/** From the parameters of a list request to the query that the store answers, and back to a page. */
import { describe, fail } from '../base/failure.ts'
import { isWhole as isWholeNumber } from '../base/decimal.ts'
import { isNumber, writeJson, type Json } from '../base/json.ts'
import type { TextPart } from '../base/text-parts.ts'
import { hasDashboard, type Caller } from '../models/caller.ts'
import { dateFields, type Model } from '../models/schema.ts'
import { and, eq, type Filter } from '../query/ast.ts'
import { readCursor, writeCursor } from '../query/cursor.ts'
import { parseSort, type Sort } from '../query/order.ts'
import { parseFilter } from '../query/parse.ts'
import type { DocumentStore, FindQuery, Found } from '../store/store.ts'
import { inUse, takeSpecialKeys } from './special-keys.ts'

/** The parameters as the request gives them; the filter is read from its text, but not understood yet. */
export interface ListParams {
  readonly filter: Json | undefined
  readonly sort: string | undefined
  /** Any value: it is checked here. */
  readonly limit: Json | undefined
  readonly cursor: string | undefined
}

export interface ListSettings {
  readonly limitDefault: number
  readonly limitMax: number
  /** Hides what is not active from lists of callers without a dashboard role. */
  readonly hideInactive: boolean
}

/** Models whose documents the public reads as content. */
const PUBLISHED = new Set(['headline', 'topic', 'source'])
const BY_NAME: Sort = [{ path: ['name'], descending: false }]

/**
 * The text that is the same for all requests of a list whose answers are the same while the documents are: what the
 * parameters say, and what a caller may see. Parameters that mean nothing have one too.
 */
export function listKey(model: Model, { filter, sort, limit, cursor }: ListParams, caller: Caller): string {
  // A filter of null is one that is rejected, and not the lack of one.
  const parts = [sort ?? null, limit ?? null, cursor ?? null, ...(filter === undefined ? [] : [filter])]
  return `${visibilityOf(caller)} ${model.name} ${writeJson(parts)}`
}

/** What of a caller decides what a list shows. */
export function visibilityOf(caller: Caller | undefined): 'editor' | 'reader' {
  return caller !== undefined && hasDashboard(caller) ? 'editor' : 'reader'
}

/** Of the declaration, which does not change: computed once. */
const dates = new WeakMap<Model, ReadonlySet<string>>()

function datesOf(model: Model): ReadonlySet<string> {
  const known = dates.get(model) ?? dateFields(model.fields)
  dates.set(model, known)
  return known
}

/** Reads all parameters before anything is looked up. Throws badRequest. */
export async function readListQuery(
  model: Model,
  params: ListParams,
  caller: Caller,
  { settings, store }: { readonly settings: ListSettings; readonly store: Pick<DocumentStore, 'countriesInUse'> },
): Promise<FindQuery> {
  const { rest, conditions, uses } = takeSpecialKeys(model, params.filter === undefined ? {} : params.filter)
  const filters: Filter[] = [parseFilter(rest, { dateFields: datesOf(model) }), ...conditions]
  const sort = params.sort === undefined ? (uses.length > 0 ? BY_NAME : []) : parseSort(params.sort)
  const after = params.cursor === undefined ? undefined : readCursor(params.cursor, { model: model.name, sort })
  const limit = readLimit(params.limit, settings)
  if (uses.length > 0) filters.push(await inUse(uses, store))
  if (settings.hideInactive && PUBLISHED.has(model.name) && visibilityOf(caller) === 'reader')
    filters.push(eq(['status'], 'active'))
  // Without limit and cursor, the countries in use are a complete set: clients that ask so do not page.
  const complete = uses.length > 0 && params.limit === undefined && params.cursor === undefined
  return { filter: and(...filters), sort, limit: complete ? undefined : limit, after }
}

/** The JSON of a page, in parts: the documents stay the bytes that the store read. */
export function pageParts(model: Model, { sort }: FindQuery, { part, next }: Found): readonly TextPart[] {
  const cursor: Json = next === undefined ? null : writeCursor({ model: model.name, sort, ...next })
  return ['{"items":[', part, `],"cursor":${JSON.stringify(cursor)},"hasMore":${next !== undefined}}`]
}

/** Whatever is above the maximum, of however many digits, means the maximum. */
function readLimit(value: Json | undefined, { limitDefault, limitMax }: ListSettings): number {
  if (value === undefined) return limitDefault
  const isWhole =
    typeof value === 'string' ? /^\d+$/.test(value) : isNumber(value) && isWholeNumber(value) && Number(value) >= 0
  if (!isWhole) throw fail('badRequest', `Cannot read limit ${describe(value)}: expected a whole number, 0 or more`)
  return Math.min(Number(value), limitMax)
}
