/**
 * One request from its route to its reply and its line in the access log.
 *
 * A Failure becomes its status and its message. Whatever else is thrown is a bug of ours: 500, the stack in the log
 * under the request's id, and nothing about it in the reply.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { fail, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { CorsHeaders } from '../guard/cors.ts'
import { errorBody } from './envelope.ts'
import type { Reply } from '../request/exchange.ts'
import { ClientGone } from '../request/incoming-body.ts'
import type { IncomingExchange } from '../request/incoming-exchange.ts'
import type { ForeignPageGuard } from '../guard/foreign-pages.ts'
import { JSON_TYPE, sendReply } from './reply-writer.ts'
import type { SentReply } from './reply-writer.ts'
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
  /** Called for every request once its reply is on its way. */
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
 * `isClosing`, while the server shuts down, makes every reply the last one.
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
    const reply = await replyOf(exchange)
    const isGone = exchange.isAbandoned || reply === undefined
    const sending = isGone ? NOTHING_SENT : send(exchange, reply, isClosing)
    const sent = sending instanceof Promise ? await sending : sending
    if (reply?.kind === 'file') await closeFile(exchange, reply)
    const isAborted = isGone || sent.isShort === true
    const ms = ticks() - start
    observe({ method: exchange.method, route: exchange.route, status: reply?.status, ms })
    log.info('request', {
      requestId: exchange.requestId,
      method: exchange.method,
      // Without the query string, which can hold personal data.
      path: exchange.path.slice(0, LOGGED_PATH_CHARS_MAX),
      ...(reply === undefined ? {} : { status: reply.status }),
      ms: Math.round(ms * 100) / 100,
      bytes: sent.bodyBytes,
      client: exchange.clientAddress,
      ...(isAborted ? { aborted: true } : {}),
      ...exchange.notes,
    })
    return sent.isLast
  }

  /** None where there is nobody left to read it. */
  async function replyOf(exchange: IncomingExchange): Promise<Reply | undefined> {
    try {
      assertOneHost(exchange.request)
      guard()(exchange.request)
      const { path, handler, params } = router.route(exchange.method, exchange.path)
      exchange.route = path
      exchange.params = params
      return await handler(exchange)
    } catch (error) {
      return replyTo(error, exchange)
    }
  }

  function replyTo(error: unknown, exchange: IncomingExchange): Reply | undefined {
    if (error instanceof Failure) {
      exchange.note({ code: error.code, ...(error.cause === undefined ? {} : { cause: error.cause }) })
      if (error.status >= 500) log.warn('request.unavailable', { requestId: exchange.requestId, error })
      return failureReply(error)
    }
    if (error instanceof ClientGone || (exchange.isAbandoned && isAbort(error))) return undefined
    log.error('request.failed', { requestId: exchange.requestId, error })
    const told = `Cannot complete the request: the server failed, its log tells why under "${exchange.requestId}"`
    return failureReply(fail('serverError', told))
  }

  function send(exchange: IncomingExchange, reply: Reply, isClosing: () => boolean): SentReply | Promise<SentReply> {
    try {
      const sending = sendReply(exchange, reply, { cors, now, instance, keepAliveSeconds, lingerMs, isClosing })
      return sending instanceof Promise ? sending.then((sent) => cutIfShort(exchange, sent)) : sending
    } catch (error) {
      // Such as a header value with a line break in it. Whatever was sent, the client must not read on from there.
      log.error('reply.failed', { requestId: exchange.requestId, error })
      exchange.request.socket.destroy()
      return NOTHING_SENT
    }
  }

  /** A short body must not be taken for the whole, nor the next reply for the rest of it. */
  function cutIfShort(exchange: IncomingExchange, sent: SentReply): SentReply {
    if (sent.isShort === true) exchange.request.socket.destroy()
    if (sent.failure !== undefined) log.error('reply.failed', { requestId: exchange.requestId, error: sent.failure })
    return sent
  }

  async function closeFile({ requestId }: IncomingExchange, { file, onClosed }: FileReply): Promise<void> {
    try {
      await file.handle.close()
    } catch (error) {
      log.error('reply.failed', { requestId, error })
    }
    onClosed?.()
  }
}

type FileReply = Extract<Reply, { kind: 'file' }>

const NOTHING_SENT: SentReply = { bodyBytes: 0, isLast: true }

function failureReply(failure: Failure): Reply {
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
