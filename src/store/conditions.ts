/**
 * The parts of a filter that SQL can decide, taken apart from the rest.
 *
 * Only conditions that every match must meet count, and only on paths that hold one text in each document: there SQL's
 * equality and order are those of the filter (texts by code point, which is the order of their UTF-8 bytes).
 */
import type { Model } from '../models/schema.ts'
import { isTextPath } from '../models/text-paths.ts'
import type { CompareOperator, Filter } from '../query/ast.ts'
import type { Pattern } from '../query/pattern.ts'

export interface Bound {
  readonly path: string
  readonly operator: CompareOperator
  readonly value: string
}

export interface Conditions {
  /** Paths that must have one of these texts. */
  readonly texts: ReadonlyMap<string, readonly string[]>
  readonly bounds: readonly Bound[]
  /** Literal texts that must stand in a text path. */
  readonly searches: readonly { readonly path: string; readonly pattern: LiteralPattern; readonly filter: Filter }[]
  /** What SQL cannot decide, searches included. */
  readonly rest: readonly Filter[]
  /** No document can meet the filter. */
  readonly never: boolean
}

type LiteralPattern = Extract<Pattern, { kind: 'literal' }>

export function conditionsOf(model: Model, filter: Filter): Conditions {
  const texts = new Map<string, readonly string[]>()
  const [bounds, searches, rest]: [Bound[], Conditions['searches'][number][], Filter[]] = [[], [], []]
  let never = filter.kind === 'or' && filter.filters.length === 0
  for (const one of filter.kind === 'and' ? filter.filters : [filter]) {
    const path = 'path' in one && isTextPath(model, one.path) ? one.path.join('.') : undefined
    if (path === undefined) rest.push(one)
    else if (one.kind === 'eq' || one.kind === 'in') {
      // A text is never equal to a value of another type.
      const wanted = (one.kind === 'eq' ? [one.value] : one.values).filter((value) => typeof value === 'string')
      const before = texts.get(path)
      const both = before === undefined ? [...new Set(wanted)] : before.filter((value) => wanted.includes(value))
      texts.set(path, both)
      never ||= both.length === 0
    } else if (one.kind === 'compare') {
      if (typeof one.value === 'string') bounds.push({ path, operator: one.operator, value: one.value })
      else never = true // Comparisons hold within one type only.
    } else {
      if (one.kind === 'pattern' && one.pattern.kind === 'literal') searches.push({ path, pattern: one.pattern, filter: one })
      if (one.kind === 'pattern' && one.pattern.kind === 'prefix' && !one.pattern.ignoreCase) {
        bounds.push(...prefixBounds(path, one.pattern.text))
      }
      rest.push(one)
    }
  }
  return { texts, bounds, searches, rest, never }
}

/** Texts that begin with a prefix lie between it and the prefix with its last code point counted up. */
function prefixBounds(path: string, prefix: string): readonly Bound[] {
  const points = [...prefix]
  const last = points.pop()?.codePointAt(0) ?? 0
  const from: Bound = { path, operator: 'gte', value: prefix }
  // Surrogates are no code points of a text, and nothing comes after the last one.
  if (last >= 0x10ffff || (last >= 0xd7ff && last < 0xe000)) return [from]
  return [from, { path, operator: 'lt', value: points.join('') + String.fromCodePoint(last + 1) }]
}
