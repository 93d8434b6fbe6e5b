/** JSON in and out, with numbers that a double cannot hold (see decimal.ts), and with bounded nesting. */
import { decimalReader, readExactly } from './decimal-reader.ts'
import { Decimal, isDouble, isOfNumber } from './decimal.ts'
import { nextTurn } from './pause.ts'

export type Json = null | boolean | number | Decimal | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const JSON_DEPTH_MAX = 200
/** For texts whose reader has limits of its own: each of the 100 levels of a filter has two of JSON. */
export const JSON_DEPTH_JUDGED_MAX = 450

/** A text that is no JSON document, or one past a limit. The message says where, and quotes nothing long. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Parses one JSON document (RFC 8259). Throws JsonError for a malformed one, and past a limit. */
export function parseJson(
  text: string,
  { depthMax = JSON_DEPTH_MAX, tokensMax = Infinity }: Partial<JsonLimits> = {},
): Json {
  const { kind } = surveyWithin(text, { depthMax, tokensMax })
  try {
    return (kind === 'exact' ? readExactly(text) : JSON.parse(text)) as Json
  } catch (error) {
    throw asJsonError(error, text)
  }
}

/**
 * Parses one JSON document in slices: between two of them, `turn` lets other work run. Rejects with what parseJson
 * throws. `onTokens` gets the number of names and values before they are parsed, and may throw to reject them.
 */
export async function parseJsonInTurns(
  text: string,
  { depthMax = JSON_DEPTH_MAX, tokensMax = Infinity }: Partial<JsonLimits> = {},
  { turn = nextTurn, onTokens }: { readonly turn?: () => Promise<void>; readonly onTokens?: (tokens: number) => void } = {},
): Promise<Json> {
  const limits = { depthMax, tokensMax }
  const { tokens } = surveyWithin(text, limits)
  onTokens?.(tokens)
  // JSON.parse is faster, where it does not take too long at once.
  if (tokens <= SLICE_TOKENS) return parseJson(text, limits)
  const reader = decimalReader(text)
  try {
    // A value of an object comes with a name.
    while (!reader.read(SLICE_TOKENS / 2)) await turn()
  } catch (error) {
    throw asJsonError(error, text)
  }
  return reader.value as Json
}

/** Names and values that are parsed at once. A name that V8 has not seen before takes about a microsecond. */
const SLICE_TOKENS = 5_000

function surveyWithin(text: string, limits: JsonLimits): Survey {
  const survey = surveyJson(text, limits)
  if (survey.kind === 'too deep') throw new JsonError(`nested deeper than ${limits.depthMax} levels`)
  if (survey.kind === 'too many tokens') throw new JsonError(`more than ${limits.tokensMax} names and values`)
  return survey
}

/** Returns any error but that of a malformed text unchanged. */
function asJsonError(error: unknown, text: string): unknown {
  return error instanceof SyntaxError ? new JsonError(withoutQuotedText(error.message, text)) : error
}

/** The object that a text holds; undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function writeJson(value: Json): string {
  return JSON.stringify(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)
}

/** Whether a value is a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isNumber(value: unknown): value is number | Decimal {
  return typeof value === 'number' || value instanceof Decimal
}


/** V8 quotes a part of the input in some messages; the messages of the API never repeat a body. */
function withoutQuotedText(message: string, text: string): string {
  const [at, position = text.length] = / at position (\d+)(?: \(line \d+ column \d+\))?/.exec(message) ?? []
  if (/end of JSON input/.test(message) || (at !== undefined && Number(position) >= text.length)) return 'it ends too early'
  return `unexpected text${at ?? ''}`
}

/*
 * One pass over a JSON text before it is parsed: how deep it nests, how many tokens it has, and whether a double holds
 * every number in it. JSON.parse is several times faster than any reader in JavaScript, so decimal-reader.ts is for
 * texts with a number that JSON.parse would round. Nothing is validated here: JSON.parse does that afterwards.
 */

export interface JsonLimits {
  /** Objects and arrays within one another. */
  readonly depthMax: number
  /** Names, texts, numbers, literals, objects and arrays. */
  readonly tokensMax: number
}

export interface Survey {
  /** `exact`: a number needs decimal-reader.ts. */
  readonly kind: 'plain' | 'exact' | 'too deep' | 'too many tokens'
  readonly tokens: number
}

/** Stops where the text exceeds a limit. Looks at each character at most twice. */
export function surveyJson(text: string, { depthMax, tokensMax }: JsonLimits): Survey {
  const { length } = text
  let [at, depth, tokens, isExact] = [0, 0, 0, false]
  while (at < length) {
    const unit = text.charCodeAt(at++)
    if (unit === QUOTE) {
      tokens++
      at = endOfString(text, at)
    } else if (unit >= MINUS && unit <= DIGIT_9) {
      tokens++
      const start = at - 1
      let hasExponent = false
      while (isOfNumber(text.charCodeAt(at))) if ((text.charCodeAt(at++) | LOWER_CASE) === E) hasExponent = true
      if (at - start > (hasExponent ? SHORT_EXPONENT_CHARS : DOUBLE_DIGITS) && !isExact) {
        isExact = !isDouble(text.slice(start, at))
      }
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      tokens++
      if (++depth > depthMax) return { kind: 'too deep', tokens }
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      depth--
    } else if (isLetter(unit)) {
      tokens++
      while (isLetter(text.charCodeAt(at))) at++
    }
    if (tokens > tokensMax) return { kind: 'too many tokens', tokens }
  }
  return { kind: isExact ? 'exact' : 'plain', tokens }
}

/** Of `true`, `false` and `null`. */
function isLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** The position after the closing quote of a string that starts at `from`; the end of the text where it has none. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote + 1
}

/** A quote is escaped by an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (quote - before) % 2 === 0
}

/** Decimal digits that a double always keeps (IEEE 754, DBL_DIG), and `1e99`, which is far from its limits. */
const [DOUBLE_DIGITS, SHORT_EXPONENT_CHARS] = [15, 4]
const [LOWER_CASE, E] = [0x20, 0x65]
const [QUOTE, MINUS, DIGIT_9, BACKSLASH] = [0x22, 0x2d, 0x39, 0x5c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
