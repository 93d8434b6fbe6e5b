/**
 * Writes an HttpResponse: one header block and one body, so that node sends both in one piece.
 *
 * A handler may respond without having read the body. A short rest is read and discarded, and the connection stays open.
 * A longer one costs more than a new connection: the response says `Connection: close`, and the rest is discarded only
 * so that the client gets to read the response. Closing while bytes arrive would make its kernel drop what was sent
 * (RFC 9112 section 9.6).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import type { Failure } from '../base/failure.ts'
import { ProblemFailure } from '../base/problem.ts'
import type { OpenFile } from '../base/regular-file.ts'
import { ResyncFailure } from '../base/resync.ts'
import { bytesOf, content, release, type TextPart } from '../base/text-parts.ts'
import type { CorsHeaders } from './cors.ts'
import type { HttpResponse, ResponseHeaders } from './exchange.ts'
import { hasUncertainEnd } from './framing.ts'
import { hasBody } from './incoming-body.ts'
import type { IncomingExchange } from './incoming-exchange.ts'
import { endEnvelope } from './coded-envelope.ts'
import { sendFile } from './file-body.ts'
import { createHeadWriter, headerLine, headerLines } from './response-head.ts'
import { createSingleWrite } from './single-write.ts'
import { sendStream } from './stream-body.ts'

const DRAINED_BYTES_MAX = 65_536
const LINGERING_BYTES_MAX = 8 * 1024 * 1024
/** Node's parser keeps the URL of a request until the next begins: a connection that had a longer one is closed. */
const KEPT_URL_CHARS_MAX = 8 * 1024

export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * The Content-Security-Policy of a response that is no page, errors in place of one included: a browser may show it, by
 * itself. Pages bring a policy of their own.
 */
export const NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'"

/** `{"error":{"code":…,"message":…}}`, the problem of a document where that is the reason, and from where a reader of changes goes on. */
export function errorBody(failure: Failure): string {
  const { code, message } = failure
  const problems = failure instanceof ProblemFailure ? { problems: [failure.problem] } : {}
  const resync = failure instanceof ResyncFailure ? { resync: true, next: failure.next } : {}
  return JSON.stringify({ error: { code, message, ...problems, ...resync } })
}

/** What all responses of a server have in common. */
export interface ResponseOptions {
  readonly cors: CorsHeaders
  readonly now: Clock
  /** Names this run of the service: a client that started one must not talk to an older one by mistake. */
  readonly instance: string
  /** Headers of the responses of a route, names and values in turn, as they are when the response is written. */
  readonly routeHeaders?: ((route: string) => readonly string[]) | undefined
  /** How long a connection may wait for its next request, as the client is told. */
  readonly keepAliveSeconds: number
  /** How long a client may go on sending what no handler reads. */
  readonly lingerMs: number
  /** Whether the server is shutting down: no further request on this connection then. */
  readonly isClosing: () => boolean
}

export interface SentResponse {
  readonly bodyBytes: number
  /** No further request may be served on this connection. */
  readonly isLast: boolean
  /** The body ended before its length: the connection must be cut off. */
  readonly isShort?: boolean
  /** Why it did, unless the client left. */
  readonly failure?: unknown
}

/**
 * Returns the function that sends a response, a file at the pace of its client. It throws for a header that HTTP does
 * not allow; nothing has been sent then.
 */
export function createResponseWriter(options: ResponseOptions) {
  const { now, lingerMs, isClosing, routeHeaders } = options
  const writeHead = createHeadWriter(options)
  const commonLines = createCommonLines(options)
  const writeOnce = createSingleWrite()

  return (exchange: IncomingExchange, response: HttpResponse): Awaitable<SentResponse> => {
    const { request, serverResponse } = exchange
    const rest = restOfBody(exchange)
    const isUnusable = exchange.isBroken || rest === 'long' || rest === 'held back'
    const isLast =
      isClosing() || isUnusable || hasUncertainEnd(request) || response.kind === 'stream' || (request.url ?? '').length > KEPT_URL_CHARS_MAX
    const { body, bytes, head } = render(exchange, response, now)
    const ofRoute = routeHeaders === undefined ? '' : headerLines(routeHeaders(exchange.route))
    const lines = `${head}X-Request-Id: ${exchange.requestId}\r\n${ofRoute}${commonLines(request, response)}`
    writeHead(serverResponse, { status: response.status, lines, isLast })

    if (response.kind === 'file' && exchange.method !== 'HEAD') return sendOpenFile(exchange, response.file, rest, isLast)
    if (response.kind === 'stream' && exchange.method !== 'HEAD') return sendStream(exchange, response.open)
    const sent = exchange.method === 'HEAD' ? undefined : body
    if (rest === 'long') {
      if (sent === undefined) serverResponse.flushHeaders()
      else for (const part of isInParts(sent) ? sent : [sent]) serverResponse.write(content(part))
      discard(exchange, lingerMs)
    } else {
      if (!isInParts(sent)) serverResponse.end(sent)
      else if (!writeOnce(serverResponse, sent, bytes)) writeParts(serverResponse, sent)
      else release(sent)
      if (rest === 'short') drain(exchange, lingerMs)
    }
    return { bodyBytes: sent === undefined ? 0 : bytes, isLast }
  }

  /** A shutdown may begin while the file is being sent, after its header has said that the connection stays open. */
  async function sendOpenFile(exchange: IncomingExchange, file: OpenFile, rest: Rest, isLast: boolean): Promise<SentResponse> {
    const { request, serverResponse } = exchange
    if (rest === 'short') drain(exchange, lingerMs)
    const { bytes: bodyBytes, failure } = await sendFile(serverResponse, file)
    if (bodyBytes < file.bytes) return { bodyBytes, isLast: true, isShort: true, failure }
    if (isClosing() && !isLast) serverResponse.once('finish', () => request.socket.destroySoon())
    if (rest === 'long') discard(exchange, lingerMs)
    else serverResponse.end()
    return { bodyBytes, isLast: isLast || isClosing() }
  }
}

/** Returns the function that renders the headers of all kinds of responses, and those that a handler gave. */
function createCommonLines({ instance, cors }: ResponseOptions) {
  const fixed = headerLines(['X-Dateline-Instance', instance, 'X-Content-Type-Options', 'nosniff'])
  const policy = headerLine('Content-Security-Policy', NOTHING_ALLOWED)
  let latest = { headers: [] as readonly string[], lines: '' }
  const corsLines = (origin: string | undefined): string => {
    const headers = cors(origin)
    if (headers !== latest.headers) latest = { headers, lines: headerLines(headers) }
    return latest.lines
  }
  return ({ headers: { origin } }: IncomingMessage, { headers }: HttpResponse): string => {
    let own = ''
    for (const name in headers) own += headerLine(name, headers[name] ?? '')
    return `${fixed}${namesHeader(headers, 'content-security-policy') ? '' : policy}${namesHeader(headers, 'access-control-allow-origin') ? '' : corsLines(origin)}${own}`
  }
}

const NOT_STORED = 'Cache-Control: no-store\r\n'
const JSON_LINES = `Content-Type: ${JSON_TYPE}\r\n`

type Body = string | Uint8Array | readonly TextPart[]

interface Rendered {
  readonly body: Body | undefined
  readonly bytes: number
  /** Lines of headers. */
  readonly head: string
}

function render({ requestId }: IncomingExchange, response: HttpResponse, now: Clock): Rendered {
  switch (response.kind) {
    case 'data': {
      // Put together as text: a stored document is never parsed to be sent, and an id needs no escapes.
      const { data } = response
      const tail = restOfEnvelope(requestId, now)
      const body = typeof data === 'string' ? `{"data":${data}${tail}` : ['{"data":', ...data, tail]
      const bytes = typeof body === 'string' ? Buffer.byteLength(body) : bytesOf(body)
      return { body, bytes, head: `${JSON_LINES}${lengthLine(bytes)}${storing(response.headers)}` }
    }
    case 'prepared': {
      const { start } = response
      const end = endEnvelope(start, restOfEnvelope(requestId, now))
      const bytes = start.bytes.length + end.length
      const body = [start.bytes, end]
      return { body, bytes, head: `${JSON_LINES}${lengthLine(bytes)}${storing(response.headers)}` }
    }
    case 'empty': {
      // A 204 has no Content-Length, not even 0; a 304 would have to give that of its 200 (RFC 9110 section 8.6).
      const length = response.status === 202 ? lengthLine(0) : ''
      return { body: undefined, bytes: 0, head: `${length}${storing(response.headers)}` }
    }
    case 'raw': {
      // A 304 would have to give the length of the 200 it stands for (RFC 9110 section 8.6).
      const bytes = Buffer.byteLength(response.body)
      const length = response.status === 304 ? '' : lengthLine(bytes)
      const type = headerLine('Content-Type', response.contentType)
      return { body: response.body, bytes, head: `${type}${length}${storing(response.headers)}` }
    }
    case 'file': {
      const length = lengthLine(response.file.bytes)
      return { body: undefined, bytes: 0, head: `${headerLine('Content-Type', response.contentType)}${length}${storing(response.headers)}` }
    }
    case 'stream':
      return { body: undefined, bytes: 0, head: `${headerLine('Content-Type', response.contentType)}${NOT_STORED}` }
  }
}

/** Sends header and body in one piece. Parts are not copied: the response is corked until its end. */
function writeParts(serverResponse: ServerResponse, body: readonly TextPart[]): void {
  const { socket } = serverResponse
  serverResponse.cork()
  for (const part of body) serverResponse.write(content(part))
  serverResponse.end()
  // Else the kernel has taken a part only, and the rest is still read.
  if (socket?.writableLength === 0) release(body)
}

function isInParts(body: Body | undefined): body is readonly TextPart[] {
  return Array.isArray(body)
}

function restOfEnvelope(requestId: string, now: Clock): string {
  return `,"metadata":{"requestId":"${requestId}","timestamp":"${isoDate(now())}"}}`
}

/** No response is stored by browsers and proxies unless it says how. */
function storing(headers: ResponseHeaders | undefined): string {
  return namesHeader(headers, 'cache-control') ? '' : NOT_STORED
}

function lengthLine(bytes: number): string {
  return `Content-Length: ${bytes}\r\n`
}

function namesHeader(headers: ResponseHeaders | undefined, wanted: string): boolean {
  for (const name in headers) if (name.length === wanted.length && name.toLowerCase() === wanted) return true
  return false
}

type Rest = 'none' | 'short' | 'long' | 'held back'

/** What the client has yet to send of this request, as far as we know. */
function restOfBody(exchange: IncomingExchange): Rest {
  const { request } = exchange
  if (request.complete || exchange.isBroken || !hasBody(request)) return 'none'
  // After the final response the client may send its body or leave it out: what follows is unknown.
  if (exchange.holdsBodyBack) return 'held back'
  const length = request.headers['content-length']
  return length !== undefined && Number(length) <= DRAINED_BYTES_MAX ? 'short' : 'long'
}

/** Discards a short rest of the body, after which the connection is used again; ends it where the rest is late. */
function drain(exchange: IncomingExchange, lingerMs: number): void {
  const late = setTimeout(() => exchange.request.socket.destroy(), lingerMs).unref()
  exchange.discardBody(DRAINED_BYTES_MAX, () => clearTimeout(late))
}

/**
 * Discards the rest of the body and ends the response, after a time and a number of bytes at the latest: the client gets
 * to read the response while it is still sending.
 */
function discard(exchange: IncomingExchange, lingerMs: number): void {
  const { serverResponse } = exchange
  const end = (): void => {
    clearTimeout(late)
    serverResponse.end()
  }
  const late = setTimeout(end, lingerMs).unref()
  exchange.discardBody(LINGERING_BYTES_MAX, end)
}
