/**
 * A HttpResponse on the wire: one header block from flat arrays and one body, so that node sends both in one piece.
 *
 * A handler may answer without having read the body. A short rest is read and thrown away, and the connection lives
 * on. A longer one costs more than a new connection: the response says `Connection: close`, and the rest is thrown away
 * only so that the client gets to read the response. Closing while bytes arrive would make its kernel drop what we sent
 * (RFC 9112 section 9.6).
 */
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import type { OpenFile } from '../../base/regular-file.ts'
import type { CorsHeaders } from '../guard/cors.ts'
import { successBody } from './envelope.ts'
import type { HttpResponse, ResponseHeaders } from '../request/exchange.ts'
import { sendFile } from './file-body.ts'
import { hasBody } from '../request/incoming-body.ts'
import type { IncomingExchange } from '../request/incoming-exchange.ts'

const DRAINED_BYTES_MAX = 65_536
const LINGERING_BYTES_MAX = 8 * 1024 * 1024
/** Node's parser keeps the URL of a request until the next begins: a connection that had a longer one is closed. */
const KEPT_URL_CHARS_MAX = 8 * 1024

export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * What a browser may do with a response that is no page, errors in the place of one included: show it, by itself. Pages
 * bring a policy of their own.
 */
export const NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'"

export interface ResponseSurroundings {
  readonly cors: CorsHeaders
  readonly now: Clock
  /** Names this run of the service: a client that started one must not talk to an older one by mistake. */
  readonly instance: string
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
  /** Why it did, where that was not the client's doing. */
  readonly failure?: unknown
}

/** Sends the response, a file at the pace of its client. Throws where its headers are none; nothing has been sent then. */
export function sendResponse(
  exchange: IncomingExchange,
  response: HttpResponse,
  around: ResponseSurroundings,
): SentResponse | Promise<SentResponse> {
  const { request, serverResponse } = exchange
  const rest = restOfBody(exchange)
  const isUnusable = exchange.isBroken || rest === 'long' || rest === 'held back'
  const isLast = around.isClosing() || isUnusable || (request.url ?? '').length > KEPT_URL_CHARS_MAX
  const { body, bytes, head } = render(exchange, response, around.now)
  head.push('X-Request-Id', exchange.requestId, 'X-Dateline-Instance', around.instance)
  head.push('X-Content-Type-Options', 'nosniff')
  if (!namesHeader(response.headers, 'content-security-policy')) head.push('Content-Security-Policy', NOTHING_ALLOWED)
  head.push(...around.cors(request.headers.origin))
  addHeaders(head, response.headers)
  if (isLast) head.push('Connection', 'close')
  else if (serverResponse.shouldKeepAlive) head.push('Keep-Alive', `timeout=${around.keepAliveSeconds}`)
  serverResponse.writeHead(response.status, head)

  if (response.kind === 'file' && exchange.method !== 'HEAD') {
    return sendFileResponse(exchange, response.file, { rest, isLast, around })
  }
  const sent = exchange.method === 'HEAD' ? undefined : body
  if (rest === 'long') {
    if (sent === undefined) serverResponse.flushHeaders()
    else serverResponse.write(sent)
    discard(exchange, around.lingerMs)
  } else {
    serverResponse.end(sent)
    if (rest === 'short') drain(exchange, around.lingerMs)
  }
  return { bodyBytes: sent === undefined ? 0 : bytes, isLast }
}

interface FileSurroundings {
  readonly rest: Rest
  readonly isLast: boolean
  readonly around: ResponseSurroundings
}

/** A shutdown may begin while the file is on its way, when the header has long said that the connection stays open. */
async function sendFileResponse(
  exchange: IncomingExchange,
  file: OpenFile,
  { rest, isLast, around: { isClosing, lingerMs } }: FileSurroundings,
): Promise<SentResponse> {
  const { request, serverResponse } = exchange
  if (rest === 'short') drain(exchange, lingerMs)
  const { bytes: bodyBytes, failure } = await sendFile(serverResponse, file)
  if (bodyBytes < file.bytes) return { bodyBytes, isLast: true, isShort: true, failure }
  if (isClosing() && !isLast) serverResponse.once('finish', () => request.socket.destroySoon())
  if (rest === 'long') discard(exchange, lingerMs)
  else serverResponse.end()
  return { bodyBytes, isLast: isLast || isClosing() }
}

const NOT_STORED = ['Cache-Control', 'no-store']

interface Rendered {
  readonly body: string | Uint8Array | undefined
  readonly bytes: number
  readonly head: string[]
}

function render({ requestId }: IncomingExchange, response: HttpResponse, now: Clock): Rendered {
  switch (response.kind) {
    case 'data': {
      const body = successBody(response.data, { requestId, timestamp: isoDate(now()) })
      const bytes = Buffer.byteLength(body)
      return { body, bytes, head: ['Content-Type', JSON_TYPE, 'Content-Length', String(bytes), ...NOT_STORED] }
    }
    case 'empty':
      // A 204 has no Content-Length, not even 0; a 304 would have to give that of its 200 (RFC 9110 section 8.6).
      return {
        body: undefined,
        bytes: 0,
        head: [...(response.status === 202 ? ['Content-Length', '0'] : []), ...NOT_STORED],
      }
    case 'raw': {
      // A 304 would have to give the length of the 200 it stands for (RFC 9110 section 8.6).
      const bytes = Buffer.byteLength(response.body)
      const length = response.status === 304 ? [] : ['Content-Length', String(bytes)]
      const head = ['Content-Type', response.contentType, ...length]
      if (!namesHeader(response.headers, 'cache-control')) head.push(...NOT_STORED)
      return { body: response.body, bytes, head }
    }
    case 'file': {
      const head = ['Content-Type', response.contentType, 'Content-Length', String(response.file.bytes), ...NOT_STORED]
      return { body: undefined, bytes: 0, head }
    }
  }
}

function namesHeader(headers: ResponseHeaders | undefined, name: string): boolean {
  return headers !== undefined && Object.keys(headers).some((key) => key.toLowerCase() === name)
}

function addHeaders(head: string[], headers: ResponseHeaders | undefined): void {
  for (const name in headers) head.push(name, headers[name] ?? '')
}

type Rest = 'none' | 'short' | 'long' | 'held back'

/** What the client has yet to send of this request, as far as we know. */
function restOfBody(exchange: IncomingExchange): Rest {
  const { request } = exchange
  if (request.complete || exchange.isBroken || !hasBody(request)) return 'none'
  // After the final response the client may send its body or leave it out; nobody can tell what follows.
  if (exchange.holdsBodyBack) return 'held back'
  const length = request.headers['content-length']
  return length !== undefined && Number(length) <= DRAINED_BYTES_MAX ? 'short' : 'long'
}

/** Throws a short rest of the body away, after which the connection is used again; ends it where the rest is late. */
function drain(exchange: IncomingExchange, lingerMs: number): void {
  const late = setTimeout(() => exchange.request.socket.destroy(), lingerMs).unref()
  exchange.discardBody(DRAINED_BYTES_MAX, () => clearTimeout(late))
}

/**
 * Throws the rest of the body away and ends the response, after a time and a number of bytes at the latest: the client
 * gets to read the response while it is still sending.
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
