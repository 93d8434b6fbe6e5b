/**
 * Reading a request body, bounded, as one JSON object (RFC 8259).
 *
 * Nothing is read before a handler asks for it. The length is judged by Content-Length before the first byte, and
 * again while reading, since a chunked body announces none.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { describe, fail } from '../base/failure.ts'
import { isObject, JSON_DEPTH_JUDGED_MAX, JsonError, parseJson } from '../base/json.ts'
import type { JsonObject } from '../base/json.ts'
import type { JsonBodyOptions } from './exchange.ts'

/** The client went away in the middle of its request. There is nobody to answer, and nothing to repair. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodySource {
  readonly request: IncomingMessage
  readonly bytesMax: number
  /** Whose limit it is, where not that of every client. */
  readonly from: string | undefined
  /** Told the length as soon as it is known; may refuse it by what it throws. */
  readonly weigh: (bytes: number) => void
  /** Called before the first byte is awaited: a client may wait for a `100 Continue` with its body. */
  readonly onStart: () => void
  /** Lets the reader give up: called with the function that makes it fail. */
  readonly onInterrupt: (interrupt: (reason: Error) => void) => void
}

/** Whether a body follows the header: it then has a length, or comes in chunks (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
}

/**
 * Throws invalidInput where the body is missing, of another type or encoding, no UTF-8, no JSON or no object;
 * payloadTooLarge past the limit; ClientGone where the client leaves before its end.
 */
export async function readJsonObject(source: BodySource, { optional = false }: JsonBodyOptions): Promise<JsonObject> {
  const { headers } = source.request
  if (!hasBody(source.request)) return missing(optional)
  if (!optional) assertJsonType(headers['content-type'])
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw fail('invalidInput', `Cannot read a request body with Content-Encoding ${describe(encoding)}: expected none`)
  }
  const bytes = await readBytes(source)
  // A chunked body may turn out to be empty.
  return bytes.length === 0 ? missing(optional) : parseObject(bytes)
}

function missing(optional: boolean): JsonObject {
  if (optional) return {}
  throw fail('invalidInput', 'Cannot read the request body: expected a JSON object, found nothing')
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i

function assertJsonType(contentType: string | undefined): void {
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return
  throw fail('invalidInput', `Cannot read a request body of type ${describe(contentType)}: expected "application/json"`)
}

/** Reads all bytes, or stops at the first past the limit. What was not read, reply-writer.ts throws away. */
async function readBytes({ request, bytesMax, from, weigh, onStart, onInterrupt }: BodySource): Promise<Buffer> {
  const { 'content-length': contentLength } = request.headers
  const announced = contentLength === undefined ? undefined : Number(contentLength)
  if (announced !== undefined && announced > bytesMax) throw tooLarge(bytesMax, from)
  if (announced !== undefined) weigh(announced)
  onStart()
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (chunk: Buffer): void => {
    length += chunk.length
    if (length > bytesMax) reject(tooLarge(bytesMax, from))
    else chunks.push(chunk)
  }
  const gone = (): void => reject(new ClientGone('the connection ended before the request body did'))
  onInterrupt(reject)
  request.on('data', take).once('end', resolve).once('close', gone)
  if (request.destroyed) gone()
  try {
    await promise
  } finally {
    request.off('data', take).off('end', resolve).off('close', gone).pause()
  }
  if (announced === undefined) weigh(length)
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length)
}

function tooLarge(bytesMax: number, from: string | undefined): Error {
  const whose = from === undefined ? '' : ` from ${from}`
  return fail('payloadTooLarge', `Cannot take a request body of this size: expected at most ${bytesMax} bytes${whose}`)
}

function parseObject(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw fail('invalidInput', 'Cannot read the request body: expected UTF-8, found other bytes')
  const text = bytes.toString('utf8')
  const value = parseOrFail(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  if (isObject(value)) return value
  throw fail('invalidInput', `Cannot read the request body: expected a JSON object, found ${describe(value)}`)
}

/** RFC 8259 section 8.1: senders must not write it, parsers may ignore it. */
const BYTE_ORDER_MARK = '\uFEFF'

function parseOrFail(text: string): unknown {
  try {
    return parseJson(text, { depthMax: JSON_DEPTH_JUDGED_MAX })
  } catch (error) {
    if (error instanceof JsonError) throw fail('invalidInput', `Cannot read the request body as JSON: ${error.message}`)
    throw error
  }
}
