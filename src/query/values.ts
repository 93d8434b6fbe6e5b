/**
 * The one definition of equal and less for JSON values.
 *
 * Filters, sorts, cursors and the tests of every index go through here. The order is that of MongoDB restricted to
 * JSON: first by type (null < number < string < object < array < boolean), then by value within the type. It is total,
 * so that sorting never meets two values it cannot order.
 */
import { compareNumbers, Decimal } from '../base/decimal.ts'
import { isNumber, type Json, type JsonObject } from '../base/json.ts'

/** The rank of a value's type, 0 (null) to 5 (boolean). */
export function typeRank(value: Json): number {
  switch (typeof value) {
    case 'number':
      return 1
    case 'string':
      return 2
    case 'boolean':
      return 5
    default:
      if (value === null) return 0
      if (Array.isArray(value)) return 4
      return value instanceof Decimal ? 1 : 3
  }
}

/** Orders any two values: negative, zero or positive. Zero means equal, and nothing else does. */
export function compareValues(a: Json, b: Json): number {
  const rank = typeRank(a)
  const byType = rank - typeRank(b)
  return byType === 0 ? compareWithinType(rank, a, b) : byType
}

/** Whether two values are of one type and compare equal; for objects that takes the same fields in the same order. */
export function equalValues(a: Json, b: Json): boolean {
  return a === b || compareValues(a, b) === 0
}

/**
 * Orders two strings by Unicode code point, which is the order of their UTF-8 bytes.
 *
 * UTF-16 units give the same order except where a surrogate meets a unit from U+E000 on: U+1F600 is greater than
 * U+FF5E, though its first unit 0xD83D is smaller. Only then are code points read.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const unitA = a.charCodeAt(i)
    const unitB = b.charCodeAt(i)
    if (unitA === unitB) continue
    return unitA < SURROGATES_FROM || unitB < SURROGATES_FROM ? unitA - unitB : compareCodePoints(a, b, i)
  }
  return a.length - b.length
}

const SURROGATES_FROM = 0xd800
const TRAIL_SURROGATES_FROM = 0xdc00
const SURROGATES_END = 0xe000

/** Compares at the first differing unit `i`, or at the lead surrogate before it that both texts share. */
function compareCodePoints(a: string, b: string, i: number): number {
  const before = i === 0 ? 0 : a.charCodeAt(i - 1)
  const isSharedLead = before >= SURROGATES_FROM && before < TRAIL_SURROGATES_FROM
  if (isSharedLead && (isTrail(a.charCodeAt(i)) || isTrail(b.charCodeAt(i)))) {
    return (a.codePointAt(i - 1) ?? 0) - (b.codePointAt(i - 1) ?? 0)
  }
  return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0)
}

function isTrail(unit: number): boolean {
  return unit >= TRAIL_SURROGATES_FROM && unit < SURROGATES_END
}

function compareWithinType(rank: number, a: Json, b: Json): number {
  if (typeof a === 'string') return compareText(a, b as string)
  if (typeof a === 'boolean') return Number(a) - Number(b)
  if (isNumber(a)) return compareNumbers(a, b as number | Decimal)
  if (rank === 4) return compareArrays(a as readonly Json[], b as readonly Json[])
  return a === null ? 0 : compareObjects(a as JsonObject, b as JsonObject)
}

function compareArrays(a: readonly Json[], b: readonly Json[]): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const order = compareValues(a[i] as Json, b[i] as Json)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Pair by pair in stored order: the type of the two values, then the field name, then the value. */
function compareObjects(a: JsonObject, b: JsonObject): number {
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)]
  const shared = Math.min(keysA.length, keysB.length)
  for (let i = 0; i < shared; i++) {
    const [keyA, keyB] = [keysA[i] as string, keysB[i] as string]
    const [valueA, valueB] = [a[keyA] as Json, b[keyB] as Json]
    const rank = typeRank(valueA)
    const order = rank - typeRank(valueB) || compareText(keyA, keyB) || compareWithinType(rank, valueA, valueB)
    if (order !== 0) return order
  }
  return keysA.length - keysB.length
}
