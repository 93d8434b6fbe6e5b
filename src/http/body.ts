/** A request body as one JSON object (RFC 8259). */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, fail } from '../base/failure.ts'
import { isObject, JSON_DEPTH_JUDGED_MAX, JsonError, parseJsonInTurns } from '../base/json.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { JsonBodyOptions } from './exchange.ts'

/** Longer bodies go through the lane of body-lane.ts, and are parsed in slices. */
export const LONG_BODY_BYTES = 16 * 1024
/**
 * Names and values of a body, which decide what everything after its arrival costs. Two megabytes of headlines with all
 * that they embed have some 85,000, the preferences of a reader with everything 25,000.
 */
export const BODY_TOKENS_MAX = 100_000
const BODY_LIMITS = { depthMax: JSON_DEPTH_JUDGED_MAX, tokensMax: BODY_TOKENS_MAX }
/** What a name or value counts for in the weight of a body, which is twice what it has in usual ones. */
const TOKEN_BYTES = 32

export interface JsonBody {
  readonly headers: IncomingHttpHeaders
  /** All of its bytes; undefined where no body follows the header. */
  readonly read: (() => Promise<Buffer>) | undefined
  /** Called with the bytes that its names and values count for, and its length, where these are more. */
  readonly weigh: (bytes: number, before: number) => void
  /** Resolves when a long body has the lane. */
  readonly enterLane: () => Promise<void>
}

/**
 * Throws unsupportedMediaType where the body is compressed; invalidInput where it is missing, of another type, no UTF-8,
 * no JSON or no object; and what reading it throws, see incoming-body.ts.
 */
export async function readJsonObject(body: JsonBody, { optional = false, isPatch = false, arrayAs }: JsonBodyOptions): Promise<JsonObject> {
  const { headers, read, weigh, enterLane } = body
  if (read === undefined) return missing(optional)
  if (!optional) assertJsonType(headers['content-type'], isPatch)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    // RFC 9110 section 15.5.16: the header says that the coding is the reason, and which there are.
    const headers = { 'Accept-Encoding': 'identity' }
    const message = `Cannot read a request body with Content-Encoding ${describe(encoding)}: expected none`
    throw fail('unsupportedMediaType', message, { headers })
  }
  const bytes = await read()
  // A chunked body may turn out to be empty.
  if (bytes.length === 0) return missing(optional)
  if (bytes.length > LONG_BODY_BYTES) await enterLane()
  const onTokens = (tokens: number): void => {
    if (tokens * TOKEN_BYTES > bytes.length) weigh(tokens * TOKEN_BYTES, bytes.length)
  }
  return parseObject(bytes, onTokens, arrayAs)
}

function missing(optional: boolean): JsonObject {
  if (optional) return {}
  throw fail('invalidInput', 'Cannot read the request body: expected a JSON object, found nothing')
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i
const PATCH_TYPE = /^application\/(?:merge-patch\+)?json[ \t]*(?:;|$)/i

function assertJsonType(contentType: string | undefined, isPatch: boolean): void {
  if (contentType !== undefined && (isPatch ? PATCH_TYPE : JSON_TYPE).test(contentType)) return
  const wanted = isPatch ? '"application/merge-patch+json" or "application/json"' : '"application/json"'
  throw fail('invalidInput', `Cannot read a request body of type ${describe(contentType)}: expected ${wanted}`)
}

async function parseObject(bytes: Buffer, onTokens: (tokens: number) => void, arrayAs: string | undefined): Promise<JsonObject> {
  if (!isUtf8(bytes)) throw fail('invalidInput', 'Cannot read the request body: expected UTF-8, found other bytes')
  const text = bytes.toString('utf8')
  const value = await parseOrFail(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, onTokens)
  if (arrayAs !== undefined && Array.isArray(value)) return { [arrayAs]: value as Json[] }
  if (arrayAs === undefined && isObject(value)) return value
  const wanted = arrayAs === undefined ? 'a JSON object' : 'a JSON array'
  throw fail('invalidInput', `Cannot read the request body: expected ${wanted}, found ${describe(value)}`)
}

/** RFC 8259 section 8.1: senders must not write it, parsers may ignore it. */
const BYTE_ORDER_MARK = '\uFEFF'

async function parseOrFail(text: string, onTokens: (tokens: number) => void): Promise<unknown> {
  try {
    return await parseJsonInTurns(text, BODY_LIMITS, { onTokens })
  } catch (error) {
    if (error instanceof JsonError) throw fail('invalidInput', `Cannot read the request body as JSON: ${error.message}`)
    throw error
  }
}
