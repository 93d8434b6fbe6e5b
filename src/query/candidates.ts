/**
 * What a path finds in a document.
 *
 * A path yields candidates, each a value or MISSING, and a condition holds when some candidate meets it. Arrays on the
 * way are walked into, and an array at the end is a candidate beside each of its elements. Candidates are tested as
 * they are met and the walk stops at the first that will do, because this runs for every document of a scan: nothing
 * is collected.
 */
import { Decimal } from '../base/decimal.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { indexOfSegment, type Path } from './ast.ts'
import { takeSteps, type Steps } from './steps.ts'

/** To follow a path of usual length to its end. */
const PATH_STEPS = 5

/** A candidate is undefined where the path leads to nothing. */
export type CandidateTest = (candidate: Json | undefined) => boolean
export type ValueTest = (value: Json) => boolean

/**
 * Makes the function that says whether some candidate of the path passes the test. With `whole`, an array at the end
 * of the path is one candidate and its elements are none. Each path and each element of an array counts in `steps`.
 */
export function someCandidate(path: Path, test: CandidateTest, steps: Steps, { whole = false } = {}): ValueTest {
  if (path.length === 0) return test
  const indexes = path.map(indexOfSegment)
  const isAmbiguous = indexes.filter((index) => index >= 0).length > 1
  const route: Route = { path, indexes, test, whole, steps, seen: undefined }
  return (root) => {
    takeSteps(steps, PATH_STEPS)
    return fromRoot(isAmbiguous ? { ...route, seen: new Map() } : route, root)
  }
}

interface Route {
  readonly path: Path
  readonly indexes: readonly number[]
  readonly test: CandidateTest
  readonly whole: boolean
  readonly steps: Steps
  /**
   * The depths at which each object was entered. A segment such as `0` can be an index and a key of the element there,
   * so a path of several numbers reaches the same object in ways that double with each level of the document.
   */
  readonly seen: Map<JsonObject, Set<number>> | undefined
}

/** The root is a document, or an element that `$elemMatch` looks into: there an array is an object of its indexes. */
function fromRoot(route: Route, root: Json): boolean {
  if (!Array.isArray(root)) return isEnterable(root) ? enter(route, root, 0) : route.test(undefined)
  const index = route.indexes[0] as number
  return index >= 0 && index < root.length ? reach(route, root[index] as Json, 1) : route.test(undefined)
}

function enter(route: Route, object: JsonObject, depth: number): boolean {
  if (route.seen !== undefined && !isFirstVisit(route.seen, object, depth)) return false
  const key = route.path[depth] as string
  // Own keys only: a document has no field `constructor` unless it was stored with one.
  return Object.hasOwn(object, key) ? reach(route, object[key] as Json, depth + 1) : route.test(undefined)
}

function reach(route: Route, value: Json, depth: number): boolean {
  if (Array.isArray(value)) return reachArray(route, value, depth)
  if (depth === route.path.length) return route.test(value)
  return isEnterable(value) ? enter(route, value, depth) : route.test(undefined)
}

function reachArray(route: Route, list: readonly Json[], depth: number): boolean {
  takeSteps(route.steps, list.length)
  if (depth === route.path.length) return (!route.whole && list.some(route.test)) || route.test(list)
  const index = route.indexes[depth] as number
  for (let i = 0; i < list.length; i++) {
    const element = list[i] as Json
    if (isEnterable(element) && enter(route, element, depth)) return true
    if (i === index && reachIndexed(route, element, depth + 1)) return true
  }
  return false
}

/** An element that the path named by its index. At the end of the path it is taken as it is, never opened. */
function reachIndexed(route: Route, element: Json, depth: number): boolean {
  if (depth === route.path.length) return route.test(element)
  if (Array.isArray(element)) return reachArray(route, element, depth)
  return isEnterable(element) && enter(route, element, depth)
}

function isEnterable(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)
}

function isFirstVisit(seen: Map<JsonObject, Set<number>>, object: JsonObject, depth: number): boolean {
  const depths = seen.get(object) ?? new Set()
  if (depths.has(depth)) return false
  seen.set(object, depths.add(depth))
  return true
}
