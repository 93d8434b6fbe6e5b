/** JSON in and out, with numbers that a double cannot hold (see decimal.ts), and with bounded nesting. */
import { Decimal } from './decimal.ts'
import { decimalReader, readExactly } from './decimal-reader.ts'
import { surveyJson, type JsonLimits, type Survey } from './json-survey.ts'

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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

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
