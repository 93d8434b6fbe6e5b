/**
 * The Exchange of a request from a socket. What costs time (query, address, body, signal) is computed when a handler
 * reads it.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { fail } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import type { LogFields } from '../../base/log.ts'
import { LONG_BODY_BYTES, readJsonObject } from './body.ts'
import type { BodyLane } from '../guard/body-lane.ts'
import type { BodyOwner } from '../guard/body-memory.ts'
import { clientAddress, limitKey, UNIX_PEER } from './client-address.ts'
import type { TrustedProxies } from './client-address.ts'
import type { BodyTerms, Exchange, JsonBodyOptions, Params } from './exchange.ts'
import { ClientGone, hasBody, IncomingBody, type BodySurroundings } from './incoming-body.ts'
import { PushedRequest } from './pushed-request.ts'
import { parseQuery } from './query-string.ts'
import type { Query } from './query-string.ts'

/** What all requests of a server have in common. */
export interface ExchangeSurroundings extends BodySurroundings {
  readonly proxies: TrustedProxies
  /** Called with the other end of the socket where X-Forwarded-For does not come from a proxy. */
  readonly onUntrustedForward: (peer: string) => void
  readonly bodyBytesMax: number
  readonly shortBodyMs: number
  readonly bodyLane: BodyLane
}

/** What stands around the method and the target, the empty line at the end included, and around a name and a value. */
const REQUEST_LINE_BYTES = '  HTTP/1.1\r\n\r\n'.length
const HEADER_LINE_BYTES = ':\r\n'.length
/** Between two interim responses that probe whether a client is still connected. */
const PROBE_MS = 100

const NO_TERMS: BodyTerms = {}
/** Of a request that has arrived, and of a response without an end. */
const SERVED: Partial<IncomingMessage> = { complete: true, headers: {}, rawHeaders: [] }
const SENDING: Partial<ServerResponse> = { headersSent: true, writableEnded: false, writableFinished: false }
const NO_BYTES = Buffer.alloc(0)

export interface IncomingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The client sent `Expect: 100-continue` and waits with its body. */
  readonly expectsContinue: boolean
  readonly requestId: string
  /** The address of the other end of the socket. */
  readonly peer: string
}

export class IncomingExchange implements Exchange {
  readonly requestId: string
  readonly method: string
  readonly target: string
  readonly path: string
  params: Params = {}
  /** The path of the route that serves it; empty where there is none. */
  route = ''
  request: IncomingMessage
  serverResponse: ServerResponse
  /** The fields of addLogFields(), for the access log. */
  logFields: LogFields | undefined
  #holdsBodyBack: boolean
  readonly #queryText: string
  readonly #around: ExchangeSurroundings
  readonly #peer: string
  /** Undefined where no body follows the header. */
  readonly #body: IncomingBody | undefined
  #bodyTerms = NO_TERMS
  /** Defined once the body has the lane. */
  #leaveLane: (() => void) | undefined
  #query: Query | undefined
  #clientAddress: string | undefined
  #json: Promise<JsonObject> | undefined
  #abort: AbortController | undefined
  #broken: Error | undefined

  constructor(
    { request, response, expectsContinue, requestId, peer }: IncomingRequest,
    around: ExchangeSurroundings,
  ) {
    const target = originForm(request.url ?? '')
    this.target = target
    const mark = target.indexOf('?')
    this.requestId = requestId
    this.method = request.method ?? ''
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.request = request
    this.serverResponse = response
    this.#queryText = mark === -1 ? '' : target.slice(mark + 1)
    this.#holdsBodyBack = expectsContinue
    this.#around = around
    this.#peer = peer
    if (!hasBody(request) || !(request instanceof PushedRequest)) return
    this.#body = new IncomingBody(request, around, (failure) => {
      if (response.headersSent) request.socket.destroy()
      else this.interrupt(failure)
    })
    request.sink = this.#body
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get query(): Query {
    return (this.#query ??= parseQuery(this.#queryText))
  }

  get clientAddress(): string {
    if (this.#clientAddress !== undefined) return this.#clientAddress
    const forwardedFor = this.request.headers['x-forwarded-for']
    if (forwardedFor === undefined) return this.#peer
    if (!this.isFromProxy) this.#around.onUntrustedForward(this.#peer)
    return (this.#clientAddress = clientAddress(
      this.#peer,
      Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
      this.#around.proxies,
    ))
  }

  get isFromProxy(): boolean {
    return this.#peer === UNIX_PEER || this.#around.proxies.isTrusted(this.#peer)
  }

  get signal(): AbortSignal {
    this.#abort ??= this.#abortOnClose()
    return this.#abort.signal
  }

  /** A body follows the header. */
  get comesWithBody(): boolean {
    return this.#body !== undefined
  }

  /** The client waits for `100 Continue`, and no handler has read the body. */
  get holdsBodyBack(): boolean {
    return this.#holdsBodyBack
  }

  /** The rest of the request is malformed or too late, so nothing after it can be read from this connection. */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** The connection has ended: no response can be sent. */
  get isAbandoned(): boolean {
    return this.request.socket.destroyed
  }

  /** How many bytes its header has on the wire, at least: without the white space that may stand before a value. */
  get headerBytes(): number {
    const { method = '', url = '', rawHeaders } = this.request
    let bytes = method.length + url.length + REQUEST_LINE_BYTES + (rawHeaders.length / 2) * HEADER_LINE_BYTES
    for (const text of rawHeaders) bytes += text.length
    return bytes
  }

  /** How many bytes its body has, once it is complete. */
  get bodyBytes(): number {
    return this.#body?.bytes ?? 0
  }

  addLogFields(fields: LogFields): void {
    this.logFields = this.logFields === undefined ? fields : { ...this.logFields, ...fields }
  }

  get bodyBytesMax(): number {
    return Math.min(this.#around.bodyBytesMax, this.#bodyTerms.bytesMax ?? Infinity)
  }

  weigh(bytes: number): void {
    this.#bodyTerms.weigh?.(bytes, 0)
  }

  async growBody(bytes: number): Promise<void> {
    this.weigh(bytes)
    if (bytes > LONG_BODY_BYTES) await this.#enterLane()
  }

  setBodyTerms(terms: BodyTerms): void {
    this.#bodyTerms = this.#bodyTerms === NO_TERMS ? terms : { ...this.#bodyTerms, ...terms }
    if (terms.caller !== undefined) this.ownBody()
  }

  /** Counts the body for its owner: the caller of the terms, or the client's address without one. */
  ownBody(): void {
    this.#body?.assign(this.#owner)
  }

  readJson(options: JsonBodyOptions = {}): Promise<JsonObject> {
    return (this.#json ??= this.#readJson(options))
  }

  readBytes(options: Pick<JsonBodyOptions, 'bytesMax' | 'isShort'>): Promise<Buffer> {
    return this.#inTime(options, (read) => read?.() ?? Promise.resolve(NO_BYTES))
  }

  /** Makes the reading of the body fail, now or later. */
  interrupt(reason: Error): void {
    this.#broken = reason
    this.#body?.fail(reason)
  }

  /** Releases the memory of the body, and the lane. Called when the request is done. */
  releaseBody(): void {
    this.#body?.release()
    this.#leaveLane?.()
  }

  /**
   * Drops the request and the response, to be called when node has: a stream stays open for hours without them. What is
   * asked of them for the log and of a connection that is being served has the same answer as before.
   */
  releaseRequest(): void {
    this.#clientAddress = this.clientAddress
    const { socket } = this.request
    this.request = { socket, ...SERVED } as IncomingMessage
    this.serverResponse = SENDING as ServerResponse
  }

  /** Discards the rest of the body; `onPassed` is called after so many bytes, at its end, or without a client. */
  discardBody(bytesMax: number, onPassed: () => void): void {
    this.#body?.discard(bytesMax, onPassed)
  }

  /** Node's own request.signal says "aborted" immediately for a request without a body (optimizeEmptyRequests). */
  #abortOnClose(): AbortController {
    const controller = new AbortController()
    const { socket } = this.request
    let probing: NodeJS.Timeout | undefined
    const abort = (): void => {
      clearInterval(probing)
      controller.abort()
    }
    // A client that has left and one that closed its sending half, and waits for the response, have both sent a FIN. The
    // kernel of the first sends a reset for an interim response, and the next write fails.
    const probe = (): void => {
      if (!this.serverResponse.headersSent && this.request.httpVersion === '1.1') this.serverResponse.writeContinue()
    }
    const onEnd = (): void => {
      probe()
      probing = setInterval(probe, PROBE_MS).unref()
    }
    if (socket.destroyed) abort()
    else if (socket.readableEnded) onEnd()
    socket.once('close', abort).once('end', onEnd)
    this.serverResponse.once('finish', () => {
      socket.off('close', abort).off('end', onEnd)
      clearInterval(probing)
    })
    return controller
  }

  async #readJson(options: JsonBodyOptions): Promise<JsonObject> {
    const weigh = (bytes: number, before: number): void => this.#bodyTerms.weigh?.(bytes, before)
    const enterLane = (): Promise<void> => this.#enterLane()
    try {
      return await this.#inTime(options, (read) =>
        readJsonObject({ headers: this.headers, read, weigh, enterLane }, options),
      )
    } finally {
      if (options.isDoneWhenRead === true) this.#leaveLane?.()
    }
  }

  /** Gives what reads the body, where one follows the header, and interrupts a short one that takes too long. */
  async #inTime<T>(
    { bytesMax, isShort }: JsonBodyOptions,
    use: (read: (() => Promise<Buffer>) | undefined) => Promise<T>,
  ): Promise<T> {
    if (this.#broken !== undefined) throw this.#broken
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was read')
    const body = this.#body
    const read = body && (() => this.#readBody(body, bytesMax))
    const late = isShort === true && body?.isWhole === false ? this.#interruptAfter(this.#around.shortBodyMs) : undefined
    try {
      return await use(read)
    } finally {
      clearTimeout(late)
    }
  }

  async #enterLane(): Promise<void> {
    if (this.#leaveLane !== undefined) return
    this.#leaveLane = await this.#around.bodyLane.enter(this.#owner)
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was parsed')
  }

  get #owner(): BodyOwner {
    const { caller = limitKey(this.clientAddress), usesReserve = false } = this.#bodyTerms
    return { caller, usesReserve }
  }

  #readBody(body: IncomingBody, bytesMax = Infinity): Promise<Buffer> {
    const { weigh = () => {}, from } = this.#bodyTerms
    return body.read({
      bytesMax: Math.min(this.bodyBytesMax, bytesMax),
      from,
      owner: this.#owner,
      weigh,
      onStart: () => {
        if (this.#holdsBodyBack) this.serverResponse.writeContinue()
        this.#holdsBodyBack = false
      },
    })
  }

  #interruptAfter(ms: number): NodeJS.Timeout {
    const interrupt = (): void => {
      this.#around.bodyMemory.countRejection('late')
      const wanted = `expected a body of this kind within ${ms / 1000} s`
      this.interrupt(fail('requestTimeout', `Cannot wait any longer for the request body: ${wanted}`))
    }
    return setTimeout(interrupt, ms).unref()
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
