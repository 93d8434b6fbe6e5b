/**
 * The parts of a filter that SQL can decide, taken apart from the rest.
 *
 * Only conditions that every match must meet count, and only on paths that hold one text in each document: there SQL's
 * equality and order are those of the filter (texts by code point, which is the order of their UTF-8 bytes). Half of a
 * surrogate pair, which JSON can carry in a filter, has no UTF-8 form, so a text with one never reaches SQL.
 */
import type { Json } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { isTextPath } from '../../models/text-paths.ts'
import type { CompareOperator, Filter } from '../../query/ast.ts'
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
  /** For each path at most one from below and one from above, so that a long filter makes no long SQL. */
  readonly bounds: readonly Bound[]
  /** Texts that must stand in a text path. */
  readonly searches: readonly TextSearch[]
  /** What SQL cannot decide, searches included. */
  readonly rest: readonly Filter[]
  /** No document can meet the filter. */
  readonly never: boolean
}

export interface TextSearch {
  readonly path: string
  /** For each list, one of its texts stands there, in any case. */
  readonly clauses: readonly (readonly string[])[]
  /** The condition asks for no more than that. */
  readonly isWhole: boolean
  readonly filter: Filter
}

export function conditionsOf(model: Model, filter: Filter): Conditions {
  const texts = new Map<string, readonly string[]>()
  const [bounds, searches, rest]: [Bound[], Conditions['searches'][number][], Filter[]] = [[], [], []]
  let never = filter.kind === 'or' && filter.filters.length === 0
  for (const one of filter.kind === 'and' ? filter.filters : [filter]) {
    const path = 'path' in one && isTextPath(model, one.path) ? one.path.join('.') : undefined
    if (path === undefined) rest.push(one)
    else if (one.kind === 'eq' || one.kind === 'in') {
      // A text is never equal to a value of another type, and no stored one has half of a surrogate pair.
      const wanted = (one.kind === 'eq' ? [one.value] : one.values).filter(isSqlText)
      const before = texts.get(path)
      const distinct = new Set(wanted)
      const both = before === undefined ? [...distinct] : before.filter((value) => distinct.has(value))
      texts.set(path, both)
      never ||= both.length === 0
    } else if (one.kind === 'compare') {
      if (isSqlText(one.value)) bounds.push({ path, operator: one.operator, value: one.value })
      else if (typeof one.value === 'string') rest.push(one)
      else never = true // Comparisons hold within one type only.
    } else {
      rest.push(one)
      if (one.kind !== 'pattern') continue
      const { pattern } = one
      const clauses = searches.length < SEARCHES_MAX && path === model.search[0] ? searchClauses(pattern) : []
      const isWhole = pattern.kind === 'literal' && pattern.ignoreCase
      if (clauses.length > 0) searches.push({ path, clauses, isWhole, filter: one })
      if (pattern.kind === 'prefix' && !pattern.ignoreCase && isSqlText(pattern.text)) {
        bounds.push(...prefixBounds(path, pattern.text))
      }
    }
  }
  return { texts, bounds: strictest(bounds), searches, rest, never }
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
function strictest(bounds: readonly Bound[]): readonly Bound[] {
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
