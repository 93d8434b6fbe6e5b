/** From the parameters of a list request to the query that the store answers, and back to a page. */
import { describe, fail } from '../../base/failure.ts'
import { isWhole as isWholeNumber } from '../../base/decimal.ts'
import { isNumber, writeJson, type Json } from '../../base/json.ts'
import type { TextPart } from '../../base/text-parts.ts'
import { hasDashboard, type Caller } from '../../models/caller.ts'
import { placesOf } from '../../models/incomplete.ts'
import { dateFields, type Model } from '../../models/schema.ts'
import { searchedPaths } from '../../models/text-paths.ts'
import { and, eq, hasWords, isIn, matchNone, type Filter } from '../../query/ast.ts'
import { readCursor, writeCursor } from '../../query/cursor.ts'
import { parseSort, type Sort } from '../../query/order.ts'
import { parseFilter } from '../../query/parse.ts'
import { SEARCH_CHARS_MAX, soughtWords } from '../../query/words.ts'
import { requireEditor } from '../rules/access.ts'
import { readProjection, type Projection } from './projection.ts'
import { inUse, takeSpecialKeys } from './special-keys.ts'
import type { FindQuery, Found, MatchCount } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** The parameters as the request gives them; the filter is read from its text, but not understood yet. */
export interface ListParams {
  readonly filter: Json | undefined
  readonly sort: string | undefined
  /** Any value: it is checked here. */
  readonly limit: Json | undefined
  readonly cursor: string | undefined
  /** Words that the documents must have; see query/words.ts. */
  readonly search?: string | undefined
  /** Ids of users, separated by commas: documents that one of them has changed. For editors. */
  readonly changedBy?: string | undefined
  /** The members that each document of the page has; all without it. */
  readonly fields?: string | undefined
  /** Whether the page tells how many documents there are in all. Any value: it is checked here. */
  readonly count?: Json | undefined
  /** Whether the page has incomplete drafts too. Any value: it is checked here. */
  readonly incomplete?: Json | undefined
}

/** What a page has beside its documents, and what these have. */
export interface PageShape {
  readonly projection: Projection | undefined
  readonly counts: boolean
  /** Whether it has incomplete drafts too. */
  readonly includes: boolean
}

export const WHOLE_PAGE: PageShape = { projection: undefined, counts: false, includes: false }

/** Counts are exact up to here. */
export const COUNT_MAX = 10_000

/** Throws badRequest. */
export function readShape(model: Model, { fields, count, incomplete }: ListParams): PageShape {
  const counts = readFlag('count', count)
  return { projection: readProjection(model, fields), counts, includes: readFlag('incomplete', incomplete) }
}

/** Reads a parameter that is true or false; false where it is missing. Throws badRequest. */
export function readFlag(name: string, value: Json | undefined): boolean {
  const flag = FLAGS.get(value)
  if (flag === undefined) throw fail('badRequest', `Cannot read ${name} ${describe(value)}: expected true or false`)
  return flag
}

const FLAGS: ReadonlyMap<Json | undefined, boolean> = new Map<Json | undefined, boolean>([
  [undefined, false],
  ...[true, 'true'].map((one) => [one, true] as const),
  ...[false, 'false'].map((one) => [one, false] as const),
])

export interface ListSettings {
  readonly limitDefault: number
  readonly limitMax: number
  /** Hides what is not active from lists of callers without a dashboard role. */
  readonly hideInactive: boolean
}

/** What a query may ask of the store before it is one. */
export interface QuerySource {
  readonly documents: Pick<ReadStore['documents'], 'countriesInUse'>
  readonly history: Pick<ReadStore['history'], 'changedBy'>
}

/** Users of one `changedBy`: they share what is looked at. */
const CHANGERS_MAX = 20

/** Models whose documents the public reads as content. */
const PUBLISHED = new Set(['headline', 'topic', 'source'])
const BY_NAME: Sort = [{ path: ['name'], descending: false }]

/**
 * The text that is the same for all requests of a list whose answers are the same while the documents are: what the
 * parameters say, and what a caller may see. Parameters that mean nothing have one too.
 */
export function listKey(model: Model, params: ListParams, caller: Caller, shape: PageShape = WHOLE_PAGE): string {
  const { filter, sort, limit, cursor, search, changedBy } = params
  // A filter of null is one that is rejected, and not the lack of one.
  const parts = [sort ?? null, limit ?? null, cursor ?? null, ...(filter === undefined ? [] : [filter])]
  const words = search === undefined ? '' : ` search=${JSON.stringify(search)}`
  const changed = changedBy === undefined ? '' : ` changedBy=${JSON.stringify(changedBy)}`
  const members = shape.projection === undefined ? '' : ` ${shape.projection.key}`
  const more = (shape.counts ? ' +count' : '') + (shape.includes ? ' +incomplete' : '')
  return `${visibilityOf(caller)} ${model.name} ${writeJson(parts)}${words}${changed}${members}${more}`
}

/** What of a caller decides what a list shows. */
export function visibilityOf(caller: Caller | undefined): 'editor' | 'reader' {
  return caller !== undefined && hasDashboard(caller) ? 'editor' : 'reader'
}

/** Whether lists of the model show a caller nothing but what is active. */
export function showsOnlyActive(model: Model, caller: Caller, { hideInactive }: Pick<ListSettings, 'hideInactive'>): boolean {
  return hideInactive && PUBLISHED.has(model.name) && visibilityOf(caller) === 'reader'
}

/** Of the declaration, which does not change: computed once. */
const dates = new WeakMap<Model, ReadonlySet<string>>()

function datesOf(model: Model): ReadonlySet<string> {
  const known = dates.get(model) ?? dateFields(model.fields)
  dates.set(model, known)
  return known
}

/** Reads all parameters before anything is looked up. Throws badRequest. */
export function readListQuery(
  model: Model,
  params: ListParams,
  caller: Caller,
  { settings, store }: { readonly settings: ListSettings; readonly store: QuerySource },
): FindQuery {
  const { rest, conditions, uses } = takeSpecialKeys(model, params.filter === undefined ? {} : params.filter)
  const searched = readSearch(model, params.search)
  const changed = readChangedBy(model, params.changedBy, caller, store)
  const filters: Filter[] = [parseFilter(rest, { dateFields: datesOf(model) }), ...conditions, ...searched, ...changed.conditions]
  const usual = searched.length > 0 ? newestFirst(model) : uses.length > 0 ? BY_NAME : []
  const sort = params.sort === undefined ? usual : parseSort(params.sort)
  const after = params.cursor === undefined ? undefined : readCursor(params.cursor, { model: model.name, sort })
  const limit = readLimit(params.limit, settings)
  if (showsOnlyActive(model, caller, settings)) filters.push(eq(['status'], 'active'))
  const part = changed.isPart ? { isPart: true as const } : {}
  if (uses.length === 0) return { filter: and(...filters), sort, limit, after, ...part }
  filters.push(inUse(uses, store.documents))
  // Without limit and cursor, the countries in use are a complete set: clients that ask so do not page.
  const isComplete = params.limit === undefined && params.cursor === undefined
  return { filter: and(...filters), sort, limit: isComplete ? undefined : limit, after, ...part }
}

/** The condition that a search sets; none for one that is blank. Throws badRequest. */
function readSearch(model: Model, search: string | undefined): readonly Filter[] {
  if (search === undefined || search.trim() === '') return []
  const cannot = (reason: string) => fail('badRequest', `Cannot search for ${describe(search)}: ${reason}`)
  if (model.words === undefined) throw cannot(`documents of ${model.name} are not searched for words`)
  if (search.length > SEARCH_CHARS_MAX) {
    throw cannot(`expected at most ${SEARCH_CHARS_MAX} characters, found ${search.length}`)
  }
  const sought = soughtWords(search)
  return [sought.length === 0 ? matchNone : hasWords(searchedPaths(model), sought)]
}

/** The condition that `changedBy` sets, and whether it names only some of what was asked for. Throws badRequest and forbidden. */
function readChangedBy(
  model: Model,
  changedBy: string | undefined,
  caller: Caller,
  { history }: Pick<QuerySource, 'history'>,
): { readonly conditions: readonly Filter[]; readonly isPart: boolean } {
  if (changedBy === undefined) return { conditions: [], isPart: false }
  requireEditor(caller)
  const { ids, isWhole } = history.changedBy(placesOf(model, true), readChangers(changedBy))
  return { conditions: [isIn(['id'], ids)], isPart: !isWhole }
}

/** The ids of the users in `changedBy`. Throws badRequest. */
export function readChangers(changedBy: string): readonly string[] {
  const users = [...new Set(changedBy.split(','))]
  if (users.length <= CHANGERS_MAX && !users.some((id) => id === '')) return users
  throw fail('badRequest', `Cannot read changedBy ${describe(changedBy)}: expected 1 to ${CHANGERS_MAX} ids of users, separated by commas`)
}

/** What a search finds comes in this order where the request names none. */
function newestFirst(model: Model): Sort {
  const path = NEWEST.find((name) => Object.hasOwn(model.fields, name))
  return path === undefined ? [] : [{ path: [path], descending: true }]
}

const NEWEST = ['publishedAt', 'createdAt'] as const

/** The JSON of a page, in parts: the documents stay the bytes that the store read. */
export function pageParts(
  model: Model,
  { sort, isPart }: FindQuery,
  { part, next }: Found,
  count?: MatchCount,
): readonly TextPart[] {
  // A cursor is base64url, which needs no escapes.
  const cursor = next === undefined ? 'null' : `"${writeCursor({ model: model.name, sort, ...next })}"`
  const total = count === undefined ? '' : `,"total":${count.total},"totalIsFloor":${count.isFloor}`
  return ['{"items":[', part, `],"cursor":${cursor},"hasMore":${next !== undefined}${total}${isPart === true ? ',"isPartial":true' : ''}}`]
}

interface LimitRange extends Pick<ListSettings, 'limitDefault' | 'limitMax'> {
  /** Whether a page may be asked for nothing, as for the total of a list. */
  readonly mayBeNone?: boolean
}

/** Whatever is above the maximum, of however many digits, means the maximum. */
export function readLimit(value: Json | undefined, { limitDefault, limitMax, mayBeNone = true }: LimitRange): number {
  if (value === undefined) return limitDefault
  const isWhole = typeof value === 'string' ? /^\d+$/.test(value) : isNumber(value) && isWholeNumber(value)
  if (isWhole && Number(value) >= (mayBeNone ? 0 : 1)) return Math.min(Number(value), limitMax)
  const wanted = mayBeNone ? 'a whole number, 0 or more' : `a whole number from 1 to ${limitMax}`
  throw fail('badRequest', `Cannot read limit ${describe(value)}: expected ${wanted}`)
}
