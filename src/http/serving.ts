/**
 * One request from its route to its response and its line in the access log.
 */
import type { IncomingMessage } from 'node:http'
import { withRecovery, withValue, type Awaitable } from '../base/awaitable.ts'
import { fail, Failure } from '../base/failure.ts'
import type { Log } from '../base/log.ts'
import type { Handler, HttpResponse } from './exchange.ts'
import type { ForeignPageGuard } from './foreign-pages.ts'
import type { ForwardedExchange } from './forwarded-exchange.ts'
import { assertKnownCoding } from './framing.ts'
import { ClientGone } from './incoming-body.ts'
import type { IncomingExchange } from './incoming-exchange.ts'
import { createResponseWriter, errorBody, JSON_TYPE, type ResponseOptions, type SentResponse } from './response-writer.ts'
import type { Router } from './router.ts'
import type { ServedExchange } from './served-exchange.ts'

const LOGGED_PATH_CHARS_MAX = 200

export interface ServingOptions extends ResponseOptions {
  readonly router: Router
  /** The guard that holds now: it depends on the address that the server listens on. */
  readonly guard: () => ForeignPageGuard
  readonly log: Log
  /** A path as the log has it: without what only its reader may know. */
  readonly loggedPath?: ((path: string) => string) | undefined
  /** Milliseconds from any fixed moment, never going back. */
  readonly ticks: () => number
  /** Called for every request once its response is queued. */
  readonly observe: (served: ServedRequest) => void
}

export interface ServedRequest {
  readonly method: string
  /** The path of the route's table; empty where none matched. */
  readonly route: string
  /** Undefined where the client had left before. */
  readonly status: number | undefined
  readonly ms: number
}

/** Serves a request and gives whether it was the last one of its connection. It never throws or rejects. */
export type Serve = (exchange: IncomingExchange) => Awaitable<boolean>

export function createServe(options: ServingOptions): Serve {
  const { log, ticks, observe, loggedPath = (path: string) => path } = options
  const { router, guard } = options
  const respond = createResponder<IncomingExchange>({
    log,
    find(exchange) {
      const { request } = exchange
      assertOneHost(request)
      assertKnownCoding(request)
      guard()(request)
      const { path, handler, params } = router.route(exchange.method, exchange.path)
      exchange.route = path
      exchange.params = params
      return handler
    },
  })
  const send = createSender(options)
  return (exchange) => {
    const start = ticks()
    return withValue(respond(exchange), (response) => {
      const respondedMs = ticks() - start
      const isGone = exchange.isAbandoned || response === undefined
      return withValue(isGone ? NOTHING_SENT : send(exchange, response), (sent) => {
        const closing = response?.kind === 'file' ? closeFile(exchange, response, log) : undefined
        return withValue(closing, () => {
          record(exchange, { start, respondedMs, response, sent, isAborted: isGone || sent.isShort === true })
          return sent.isLast
        })
      })
    })
  }

  function record(exchange: IncomingExchange, { start, respondedMs, response, sent, isAborted }: Served): void {
    const ms = ticks() - start
    // How long a stream stayed open is no time that the service took.
    const tookMs = response?.kind === 'stream' ? respondedMs : ms
    observe({ method: exchange.method, route: exchange.route, status: response?.status, ms: tookMs })
    const { requestId, method, clientAddress: client, logFields } = exchange
    // Without the query string, which can hold personal data.
    const path = loggedPath(exchange.path).slice(0, LOGGED_PATH_CHARS_MAX)
    const [hundredths, bytes] = [Math.round(ms * 100) / 100, sent.bodyBytes]
    const fields: Record<string, unknown> =
      response === undefined
        ? { requestId, method, path, ms: hundredths, bytes, client }
        : { requestId, method, path, status: response.status, ms: hundredths, bytes, client }
    if (isAborted) fields['aborted'] = true
    for (const name in logFields) fields[name] = logFields[name]
    log.info('request', fields)
  }
}

/** A request that is done, for the log. */
interface Served {
  /** When its serving began. */
  readonly start: number
  /** How long the handler took. */
  readonly respondedMs: number
  readonly response: HttpResponse | undefined
  readonly sent: SentResponse
  readonly isAborted: boolean
}

const NOTHING_SENT: SentResponse = { bodyBytes: 0, isLast: true }

/** Returns the function that sends a response, or ends the connection where that fails. */
function createSender(options: ServingOptions) {
  const { log } = options
  const write = createResponseWriter(options)
  return (exchange: IncomingExchange, response: HttpResponse): Awaitable<SentResponse> => {
    try {
      return withValue(write(exchange, response), (sent) => cutIfShort(exchange, sent))
    } catch (error) {
      // Such as a header value with a line break in it. The client must not read on after a part of a response.
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
}

async function closeFile(
  { requestId }: IncomingExchange,
  { file, onClosed }: Extract<HttpResponse, { kind: 'file' }>,
  log: Log,
): Promise<void> {
  try {
    await file.handle.close()
  } catch (error) {
    log.error('response.failed', { requestId, error })
  }
  onClosed?.()
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

/*
 * The response of a handler, or of what it throws.
 *
 * A Failure becomes its status and its message. Everything else that is thrown is a bug of ours: 500, the stack in the
 * log under the request's id, and nothing about it in the response.
 */

interface ResponderOptions<E extends ServedExchange> {
  /** Gives the handler of a request; what it throws is the response. */
  readonly find: (exchange: E) => Handler
  readonly log: Log
}

/** Returns the function that has a request handled. It gives undefined where the client has left, and never throws. */
function createResponder<E extends ServedExchange>({ find, log }: ResponderOptions<E>) {
  return (exchange: E): Awaitable<HttpResponse | undefined> =>
    withRecovery<HttpResponse | undefined>(
      () => find(exchange)(exchange),
      (error) => responseToError(error, exchange),
    )

  function responseToError(error: unknown, exchange: E): HttpResponse | undefined {
    const { requestId } = exchange
    if (error instanceof Failure) {
      exchange.addLogFields({ code: error.code, ...(error.cause === undefined ? {} : { cause: error.cause }) })
      if (error.status >= 500) log.warn('request.unavailable', { requestId, error })
      return failureResponse(error)
    }
    if (error instanceof ClientGone || (exchange.isAbandoned && isAbort(error))) return undefined
    log.error('request.failed', { requestId, error })
    const message = `Cannot complete the request: the server failed, its log tells why under "${requestId}"`
    return failureResponse(fail('serverError', message))
  }
}

/**
 * The same for requests whose connection is in another thread or at another node, where they were admitted: each names its
 * endpoint, by which `handlers` has its handler.
 */
export function createForwardedResponder(handlers: ReadonlyMap<string, Handler>, log: Log) {
  return createResponder<ForwardedExchange>({
    log,
    find({ endpoint }) {
      const handler = handlers.get(endpoint)
      if (handler === undefined) throw new Error(`There is no endpoint ${endpoint}`)
      return handler
    },
  })
}

function failureResponse(failure: Failure): HttpResponse {
  const { status, headers } = failure
  return { kind: 'raw', status, contentType: JSON_TYPE, body: errorBody(failure), headers }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
