/**
 * The operands of field operators that are more than a literal: each reader checks one kind and gives precise data.
 * All of them throw badRequest that names the path inside the filter.
 */
import { compareNumbers, isWhole, truncate, type Decimal } from '../base/decimal.ts'
import { isNumber, isObject, type Json, type JsonObject } from '../base/json.ts'
import type { ValueType } from './ast.ts'
import { filterFailure } from './filter-failure.ts'
import { parsePattern, PATTERN_OPTIONS, type Pattern } from './pattern.ts'

/** Members of one list in `$in`, `$nin` or `$all`. */
const LIST_MEMBERS_MAX = 1000
/** Characters (code points) of one `$regex`. */
const PATTERN_CHARS_MAX = 1000

/** Whether an object holds operators: it is not empty and its first key starts with `$`. */
export function isOperatorObject(value: Json): value is JsonObject {
  return isObject(value) && firstKey(value)?.startsWith('$') === true
}

export function firstKey(object: JsonObject): string | undefined {
  for (const key in object) return key
  return undefined
}

/** The list of `$in`, `$nin` and `$all`. */
export function readMembers(list: Json, at: string): readonly Json[] {
  if (!Array.isArray(list)) throw filterFailure(at, 'a list', list)
  if (list.length > LIST_MEMBERS_MAX) throw filterFailure(at, `at most ${LIST_MEMBERS_MAX} members`, list.length)
  return list as readonly Json[]
}

/** The operand of `$size`. Past 2^53 it may be Infinity, which no array has either. */
export function readSize(size: Json, at: string): number {
  if (!isNumber(size) || !isWhole(size) || compareNumbers(size, 0) < 0) {
    throw filterFailure(at, 'a whole number, 0 or more', size)
  }
  return Math.abs(Number(size.toString()))
}

/** The operand of `$mod`: two numbers, the first of which is not cut to 0. */
export function readDivision(pair: Json, at: string): readonly [number | Decimal, number | Decimal] {
  if (!Array.isArray(pair) || pair.length !== 2) throw filterFailure(at, 'a list of two numbers', pair)
  const [divisor, remainder] = pair as readonly Json[]
  if (!isNumber(divisor)) throw filterFailure(`${at}[0]`, 'a number', divisor)
  if (!isNumber(remainder)) throw filterFailure(`${at}[1]`, 'a number', remainder)
  if (truncate(divisor) === 0n) throw filterFailure(`${at}[0]`, 'a divisor other than 0', divisor)
  for (const [i, value] of [divisor, remainder].entries()) {
    if (truncate(value) === undefined) throw filterFailure(`${at}[${i}]`, 'a number of fewer digits', value)
  }
  return [divisor, remainder]
}

/** Whether `$exists` asks for presence. Only false, 0 and null ask for absence. */
export function readExists(wanted: Json): boolean {
  return wanted !== false && wanted !== null && wanted !== 0
}

/** The operand of `$type`: an alias, a code, or a list of them. Types that JSON lacks are valid and add nothing. */
export function readTypes(operand: Json, at: string): readonly ValueType[] {
  if (!Array.isArray(operand)) return typesOf(operand, at)
  if (operand.length === 0) throw filterFailure(at, 'at least one type', operand)
  return [...new Set(operand.flatMap((type: Json, i) => typesOf(type, `${at}[${i}]`)))]
}

/** The operands of `$regex` and `$options`. */
export function readPattern(source: Json, options: Json, at: string): Pattern {
  if (typeof source !== 'string') throw filterFailure(`${at}.$regex`, 'a text', source)
  if (typeof options !== 'string') throw filterFailure(`${at}.$options`, 'a text', options)
  if ([...options].some((letter) => !PATTERN_OPTIONS.includes(letter))) {
    throw filterFailure(`${at}.$options`, 'none but the letters i, m, s and x', options)
  }
  const chars = [...source].length
  if (chars > PATTERN_CHARS_MAX) {
    throw filterFailure(`${at}.$regex`, `a pattern of at most ${PATTERN_CHARS_MAX} characters`, chars)
  }
  return parsePattern(source, options, `${at}.$regex`)
}

function typesOf(type: Json, at: string): readonly ValueType[] {
  const alias = typeof type === 'number' ? ALIAS_OF_CODE.get(type) : type
  const types = typeof alias === 'string' ? TYPES_OF_ALIAS.get(alias) : undefined
  if (types === undefined) throw filterFailure(at, 'the alias or code of a type', type)
  return types
}

/** MongoDB manual, "BSON types": alias, code, and what of it JSON can hold. */
const TYPES: readonly (readonly [alias: string, code: number | undefined, types: readonly ValueType[]])[] = [
  ['double', 1, ['double']],
  ['string', 2, ['string']],
  ['object', 3, ['object']],
  ['array', 4, ['array']],
  ['binData', 5, []],
  ['undefined', 6, []],
  ['objectId', 7, []],
  ['bool', 8, ['bool']],
  ['date', 9, []],
  ['null', 10, ['null']],
  ['regex', 11, []],
  ['dbPointer', 12, []],
  ['javascript', 13, []],
  ['symbol', 14, []],
  ['javascriptWithScope', 15, []],
  ['int', 16, ['int']],
  ['timestamp', 17, []],
  ['long', 18, ['long']],
  ['decimal', 19, []],
  ['minKey', -1, []],
  ['maxKey', 127, []],
  ['number', undefined, ['double', 'int', 'long']],
]
const TYPES_OF_ALIAS = new Map(TYPES.map(([alias, , types]) => [alias, types]))
const ALIAS_OF_CODE = new Map(TYPES.map(([alias, code]) => [code, alias]))
