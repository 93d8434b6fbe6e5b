/**
 * One request from its route to its response and its line in the access log.
 *
 * A Failure becomes its status and its message. Whatever else is thrown is a bug of ours: 500, the stack in the log
 * under the request's id, and nothing about it in the response.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { fail, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { CorsHeaders } from '../guard/cors.ts'
import { errorBody } from './envelope.ts'
import type { HttpResponse } from '../request/exchange.ts'
import { ClientGone } from '../request/incoming-body.ts'
import type { IncomingExchange } from '../request/incoming-exchange.ts'
import type { ForeignPageGuard } from '../guard/foreign-pages.ts'
import { JSON_TYPE, sendResponse } from './response-writer.ts'
import type { SentResponse } from './response-writer.ts'
import type { Router } from './router.ts'

const LOGGED_PATH_CHARS_MAX = 200

export interface ServingParts {
  readonly router: Router
  readonly cors: CorsHeaders
  /** The guard that holds now: it depends on the address that the server listens on. */
  readonly guard: () => ForeignPageGuard
  readonly instance: string
  /** How long a connection may wait for its next request, as the client is told. */
  readonly keepAliveSeconds: number
  /** How long a client may go on sending what no handler reads. */
  readonly lingerMs: number
  readonly now: Clock
  readonly log: Log
  /** Milliseconds from any fixed moment, never going back. */
  readonly ticks: () => number
  /** Called for every request once its response is on its way. */
  readonly observe: (served: ServedRequest) => void
}

export interface ServedRequest {
  readonly method: string
  /** The path of the route's table; empty where none matched. */
  readonly route: string
  /** Undefined where the client was gone before. */
  readonly status: number | undefined
  readonly ms: number
}

/**
 * Serves a request and says whether it was the last one of its connection. It never rejects.
 * `isClosing`, while the server shuts down, makes every response the last one.
 */
export type Serve = (exchange: IncomingExchange, isClosing: () => boolean) => Promise<boolean>

export function serving({
  router,
  cors,
  guard,
  instance,
  keepAliveSeconds,
  lingerMs,
  now,
  log,
  ticks,
  observe,
}: ServingParts): Serve {
  return async (exchange, isClosing) => {
    const start = ticks()
    const response = await responseOf(exchange)
    const isGone = exchange.isAbandoned || response === undefined
    const sending = isGone ? NOTHING_SENT : send(exchange, response, isClosing)
    const sent = sending instanceof Promise ? await sending : sending
    if (response?.kind === 'file') await closeFile(exchange, response)
    const isAborted = isGone || sent.isShort === true
    const ms = ticks() - start
    observe({ method: exchange.method, route: exchange.route, status: response?.status, ms })
    log.info('request', {
      requestId: exchange.requestId,
      method: exchange.method,
      // Without the query string, which can hold personal data.
      path: exchange.path.slice(0, LOGGED_PATH_CHARS_MAX),
      ...(response === undefined ? {} : { status: response.status }),
      ms: Math.round(ms * 100) / 100,
      bytes: sent.bodyBytes,
      client: exchange.clientAddress,
      ...(isAborted ? { aborted: true } : {}),
      ...exchange.logFields,
    })
    return sent.isLast
  }

  /** None where there is nobody left to read it. */
  async function responseOf(exchange: IncomingExchange): Promise<HttpResponse | undefined> {
    try {
      assertOneHost(exchange.request)
      guard()(exchange.request)
      const { path, handler, params } = router.route(exchange.method, exchange.path)
      exchange.route = path
      exchange.params = params
      return await handler(exchange)
    } catch (error) {
      return responseToError(error, exchange)
    }
  }

  function responseToError(error: unknown, exchange: IncomingExchange): HttpResponse | undefined {
    if (error instanceof Failure) {
      exchange.addLogFields({ code: error.code, ...(error.cause === undefined ? {} : { cause: error.cause }) })
      if (error.status >= 500) log.warn('request.unavailable', { requestId: exchange.requestId, error })
      return failureResponse(error)
    }
    if (error instanceof ClientGone || (exchange.isAbandoned && isAbort(error))) return undefined
    log.error('request.failed', { requestId: exchange.requestId, error })
    const told = `Cannot complete the request: the server failed, its log tells why under "${exchange.requestId}"`
    return failureResponse(fail('serverError', told))
  }

  function send(exchange: IncomingExchange, response: HttpResponse, isClosing: () => boolean): SentResponse | Promise<SentResponse> {
    try {
      const sending = sendResponse(exchange, response, { cors, now, instance, keepAliveSeconds, lingerMs, isClosing })
      return sending instanceof Promise ? sending.then((sent) => cutIfShort(exchange, sent)) : sending
    } catch (error) {
      // Such as a header value with a line break in it. Whatever was sent, the client must not read on from there.
      log.error('response.failed', { requestId: exchange.requestId, error })
      exchange.request.socket.destroy()
      return NOTHING_SENT
    }
  }

  /** A short body must not be taken for the whole, nor the next response for the rest of it. */
  function cutIfShort(exchange: IncomingExchange, sent: SentResponse): SentResponse {
    if (sent.isShort === true) exchange.request.socket.destroy()
    if (sent.failure !== undefined) log.error('response.failed', { requestId: exchange.requestId, error: sent.failure })
    return sent
  }

  async function closeFile({ requestId }: IncomingExchange, { file, onClosed }: FileResponse): Promise<void> {
    try {
      await file.handle.close()
    } catch (error) {
      log.error('response.failed', { requestId, error })
    }
    onClosed?.()
  }
}

type FileResponse = Extract<HttpResponse, { kind: 'file' }>

const NOTHING_SENT: SentResponse = { bodyBytes: 0, isLast: true }

function failureResponse(failure: Failure): HttpResponse {
  const { status, headers } = failure
  return { kind: 'raw', status, contentType: JSON_TYPE, body: errorBody(failure), headers }
}

/** Two hosts, or none, are read differently by different servers behind one proxy (RFC 9112 section 3.2). */
function assertOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined) {
    if (httpVersion === '1.1') throw fail('badRequest', 'Cannot serve the request: expected a Host header, found none')
    return
  }
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) throw fail('badRequest', `Cannot serve the request: expected one Host header, found ${hosts}`)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
