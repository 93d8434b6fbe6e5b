/** The Exchange of a request from a socket. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { fail } from '../base/failure.ts'
import { clientAddress, UNIX_PEER } from './client-address.ts'
import type { TrustedProxies } from './client-address.ts'
import type { BodyTerms } from './exchange.ts'
import { ClientGone, hasBody, IncomingBody, PushedRequest, type BodyOptions } from './incoming-body.ts'
import { ServedExchange, type ServedOptions } from './served-exchange.ts'

/** What all requests of a server have in common. */
export interface ExchangeOptions extends BodyOptions, ServedOptions {
  readonly proxies: TrustedProxies
  /** Called with the other end of the socket where X-Forwarded-For does not come from a proxy. */
  readonly onUntrustedForward: (peer: string) => void
  readonly shortBodyMs: number
}

/** What stands around the method and the target, the empty line at the end included, and around a name and a value. */
const REQUEST_LINE_BYTES = '  HTTP/1.1\r\n\r\n'.length
const HEADER_LINE_BYTES = ':\r\n'.length
/** Between two interim responses that probe whether a client is still connected. */
const PROBE_MS = 100

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

export class IncomingExchange extends ServedExchange {
  request: IncomingMessage
  serverResponse: ServerResponse
  #holdsBodyBack: boolean
  readonly #options: ExchangeOptions
  readonly #peer: string
  /** Undefined where no body follows the header. */
  readonly #body: IncomingBody | undefined
  #clientAddress: string | undefined
  #abort: AbortController | undefined
  #broken: Error | undefined

  constructor(
    { request, response, expectsContinue, requestId, peer }: IncomingRequest,
    options: ExchangeOptions,
  ) {
    super({ requestId, method: request.method ?? '', target: originForm(request.url ?? '') }, options)
    this.request = request
    this.serverResponse = response
    this.#holdsBodyBack = expectsContinue
    this.#options = options
    this.#peer = peer
    if (!hasBody(request) || !(request instanceof PushedRequest)) return
    this.#body = new IncomingBody(request, options, (failure) => {
      if (response.headersSent) request.socket.destroy()
      else this.interrupt(failure)
    })
    request.sink = this.#body
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get clientAddress(): string {
    if (this.#clientAddress !== undefined) return this.#clientAddress
    const forwardedFor = this.request.headers['x-forwarded-for']
    if (forwardedFor === undefined) return this.#peer
    if (!this.isFromProxy) this.#options.onUntrustedForward(this.#peer)
    return (this.#clientAddress = clientAddress(
      this.#peer,
      Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
      this.#options.proxies,
    ))
  }

  get isFromProxy(): boolean {
    return this.#peer === UNIX_PEER || this.#options.proxies.isTrusted(this.#peer)
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

  override setBodyTerms(terms: BodyTerms): void {
    super.setBodyTerms(terms)
    if (terms.caller !== undefined) this.ownBody()
  }

  /** Counts the body for its owner: the caller of the terms, or the client's address without one. */
  ownBody(): void {
    this.#body?.assign(this.bodyOwner)
  }

  async readBytes(): Promise<Buffer> {
    this.requireReadable()
    const body = this.#body
    if (body === undefined) return NO_BYTES
    const { limit, weigh = () => {}, from } = this.bodyTerms
    const late = limit?.isShort === true && !body.isWhole ? this.#interruptAfter(this.#options.shortBodyMs) : undefined
    const bytesMax = this.bodyBytesMax
    const onStart = (): void => {
      if (this.#holdsBodyBack) this.serverResponse.writeContinue()
      this.#holdsBodyBack = false
    }
    try {
      return await body.read({ bytesMax, from, owner: this.bodyOwner, weigh, onStart })
    } finally {
      clearTimeout(late)
    }
  }

  protected requireReadable(): void {
    if (this.#broken !== undefined) throw this.#broken
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was read')
  }

  /** Makes the reading of the body fail, now or later. */
  interrupt(reason: Error): void {
    this.#broken = reason
    this.#body?.fail(reason)
  }

  /** Releases the memory of the body, and the lane. Called when the request is done. */
  override releaseBody(): void {
    this.#body?.release()
    super.releaseBody()
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

  #interruptAfter(ms: number): NodeJS.Timeout {
    const interrupt = (): void => {
      this.#options.bodyMemory.countRejection('late')
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
