/** The Exchange of a request whose connection is in another thread, which has read all of it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from './exchange.ts'
import { ClientGone } from './incoming-body.ts'
import { ServedExchange, type ServedOptions } from './served-exchange.ts'

export interface ForwardedRequest extends Pick<Exchange, 'requestId' | 'method' | 'target' | 'params' | 'headers' | 'clientAddress' | 'isFromProxy'> {
  /** Names its endpoint. */
  readonly endpoint: string
}

export function forwardedRequest(exchange: Exchange, endpoint: string): ForwardedRequest {
  const { requestId, method, target, params, headers, clientAddress, isFromProxy } = exchange
  return { requestId, method, target, params, headers, clientAddress, isFromProxy, endpoint }
}

/** The body of a request: its bytes, or what reading it throws; undefined where none follows the header, or none was read. */
export type ForwardedBody = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly failure: Error } | undefined

/** Reads the whole body. What keeps it from being read is for the handler, which may refuse the request for another reason. Throws ClientGone. */
export async function readForwardedBody(exchange: Pick<Exchange, 'readBytes'>, denied: Error | undefined): Promise<ForwardedBody> {
  try {
    if (denied !== undefined) throw denied
    return { bytes: (await exchange.readBytes()) as Uint8Array<ArrayBuffer> }
  } catch (error) {
    if (error instanceof ClientGone || !(error instanceof Error)) throw error
    return { failure: error }
  }
}

export interface ForwardedOptions extends ServedOptions {
  /** Aborts when the client leaves, or its thread ends. */
  readonly leaving: AbortSignal
  /** To be called when the leaving of the client is waited for. */
  readonly onWatch: () => void
}

export class ForwardedExchange extends ServedExchange {
  readonly headers: IncomingHttpHeaders
  readonly clientAddress: string
  readonly isFromProxy: boolean
  readonly endpoint: string
  readonly #body: ForwardedBody
  readonly #options: ForwardedOptions
  #isWatched = false

  constructor(request: ForwardedRequest, body: ForwardedBody, options: ForwardedOptions) {
    super(request, options)
    this.headers = request.headers
    this.clientAddress = request.clientAddress
    this.isFromProxy = request.isFromProxy
    this.params = request.params
    this.endpoint = request.endpoint
    this.#body = body
    this.#options = options
  }

  get signal(): AbortSignal {
    if (!this.#isWatched) this.#options.onWatch()
    this.#isWatched = true
    return this.#options.leaving
  }

  get isAbandoned(): boolean {
    return this.#options.leaving.aborted
  }

  get comesWithBody(): boolean {
    return this.#body !== undefined
  }

  async readBytes(): Promise<Buffer> {
    this.requireReadable()
    if (this.#body === undefined) return Buffer.alloc(0)
    if ('failure' in this.#body) throw this.#body.failure
    const { buffer, byteOffset, length } = this.#body.bytes
    return Buffer.from(buffer, byteOffset, length)
  }

  protected requireReadable(): void {
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was read')
  }
}
