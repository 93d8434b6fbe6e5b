/** HTTP clients for tests: one that behaves, over node:http, and one that sends whatever bytes it is given. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { Agent, IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface ClientRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** An object is sent as JSON with its content type. */
  readonly body?: string | Uint8Array | object
  readonly agent?: Agent
}

export interface ClientResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body read as JSON; throws where it is none. */
  json(): unknown
}

/** Sends one request on a connection of its own (or the agent's) and waits for the whole response. */
export function send(port: number, path: string, options: ClientRequest = {}): Promise<ClientResponse> {
  return exchange({ host: '127.0.0.1', port, path }, options)
}

/** The same to a URL, whose host may be a name. */
export function sendTo({ hostname, port, pathname, search }: URL, options: ClientRequest = {}): Promise<ClientResponse> {
  return exchange({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), path: pathname + search }, options)
}

async function exchange(
  target: { readonly host: string; readonly port: number; readonly path: string },
  options: ClientRequest,
): Promise<ClientResponse> {
  const { method = 'GET', body, agent } = options
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const bytes = isJson ? JSON.stringify(body) : body
  const isChunked = options.headers?.['Transfer-Encoding'] !== undefined
  const length = bytes === undefined || isChunked ? {} : { 'Content-Length': String(Buffer.byteLength(bytes)) }
  const headers = { ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...length, ...options.headers }
  const { promise, resolve, reject } = Promise.withResolvers<ClientResponse>()
  const outgoing = request({ ...target, method, headers, agent: agent ?? false })
  outgoing.on('error', reject).on('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = bytes.toString('utf8')
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        bytes,
        text,
        json: () => JSON.parse(text) as unknown,
      })
    })
  })
  outgoing.end(bytes)
  return await promise
}

/** The headers of a response, by names in any case. */
export interface ResponseHeaders extends Iterable<[string, string]> {
  get(name: string): string | null
  has(name: string): boolean
}

export function headersOf(headers: IncomingHttpHeaders): ResponseHeaders {
  return {
    get: (name) => {
      const value = headers[name.toLowerCase()]
      return value === undefined ? null : String(value)
    },
    has: (name) => headers[name.toLowerCase()] !== undefined,
    [Symbol.iterator]: () => Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])[Symbol.iterator](),
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
}

/** The text of a response in whatever coding it came. */
export function decodedText({ headers, bytes, text }: ClientResponse): string {
  const decode = DECODERS[headers['content-encoding'] ?? '']
  return decode === undefined || bytes.length === 0 ? text : decode(bytes).toString('utf8')
}

export interface RawResponse {
  readonly status: number
  /** Names in lower case; of repeated headers the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A socket and its bytes. Responses are split off by their Content-Length, as every response of ours has one. */
export class RawConnection {
  readonly socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    const wake = (): void => this.#wake()
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      wake()
    })
    // A reset counts as an end: what arrived before it is what the client got.
    socket
      .on('error', () => {})
      .on('end', () => this.#end())
      .on('close', () => this.#end())
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.once('connect', resolve).once('error', reject)
    await promise
    return new RawConnection(socket)
  }

  write(bytes: string | Uint8Array): void {
    if (!this.socket.writable) return
    if (typeof bytes === 'string') this.socket.write(bytes, 'latin1')
    else this.socket.write(bytes)
  }

  /** Closes the sending half and leaves the other open. */
  end(): void {
    this.socket.end()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The next response. `toHead` where the request was HEAD, whose response has a length and no body. */
  async response({ toHead = false } = {}): Promise<RawResponse> {
    const headEnd = await this.#until(() => this.#received.indexOf('\r\n\r\n'))
    const [statusLine = '', ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [name = '', ...value] = line.split(':')
      const key = name.toLowerCase()
      headers[key] = [...(headers[key] === undefined ? [] : [headers[key]]), value.join(':').trim()].join(', ')
    }
    const length = toHead ? 0 : Number(headers['content-length'] ?? 0)
    const end = await this.#until(() => (this.#received.length >= headEnd + 4 + length ? headEnd + 4 + length : -1))
    const text = this.#received.subarray(headEnd + 4, end).toString('utf8')
    this.#received = this.#received.subarray(end)
    return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]), headers, text }
  }

  /** Waits for the other side to close and gives what it sent since the last response. */
  async rest(): Promise<string> {
    await this.#until(() => (this.#ended ? 0 : -1))
    return this.#received.toString('latin1')
  }

  #end(): void {
    this.#ended = true
    this.#wake()
  }

  async #until(position: () => number): Promise<number> {
    for (;;) {
      const found = position()
      if (found !== -1) return found
      if (this.#ended) assert.fail(`the connection ended before a whole response, after ${JSON.stringify(String(this.#received))}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Sends bytes, closes the sending half, and gives the one response. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<RawResponse> {
  const connection = await RawConnection.open(port)
  try {
    connection.write(bytes)
    connection.end()
    return await connection.response()
  } finally {
    connection.destroy()
  }
}
