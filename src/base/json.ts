/**
 * JSON in and out, with the two things JSON.parse does not do: numbers that a double cannot hold keep their value
 * (see decimal.ts), and nesting is bounded, so that no document can exhaust the stack of a later walk.
 */
import { Decimal } from './decimal.ts'
import { readExactly } from './decimal-reader.ts'
import { surveyJson, type JsonLimits } from './json-survey.ts'

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
 * Throws JsonError when it is malformed, nested deeper than depthMax, or of more tokens than tokensMax.
 */
export function parseJson(
  text: string,
  { depthMax = JSON_DEPTH_MAX, tokensMax = Infinity }: Partial<JsonLimits> = {},
): Json {
  const survey = surveyJson(text, { depthMax, tokensMax })
  if (survey === 'too deep') throw new JsonError(`nested deeper than ${depthMax} levels`)
  if (survey === 'too many tokens') throw new JsonError(`more than ${tokensMax} names and values`)
  return (survey === 'exact' ? parsed(text, readExactly) : parsed(text, JSON.parse)) as Json
}

function parsed(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Only JSON.parse tells the position.
    if (read !== JSON.parse) parsed(text, JSON.parse)
    throw new JsonError(withoutQuotedText(error.message))
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

/** V8 quotes a part of the input in some messages; an error text of ours never repeats a body. */
function withoutQuotedText(message: string): string {
  const position = / at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0]
  return position === undefined ? 'it ends or breaks off where a value was expected' : `unexpected text${position}`
}
