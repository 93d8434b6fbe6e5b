/**
 * A filter as frozen plain data.
 *
 * The parser writes this tree, `match` gives it its meaning, and a planner reads it to see what an index can serve.
 * Negations are written as `not` around the positive condition (`$ne` is `not(eq)`), so no code has to keep two
 * definitions in step. The constructors leave out what says nothing: a list within a list of its own kind, a list of
 * one, a condition that is always or never true.
 */
import { reviveNumber, type Decimal } from '../base/decimal.ts'
import { writeJson, type Json } from '../base/json.ts'
import { literalPattern, type Pattern } from './pattern.ts'

export type CompareOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** The types a stored value can have. A whole number is `int` within 32 bits and `long` beyond. */
export type ValueType = 'null' | 'double' | 'int' | 'long' | 'string' | 'object' | 'array' | 'bool'

export type Filter =
  /** All of them; true when empty. */
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  /** At least one of them; false when empty. */
  | { readonly kind: 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  /** A value null also takes a missing field. */
  | { readonly kind: 'eq'; readonly path: Path; readonly value: Json }
  /** Equality with some member. Never empty, at least two members. */
  | { readonly kind: 'in'; readonly path: Path; readonly values: readonly Json[] }
  /** Compares within the type of the value only. The value is never null. */
  | { readonly kind: 'compare'; readonly path: Path; readonly operator: CompareOperator; readonly value: Json }
  | { readonly kind: 'exists'; readonly path: Path }
  | { readonly kind: 'type'; readonly path: Path; readonly types: readonly ValueType[] }
  | { readonly kind: 'size'; readonly path: Path; readonly size: number }
  /**
   * An element of the array meets the filter. Form `value`: the filter's paths are empty and mean the element.
   * Form `object`: they lead into the element, which is an object or an array.
   */
  | { readonly kind: 'elemMatch'; readonly path: Path; readonly form: 'value' | 'object'; readonly filter: Filter }
  | {
      readonly kind: 'mod'
      readonly path: Path
      readonly divisor: number | Decimal
      readonly remainder: number | Decimal
    }
  | { readonly kind: 'pattern'; readonly path: Path; readonly pattern: Pattern }
  /** The texts at the paths together have all of these (words.ts). No filter of a request says that; a search does. */
  | { readonly kind: 'words'; readonly paths: readonly Path[]; readonly sought: readonly string[] }

export const matchAll: Filter = Object.freeze({ kind: 'and', filters: Object.freeze([]) })
export const matchNone: Filter = Object.freeze({ kind: 'or', filters: Object.freeze([]) })

/** All of the filters hold. Without any: always. */
export function and(...filters: readonly Filter[]): Filter {
  const flat = filters.flatMap((filter) => (filter.kind === 'and' ? filter.filters : [filter]))
  if (flat.some(isMatchNone)) return matchNone
  return flat.length === 1 ? (flat[0] as Filter) : node({ kind: 'and', filters: Object.freeze(flat) })
}

/** At least one of the filters holds. Without any: never. */
export function or(...filters: readonly Filter[]): Filter {
  const flat = filters.flatMap((filter) => (filter.kind === 'or' ? filter.filters : [filter]))
  if (flat.some(isMatchAll)) return matchAll
  return flat.length === 1 ? (flat[0] as Filter) : node({ kind: 'or', filters: Object.freeze(flat) })
}

/** The filter does not hold for the document. */
export function not(filter: Filter): Filter {
  if (filter.kind === 'not') return filter.filter
  if (isMatchAll(filter)) return matchNone
  return isMatchNone(filter) ? matchAll : node({ kind: 'not', filter })
}

/** A value at the path equals the value; null also takes a missing field. */
export function eq(path: Path, value: Json): Filter {
  return node({ kind: 'eq', path: frozen(path), value })
}

/** A value at the path equals one of the values. */
export function isIn(path: Path, values: readonly Json[]): Filter {
  if (values.length === 0) return matchNone
  if (values.length === 1) return eq(path, values[0] as Json)
  return node({ kind: 'in', path: frozen(path), values: frozen(values) })
}

/** A value of the same type at the path is greater or less. With null, `gte` and `lte` are equality, the rest never. */
export function compare(path: Path, operator: CompareOperator, value: Json): Filter {
  if (value === null) return operator === 'gte' || operator === 'lte' ? eq(path, null) : matchNone
  return node({ kind: 'compare', path: frozen(path), operator, value })
}

/** The path leads to something, null included. */
export function exists(path: Path): Filter {
  return node({ kind: 'exists', path: frozen(path) })
}

/** A value at the path has one of the types. */
export function hasType(path: Path, types: readonly ValueType[]): Filter {
  return types.length === 0 ? matchNone : node({ kind: 'type', path: frozen(path), types: frozen(types) })
}

/** The value is an array with so many elements. */
export function hasSize(path: Path, size: number): Filter {
  return node({ kind: 'size', path: frozen(path), size })
}

/** The value is an array, one element of which meets the filter. */
export function elemMatch(path: Path, form: 'value' | 'object', filter: Filter): Filter {
  return node({ kind: 'elemMatch', path: frozen(path), form, filter })
}

/** A number at the path leaves the remainder; all three are cut to whole numbers. The divisor must not be cut to 0. */
export function mod(path: Path, divisor: number | Decimal, remainder: number | Decimal): Filter {
  return node({ kind: 'mod', path: frozen(path), divisor, remainder })
}

/** A string at the path matches the pattern. */
export function matchesPattern(path: Path, pattern: Pattern): Filter {
  return node({ kind: 'pattern', path: frozen(path), pattern })
}

/** A string at the path contains the text as it is written, ignoring case. */
export function containsText(path: Path, text: string): Filter {
  return matchesPattern(path, literalPattern(text, true))
}

/** All of these stand in the words of the texts at the paths: soughtWords() gives them. */
export function hasWords(paths: readonly Path[], sought: readonly string[]): Filter {
  return node({ kind: 'words', paths: frozen(paths), sought: frozen(sought) })
}

export function isMatchAll(filter: Filter): boolean {
  return filter.kind === 'and' && filter.filters.length === 0
}

export function isMatchNone(filter: Filter): boolean {
  return filter.kind === 'or' && filter.filters.length === 0
}

/**
 * The filter as a text for another thread. A structured clone would do for most filters, but it turns a Decimal into
 * an object without its class.
 */
export function writeFilter(filter: Filter): string {
  return writeJson(filter as unknown as Json)
}

/** Reads what writeFilter wrote, and only that: nothing is checked. */
export function readFilter(text: string): Filter {
  return JSON.parse(text, reviveNumber) as Filter
}

function node(filter: Filter): Filter {
  return Object.freeze(filter)
}

function frozen<Item>(items: readonly Item[]): readonly Item[] {
  return Object.isFrozen(items) ? items : Object.freeze([...items])
}

/*
 * Paths: how a dotted name in a filter or a sort says where a value lies.
 *
 * A path is split at every dot and at nothing else; a stored key that itself holds a dot cannot be addressed. A segment
 * such as `2` is a key and, where it meets an array, also an index.
 */

/** The segments of a path, outermost first. The empty path means the value itself (inside `$elemMatch`). */
export type Path = readonly string[]

/** `topic.id` as a path. A top-level `_id` means `id` where the caller says that names count from the top. */
export function pathOf(name: string, { fromTop }: { readonly fromTop: boolean }): Path {
  const segments = name.split('.')
  if (fromTop && segments[0] === '_id') segments[0] = 'id'
  return Object.freeze(segments)
}

/** `topic.id`: a path as it was written. Most have one segment. */
export function dotted(path: Path): string {
  return path.length === 1 ? (path[0] ?? '') : path.join('.')
}

/** The array index a segment stands for when written plainly (no sign, no leading zero); -1 where it is none. */
export function indexOfSegment(segment: string): number {
  return PLAIN_INDEX.test(segment) ? Number(segment) : -1
}

/** No array that fits into memory needs more digits, and up to here a double holds every index exactly. */
const PLAIN_INDEX = /^(?:0|[1-9]\d{0,14})$/
