/**
 * JSON in and out, with the two things JSON.parse does not do: numbers that a double cannot hold keep their value
 * (see decimal.ts), and nesting is bounded, so that no document can exhaust the stack of a later walk.
 */
import { Decimal } from './decimal.ts'
import { readExactly } from './decimal-reader.ts'

export type Json = null | boolean | number | Decimal | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const JSON_DEPTH_MAX = 200
/**
 * For what is judged again by whoever reads it: a filter of 100 levels has two of JSON in each, and some around them.
 */
export const JSON_DEPTH_JUDGED_MAX = 450

/** A text that is no JSON document, or one we do not take. The message says where, and quotes nothing long. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/**
 * Parses one JSON document (RFC 8259).
 * Throws JsonError when it is malformed or nested deeper than depthMax.
 */
export function parseJson(text: string, depthMax: number = JSON_DEPTH_MAX): Json {
  if (nestsTooDeep(text, depthMax)) throw new JsonError(`nested deeper than ${depthMax} levels`)
  try {
    const value = JSON.parse(text) as Json
    return MAY_NEED_DECIMAL.test(text) ? (readExactly(text) as Json) : value
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonError(withoutQuotedText(error.message))
    throw error
  }
}

/** Writes JSON. Decimals keep their text. */
export function writeJson(value: Json): string {
  return JSON.stringify(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)
}

export function isNumber(value: unknown): value is number | Decimal {
  return typeof value === 'number' || value instanceof Decimal
}

/** Whether the object has the key itself; inherited names such as `constructor` do not count. */
export function hasKey(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key)
}

/**
 * A number with so many digits, or with an exponent, that a double might round it. It may also hit inside a string;
 * that costs time and changes nothing.
 */
const MAY_NEED_DECIMAL = /(?:^|[[:,\s-])\d(?:[\d.]{15}|[\d.]*[eE])/

function nestsTooDeep(text: string, depthMax: number): boolean {
  let depth = 0
  let inString = false
  if (text.length < depthMax || !hasBrackets(text, depthMax + 1)) return false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (inString) {
      if (unit === BACKSLASH) i++
      else if (unit === QUOTE) inString = false
    } else if (unit === QUOTE) inString = true
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (++depth > depthMax) return true
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
  }
  return false
}

/** Whether there are so many opening brackets at all, in strings or not: almost no document has, and this is quick. */
function hasBrackets(text: string, wanted: number): boolean {
  let left = wanted
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left === 0) return true
  }
  return false
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** V8 quotes a part of the input in some messages; an error text of ours never repeats a body. */
function withoutQuotedText(message: string): string {
  const position = / at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0]
  return position === undefined ? 'it ends or breaks off where a value was expected' : `unexpected text${position}`
}
