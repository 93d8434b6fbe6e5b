/**
 * Sorting: from `updatedAt:desc,name` to an order of documents.
 *
 * The position of a document is one key for each field of the sort, and then its id, so that no two documents tie and a
 * page can begin after any of them. Keys are plain JSON, for they travel in cursors. Where a path ends at an array, the
 * smallest (or, descending, the largest) element is the key; an empty array sorts below null. So that this case can
 * be told from every value, arrays are boxed: the key `[]` is the empty array at the end of a path, and `[v]` stands
 * for an element v that is itself an array.
 */
import { describe, fail } from '../base/failure.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { dotted, indexOfSegment, pathOf, type Path } from './ast.ts'
import { compareValues } from './values.ts'
import { takeSteps, unlimitedSteps, type Steps } from './steps.ts'

const SORT_KEYS_MAX = 8
/** Far more than eight paths need; in a body a sort may be as long as the body. */
const SORT_CHARS_MAX = 8192

export interface SortField {
  readonly path: Path
  readonly descending: boolean
}

export type Sort = readonly SortField[]

/** Where a document stands in a sort: its keys, one for each field of the sort, and its id. */
export interface Position {
  readonly keys: readonly Json[]
  readonly id: string
}

/**
 * Parses `field:asc,other.field:desc`. A missing direction is `asc`; spaces around names and words do not count.
 * Throws badRequest for an empty entry, another direction, a field that is empty or starts with `$`, and past 8 keys or
 * 8,192 characters.
 */
export function parseSort(text: string): Sort {
  if (text.length > SORT_CHARS_MAX) throw sortFailure(text, `at most ${SORT_CHARS_MAX} characters`, text.length)
  const entries = text.split(',')
  if (entries.length > SORT_KEYS_MAX) throw sortFailure(text, `at most ${SORT_KEYS_MAX} keys`, entries.length)
  return Object.freeze(entries.map((entry) => parseSortField(text, entry.trim())))
}

/** The text of a sort as parseSort takes it: `updatedAt:desc,name:asc`. */
export function sortText(sort: Sort): string {
  return sort.map(({ path, descending }) => `${dotted(path)}:${descending ? 'desc' : 'asc'}`).join(',')
}

/** The keys that position a document in the sort. Throws StepsExceeded past the limit of `steps`. */
export function sortKeys(document: JsonObject, sort: Sort, steps: Steps = unlimitedSteps()): Json[] {
  return sort.map(({ path, descending }) => keyAt(document, { path, descending, steps }, 0))
}

/** Of one field: null where it is missing, the extreme element where it is an array (see the header). */
interface KeySearch extends SortField {
  readonly steps: Steps
}

/** A Position whose id may be any value, or null for none: documents that never went through the store. */
export interface LoosePosition extends Pick<Position, 'keys'> {
  readonly id: Json
}

/** Orders two documents by their keys and then by id, always ascending: negative, zero or positive. */
export function comparePositions(sort: Sort, a: LoosePosition, b: LoosePosition): number {
  for (let i = 0; i < sort.length; i++) {
    const order = compareKeys(a.keys[i] ?? null, b.keys[i] ?? null)
    if (order !== 0) return sort[i]?.descending === true ? -order : order
  }
  return compareValues(a.id, b.id)
}

function parseSortField(text: string, entry: string): SortField {
  if (entry === '') throw sortFailure(text, 'a field in each entry', entry)
  const colon = entry.lastIndexOf(':')
  const [name, direction] = colon < 0 ? [entry, 'asc'] : [entry.slice(0, colon).trim(), entry.slice(colon + 1).trim()]
  if (name === '' || name.startsWith('$')) throw sortFailure(text, 'a field name', name)
  if (direction !== 'asc' && direction !== 'desc') throw sortFailure(text, '"asc" or "desc"', direction)
  return Object.freeze({ path: pathOf(name, { fromTop: true }), descending: direction === 'desc' })
}

function sortFailure(text: string, expected: string, found: unknown): Error {
  return fail('badRequest', `Cannot read sort ${describe(text)}: expected ${expected}, found ${describe(found)}`)
}

function keyAt(value: Json, field: KeySearch, depth: number): Json {
  if (Array.isArray(value)) return keyInArray(value, field, depth)
  const key = field.path[depth]
  if (key === undefined) return value
  return isObject(value) && Object.hasOwn(value, key) ? keyAt(value[key] as Json, field, depth + 1) : null
}

function keyInArray(list: readonly Json[], field: KeySearch, depth: number): Json {
  takeSteps(field.steps, list.length)
  const segment = field.path[depth]
  if (segment === undefined) return extreme(list, field, boxed)
  const index = indexOfSegment(segment)
  const isKey = index >= 0 && list.some((element) => isObject(element) && Object.hasOwn(element, segment))
  if (index >= 0 && index < list.length && !isKey) {
    return keyAt(list[index] as Json, field, depth + 1)
  }
  // An element that is no object has no such field, and neither has an empty array.
  if (list.length === 0) return null
  return extreme(list, field, (element) => (isObject(element) ? keyAt(element, field, depth) : null))
}

/** The smallest or largest key of the elements; the empty box where there is none. */
function extreme(list: readonly Json[], { descending }: SortField, keyOf: (element: Json) => Json): Json {
  let best: Json | undefined
  for (const element of list) {
    const key = keyOf(element)
    const order = best === undefined ? 0 : compareKeys(key, best)
    if (best === undefined || (descending ? order > 0 : order < 0)) best = key
  }
  return best === undefined ? EMPTY_BOX : best
}

const EMPTY_BOX: Json = Object.freeze([])

function boxed(element: Json): Json {
  return Array.isArray(element) ? [element] : element
}

function compareKeys(a: Json, b: Json): number {
  // Boxes compare by what is in them, which is what comparing arrays of at most one element does; only the empty
  // box lies elsewhere than an array would.
  const [emptyA, emptyB] = [isEmptyBox(a), isEmptyBox(b)]
  if (emptyA || emptyB) return Number(emptyB) - Number(emptyA)
  return compareValues(a, b)
}

function isEmptyBox(key: Json): boolean {
  return Array.isArray(key) && key.length === 0
}
