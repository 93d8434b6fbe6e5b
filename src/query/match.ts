/**
 * What a filter means.
 *
 * This is the only definition: an index may narrow what is looked at, and then this decides. A filter is turned into
 * functions once, so that a scan of many documents neither inspects the tree nor compiles a pattern for each of them.
 */
import { Decimal, isWhole, truncate } from '../base/decimal.ts'
import { assertNever } from '../base/failure.ts'
import { isNumber, isObject, type Json, type JsonObject } from '../base/json.ts'
import type { CompareOperator, Filter, ValueType } from './ast.ts'
import { someCandidate, type CandidateTest, type ValueTest } from './candidates.ts'
import { bytesOfEach, patternTest } from './pattern.ts'
import { takeSteps, unlimitedSteps, type Steps } from './steps.ts'
import { compareValues, equalValues, typeRank } from './values.ts'
import { foldWords, haveWords, textsAt } from './words.ts'

/** Whether one document meets the filter. Throws StepsExceeded past the limit of `steps`. */
export function matches(filter: Filter, document: JsonObject, steps: Steps = unlimitedSteps()): boolean {
  return filterTest(filter, steps)(document)
}

/** The function that says whether a document meets the filter. It counts its work in `steps`, and throws past them. */
export function filterTest(filter: Filter, steps: Steps): ValueTest {
  return testOf(filter, { steps, patternBytes: bytesOfEach(patternsIn(filter)) })
}

interface Matching {
  readonly steps: Steps
  /** What each pattern may remember from document to document. */
  readonly patternBytes: number
}

function patternsIn(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, one) => sum + patternsIn(one), 0)
    case 'not':
    case 'elemMatch':
      return patternsIn(filter.filter)
    default:
      return filter.kind === 'pattern' ? 1 : 0
  }
}

function testOf(filter: Filter, matching: Matching): ValueTest {
  const { steps } = matching
  switch (filter.kind) {
    case 'and': {
      const members = filter.filters.map((one) => testOf(one, matching))
      return (root) => members.every((holds) => holds(root))
    }
    case 'or': {
      const members = filter.filters.map((one) => testOf(one, matching))
      return (root) => members.some((holds) => holds(root))
    }
    case 'not': {
      const holds = testOf(filter.filter, matching)
      return (root) => !holds(root)
    }
    case 'eq':
      return someCandidate(filter.path, counted(equalityTest(filter.value), sizeOf(filter.value), steps), steps)
    case 'in': {
      // Scalars are looked up, whatever their number.
      const size = sizeOf(filter.values.filter((value) => typeof value === 'object'))
      return someCandidate(filter.path, counted(membershipTest(filter.values), size, steps), steps)
    }
    case 'compare': {
      const test = comparisonTest(filter.operator, filter.value)
      return someCandidate(filter.path, counted(test, sizeOf(filter.value), steps), steps)
    }
    case 'exists':
      return someCandidate(filter.path, (candidate) => candidate !== undefined, steps)
    case 'type': {
      const types = new Set(filter.types)
      return someCandidate(filter.path, (candidate) => candidate !== undefined && types.has(typeOf(candidate)), steps)
    }
    case 'size': {
      const { path, size } = filter
      return someCandidate(path, (found) => Array.isArray(found) && found.length === size, steps, { whole: true })
    }
    case 'elemMatch': {
      const test = elementTest(filter.form, testOf(filter.filter, matching), steps)
      return someCandidate(filter.path, test, steps, { whole: true })
    }
    case 'mod':
      return someCandidate(filter.path, remainderTest(filter.divisor, filter.remainder), steps)
    case 'pattern': {
      const test = patternTest(filter.pattern, steps, matching.patternBytes)
      return someCandidate(filter.path, (candidate) => typeof candidate === 'string' && test(candidate), steps)
    }
    case 'words':
      return wordsTest(filter, steps)
    default:
      return assertNever(filter)
  }
}

/** A test that compares with an object or an array: each candidate that is one may take as many steps as that has values. */
function counted(test: CandidateTest, size: number, steps: Steps): CandidateTest {
  if (size === 0) return test
  return (candidate) => {
    if (typeof candidate === 'object') takeSteps(steps, size)
    return test(candidate)
  }
}

/** How many values an object or an array holds, at any depth; 0 for a scalar. */
function sizeOf(value: Json | readonly Json[]): number {
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + sizeOf(inner as Json), 0)
}

function equalityTest(value: Json): CandidateTest {
  if (value === null) return (candidate) => candidate === null || candidate === undefined
  if (typeof value !== 'object') return (candidate) => candidate === value
  return (candidate) => candidate !== undefined && equalValues(candidate, value)
}

/** Scalars are looked up; what needs comparing (objects, arrays, numbers beyond a double) is compared one by one. */
function membershipTest(values: readonly Json[]): CandidateTest {
  const scalars = new Set<Json | undefined>(values.filter((value) => typeof value !== 'object' || value === null))
  if (scalars.has(null)) scalars.add(undefined)
  const others = values.filter((value) => typeof value === 'object' && value !== null)
  if (others.length === 0) return (candidate) => scalars.has(candidate)
  return (candidate) =>
    scalars.has(candidate) ||
    (typeof candidate === 'object' && candidate !== null && others.some((value) => equalValues(candidate, value)))
}

/** Type bracketing: a bound takes only candidates of its own type. */
function comparisonTest(operator: CompareOperator, value: Json): CandidateTest {
  const rank = typeRank(value)
  const accepts = ACCEPTED_ORDER[operator]
  return (candidate) =>
    candidate !== undefined && typeRank(candidate) === rank && accepts(compareValues(candidate, value))
}

const ACCEPTED_ORDER: Readonly<Record<CompareOperator, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

function elementTest(form: 'value' | 'object', holds: ValueTest, steps: Steps): CandidateTest {
  const isMet: ValueTest =
    form === 'value' ? holds : (element) => (isObject(element) || Array.isArray(element)) && holds(element)
  return (found) => {
    if (!Array.isArray(found)) return false
    takeSteps(steps, found.length)
    return found.some(isMet)
  }
}

/** To fold a character takes 8 ns, and 25 where other work has filled the caches: overestimated, so that a search ends in time. */
const STEPS_PER_FOLDED_CHAR = 4

function wordsTest({ paths, sought }: Extract<Filter, { kind: 'words' }>, steps: Steps): ValueTest {
  return (root) => {
    const texts = textsAt(root, paths)
    takeSteps(steps, texts.reduce((sum, text) => sum + text.length * STEPS_PER_FOLDED_CHAR, sought.length))
    return haveWords(foldWords(texts), sought)
  }
}

function remainderTest(divisor: number | Decimal, remainder: number | Decimal): CandidateTest {
  const [by, left] = [truncate(divisor) ?? 0n, truncate(remainder) ?? 0n]
  const [byNumber, leftNumber] = [Number(by), Number(left)]
  const isSmall = Number.isSafeInteger(byNumber) && Number.isSafeInteger(leftNumber)
  return (candidate) => {
    if (candidate === undefined || !isNumber(candidate)) return false
    if (isSmall && typeof candidate === 'number' && Math.abs(candidate) <= Number.MAX_SAFE_INTEGER) {
      return Math.trunc(candidate) % byNumber === leftNumber
    }
    const whole = truncate(candidate)
    return whole !== undefined && whole % by === left
  }
}

const INT_MIN = -(2 ** 31)
const INT_MAX = 2 ** 31 - 1

function typeOf(value: Json): ValueType {
  switch (typeof value) {
    case 'number':
      if (!Number.isInteger(value)) return 'double'
      return value >= INT_MIN && value <= INT_MAX ? 'int' : 'long'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'array'
      if (!(value instanceof Decimal)) return 'object'
      // What a double cannot hold is past 32 bits, or it has a fraction.
      return isWhole(value) ? 'long' : 'double'
  }
}
