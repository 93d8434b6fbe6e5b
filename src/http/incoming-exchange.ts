/**
 * The Exchange of a request that came over a socket. Whatever costs something (query, address, body, signal) is only
 * worked out when a handler asks for it.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import type { LogFields } from '../base/log.ts'
import { ClientGone, readJsonObject } from './body.ts'
import { clientAddress, UNIX_PEER } from './client-address.ts'
import type { TrustedProxies } from './client-address.ts'
import type { Exchange, JsonBodyOptions, Params } from './exchange.ts'
import { parseQuery } from './query-string.ts'
import type { Query } from './query-string.ts'

export interface IncomingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The client sent `Expect: 100-continue` and holds its body back until it is asked for. */
  readonly expectsContinue: boolean
  readonly requestId: string
  readonly proxies: TrustedProxies
  /** Came over a Unix socket, whose peers have no address. */
  readonly isUnixSocket: boolean
  readonly bodyBytesMax: number
}

export class IncomingExchange implements Exchange {
  readonly requestId: string
  readonly method: string
  readonly path: string
  params: Params = {}
  /** The path of the route that serves it; empty where there is none. */
  route = ''
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What note() collected, for the access log. */
  notes: LogFields | undefined
  #holdsBodyBack: boolean
  readonly #queryText: string
  readonly #proxies: TrustedProxies
  readonly #isUnixSocket: boolean
  bodyBytesMax: number
  #bodyFrom: string | undefined
  #query: Query | undefined
  #clientAddress: string | undefined
  #body: Promise<JsonObject> | undefined
  #weigh: (bytes: number) => void = () => {}
  #abort: AbortController | undefined
  #broken: Error | undefined
  #interruptRead: ((reason: Error) => void) | undefined

  constructor({ request, response, expectsContinue, requestId, proxies, isUnixSocket, bodyBytesMax }: IncomingRequest) {
    const target = originForm(request.url ?? '')
    const mark = target.indexOf('?')
    this.requestId = requestId
    this.method = request.method ?? ''
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.request = request
    this.response = response
    this.#queryText = mark === -1 ? '' : target.slice(mark + 1)
    this.#holdsBodyBack = expectsContinue
    this.#proxies = proxies
    this.#isUnixSocket = isUnixSocket
    this.bodyBytesMax = bodyBytesMax
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get query(): Query {
    return (this.#query ??= parseQuery(this.#queryText))
  }

  get clientAddress(): string {
    const { socket, headers } = this.request
    const forwardedFor = headers['x-forwarded-for']
    return (this.#clientAddress ??= clientAddress(
      this.#isUnixSocket ? UNIX_PEER : socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
      this.#proxies,
    ))
  }

  get signal(): AbortSignal {
    this.#abort ??= this.#abortOnClose()
    return this.#abort.signal
  }

  /** The client waits for `100 Continue`, and nobody has asked for the body. */
  get holdsBodyBack(): boolean {
    return this.#holdsBodyBack
  }

  /** The rest of the request is malformed or came too late, so nothing after it can be read from this connection. */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** The connection is gone, so that no reply can be sent. */
  get isAbandoned(): boolean {
    return this.request.socket.destroyed
  }

  note(fields: LogFields): void {
    this.notes = { ...this.notes, ...fields }
  }

  limitBody(bytesMax: number, from: string): void {
    if (bytesMax >= this.bodyBytesMax) return
    this.bodyBytesMax = bytesMax
    this.#bodyFrom = from
  }

  weigh(bytes: number): void {
    this.#weigh(bytes)
  }

  weighBody(weigh: (bytes: number) => void): void {
    this.#weigh = weigh
  }

  readJson(options: JsonBodyOptions = {}): Promise<JsonObject> {
    return (this.#body ??= this.#readJson(options))
  }

  /** Makes the reading of the body fail, now or when it is asked for. */
  interrupt(reason: Error): void {
    this.#broken = reason
    this.#interruptRead?.(reason)
  }

  /** Node's own request.signal says "aborted" at once for a request without a body (optimizeEmptyRequests). */
  #abortOnClose(): AbortController {
    const controller = new AbortController()
    const { socket } = this.request
    const abort = (): void => controller.abort()
    if (socket.destroyed) abort()
    socket.once('close', abort)
    this.response.once('finish', () => socket.off('close', abort))
    return controller
  }

  async #readJson(options: JsonBodyOptions): Promise<JsonObject> {
    if (this.#broken !== undefined) throw this.#broken
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was read')
    return await readJsonObject(
      {
        request: this.request,
        bytesMax: Math.min(this.bodyBytesMax, options.bytesMax ?? Infinity),
        from: this.#bodyFrom,
        weigh: this.#weigh,
        onStart: () => {
          if (this.#holdsBodyBack) this.response.writeContinue()
          this.#holdsBodyBack = false
        },
        onInterrupt: (interrupt) => {
          this.#interruptRead = interrupt
        },
      },
      options,
    )
  }
}

/**
 * The request target without `http://host` in front: a server takes the absolute form from every client, though only
 * proxies get to see it (RFC 9112 section 3.2.2).
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest
}
