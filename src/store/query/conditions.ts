/**
 * The parts of a filter that SQL can decide, taken apart from the rest.
 *
 * Only conditions that every match must meet count, and only on paths that hold one text in each document: there SQL's
 * equality and order are those of the filter (texts by code point, which is the order of their UTF-8 bytes). Half of a
 * surrogate pair, which JSON can carry in a filter, has no UTF-8 form, so a text with one never reaches SQL.
 */
import type { Json } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { isOptionalTextPath, isTextPath } from '../../models/text-paths.ts'
import { dotted, type CompareOperator, type Filter } from '../../query/ast.ts'
import { textsRequiredBy, type Pattern } from '../../query/pattern.ts'
import { compareText } from '../../query/values.ts'

/** Patterns on the search field that are looked into for texts. More of them would hardly narrow. */
const SEARCHES_MAX = 16

export interface Bound {
  readonly path: string
  readonly operator: CompareOperator
  readonly value: string
}

export interface Conditions {
  /** Paths that must have one of these texts. */
  readonly texts: ReadonlyMap<string, readonly string[]>
  /** Paths that must have none of these texts. */
  readonly excluded: ReadonlyMap<string, readonly string[]>
  /** For each path at most one from below and one from above, so that a long filter makes no long SQL. */
  readonly bounds: readonly Bound[]
  /** Texts that must stand in a text path. */
  readonly searches: readonly TextSearch[]
  /** A search for words; the first, where there are several. */
  readonly words: WordsFilter | undefined
  /** The paths of all of these. */
  readonly paths: readonly string[]
  /** What SQL cannot decide, searches included. */
  readonly rest: readonly Filter[]
  /** No document can meet the filter. */
  readonly never: boolean
}

export type WordsFilter = Extract<Filter, { kind: 'words' }>

export interface TextSearch {
  readonly path: string
  /** For each list, one of its texts stands there, in any case. */
  readonly clauses: readonly (readonly string[])[]
  /** The condition asks for no more than that. */
  readonly isWhole: boolean
  readonly filter: Filter
}

export function conditionsOf(model: Model, filter: Filter): Conditions {
  const found: Gathered = { texts: new Map(), excluded: new Map(), bounds: [], searches: [], words: undefined, rest: [], never: false }
  if (filter.kind === 'or' && filter.filters.length === 0) found.never = true
  if (filter.kind === 'and') for (const one of filter.filters) gather(found, model, one)
  else gather(found, model, filter)
  return decide(found)
}

/** Applies what else is said of a path to the texts that it must have. */
function decide(found: Gathered): Conditions {
  const { texts, excluded } = found
  const bounds = strictest(found.bounds)
  let { never } = found
  for (const [path, wanted] of texts) {
    const [left, unwanted] = [withinBounds(path, wanted, bounds), excluded.get(path)]
    const allowed = unwanted === undefined ? left : withoutAll(left, new Set(unwanted))
    texts.set(path, allowed)
    excluded.delete(path)
    never ||= allowed.length === 0
  }
  const left = bounds.length === 0 ? bounds : bounds.filter(({ path }) => !texts.has(path))
  const paths = [...texts.keys(), ...excluded.keys(), ...left.map(({ path }) => path)]
  const { searches, words, rest } = found
  return { texts, excluded, bounds: left, paths, searches, words, rest, never }
}

function withinBounds(path: string, wanted: readonly string[], bounds: readonly Bound[]): readonly string[] {
  const own = bounds.filter((bound) => bound.path === path)
  return own.length === 0 ? wanted : wanted.filter((text) => own.every((bound) => isWithin(text, bound)))
}

function inBoth(texts: readonly string[], others: ReadonlySet<string>): readonly string[] {
  return texts.filter((text) => others.has(text))
}

function withoutAll(texts: readonly string[], unwanted: ReadonlySet<string>): readonly string[] {
  return texts.filter((text) => !unwanted.has(text))
}

interface Gathered {
  readonly texts: Map<string, readonly string[]>
  readonly excluded: Map<string, string[]>
  readonly bounds: Bound[]
  readonly searches: TextSearch[]
  words: WordsFilter | undefined
  readonly rest: Filter[]
  never: boolean
}

/** The path of a condition, where it holds one text in each document. */
function textPathOf(model: Model, one: Filter): string | undefined {
  if (!('path' in one)) return undefined
  const path = dotted(one.path)
  if (isTextPath(model, path)) return path
  return isOptionalTextPath(model, path) && isForTexts(one) ? path : undefined
}

/** Whether only texts meet the condition, in SQL too: NULL meets none. */
function isForTexts(one: Filter): boolean {
  if (one.kind === 'in') return one.values.every(isSqlText)
  return (one.kind === 'eq' || one.kind === 'compare') && isSqlText(one.value)
}

function gather(found: Gathered, model: Model, one: Filter): void {
  if (one.kind === 'not') return gatherNegation(found, model, one)
  if (one.kind === 'words') found.words ??= one
  const path = textPathOf(model, one)
  if (path === undefined) found.rest.push(one)
  else if (one.kind === 'eq' || one.kind === 'in') {
    const [wanted, before] = [textsIn(one), found.texts.get(path)]
    found.texts.set(path, before === undefined ? wanted : inBoth(before, new Set(wanted)))
  } else if (one.kind === 'compare') {
    if (isSqlText(one.value)) found.bounds.push({ path, operator: one.operator, value: one.value })
    else if (typeof one.value === 'string') found.rest.push(one)
    else found.never = true // Comparisons hold within one type only.
  } else if (one.kind !== 'exists') {
    found.rest.push(one)
    if (one.kind === 'pattern') gatherPattern(found, model, { path, filter: one })
  }
}

function gatherNegation(found: Gathered, model: Model, negation: Extract<Filter, { kind: 'not' }>): void {
  const { filter: one } = negation
  const known = textPathOf(model, one)
  // What is absent meets each negation, and none of SQL.
  const path = known !== undefined && isTextPath(model, known) ? known : undefined
  if (path !== undefined && one.kind === 'exists') found.never = true
  else if (path === undefined || (one.kind !== 'eq' && one.kind !== 'in')) found.rest.push(negation)
  else {
    const unwanted = textsIn(one)
    const before = found.excluded.get(path)
    if (before !== undefined) for (const value of unwanted) before.push(value)
    else if (unwanted.length > 0) found.excluded.set(path, unwanted)
  }
}

/** A text is never equal to a value of another type, and no stored one has half of a surrogate pair. */
function textsIn(one: Extract<Filter, { kind: 'eq' | 'in' }>): string[] {
  return one.kind === 'eq' ? [one.value].filter(isSqlText) : [...new Set(one.values.filter(isSqlText))]
}

function gatherPattern(
  { searches, bounds }: Gathered,
  model: Model,
  { path, filter }: { readonly path: string; readonly filter: Extract<Filter, { kind: 'pattern' }> },
): void {
  const { pattern } = filter
  const clauses = searches.length < SEARCHES_MAX && path === model.search[0] ? searchClauses(pattern) : []
  const isWhole = pattern.kind === 'literal' && pattern.ignoreCase
  if (clauses.length > 0) searches.push({ path, clauses, isWhole, filter })
  if (pattern.kind === 'prefix' && !pattern.ignoreCase && isSqlText(pattern.text)) {
    bounds.push(...prefixBounds(path, pattern.text))
  }
}

/** The texts that a pattern requires. */
function searchClauses(pattern: Pattern): TextSearch['clauses'] {
  const clauses = pattern.kind === 'regexp' ? textsRequiredBy(pattern) : [[pattern.text]]
  return clauses.filter((clause) => clause.every(isSqlText))
}

/** Whether a value is a text that reaches SQLite as it is. */
export function isSqlText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.isWellFormed()
}

/** SQLite takes expressions of 1,000 terms at most, and keeps a statement for each text that it is given. */
export function strictest(bounds: readonly Bound[]): readonly Bound[] {
  if (bounds.length < 2) return bounds
  const kept = new Map<string, Bound>()
  for (const bound of bounds) {
    const side = `${isFromBelow(bound) ? 'from' : 'to'} ${bound.path}`
    const known = kept.get(side)
    if (known === undefined || isStricter(bound, known)) kept.set(side, bound)
  }
  return [...kept.values()]
}

function isStricter(bound: Bound, than: Bound): boolean {
  const order = compareText(bound.value, than.value)
  if (order === 0) return bound.operator === 'gt' || bound.operator === 'lt'
  return isFromBelow(bound) ? order > 0 : order < 0
}

/** Whether a text meets a bound. */
export function isWithin(text: string, { operator, value }: Bound): boolean {
  const order = compareText(text, value)
  if (order === 0) return operator === 'gte' || operator === 'lte'
  return operator === 'gt' || operator === 'gte' ? order > 0 : order < 0
}

function isFromBelow({ operator }: Bound): boolean {
  return operator === 'gt' || operator === 'gte'
}

/** Texts that begin with a prefix lie between it and the prefix with its last code point counted up. */
function prefixBounds(path: string, prefix: string): readonly Bound[] {
  const points = [...prefix]
  const last = points.pop()?.codePointAt(0) ?? 0
  const from: Bound = { path, operator: 'gte', value: prefix }
  // Nothing comes after the last code point, and after U+D7FF come surrogates, which are none.
  if (last === 0x10ffff || last === 0xd7ff) return [from]
  return [from, { path, operator: 'lt', value: points.join('') + String.fromCodePoint(last + 1) }]
}
