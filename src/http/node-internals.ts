/**
 * Everything that this program touches of Node beside its public interface. Each function says what happens where Node has
 * changed, and test/http/node-internals.test.ts fails then.
 *
 * | internal | since | where it is not there |
 * |---|---|---|
 * | `_header`, `_headerSent`, `_last`, `_hasBody` of ServerResponse | 0.x | Node renders the header block, and sends body parts by themselves |
 * | `parser` of a socket, its listeners | 12 | a stream keeps the memory of its request |
 * | callbacks of a parser, by the numbers of its constructor | 12 | what a hostile client has sent already is parsed |
 * | `_handle.fd` of a server | 0.x | another program on the same port is not noticed |
 * | `httpAllowHalfOpen` of a server | 0.7 | a client that closes its sending half gets no response |
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'

interface ResponseInternals {
  /** The header block; null until it is rendered. */
  _header: string | null
  /** Whether the block has left for the socket. */
  _headerSent: boolean
  /** The connection ends with this response. */
  _last: boolean
  _hasBody: boolean
}

/** A header block as this program renders it. */
export interface RenderedHead {
  readonly status: number
  readonly block: string
  readonly isLast: boolean
}

/** Gives a response its header block, as writeHead() does. Returns false, and does nothing, where Node has another place for it. */
export function putHeader(serverResponse: ServerResponse, { status, block, isLast }: RenderedHead): boolean {
  const response = serverResponse as ServerResponse & ResponseInternals
  if (response._header !== null) return false
  response.statusCode = status
  response._last ||= isLast
  response._hasBody &&= status !== 204 && status !== 304
  response._header = block
  return true
}

/** The block that putHeader() gave, while it has not been sent; undefined where there is none. */
export function unsentHeader(serverResponse: ServerResponse): string | undefined {
  const { _header: header, _headerSent: isSent } = serverResponse as ServerResponse & ResponseInternals
  return typeof header === 'string' && !isSent ? header : undefined
}

/** The caller sends the block itself, in front of the body. */
export function markHeaderSent(serverResponse: ServerResponse): void {
  ;(serverResponse as ServerResponse & ResponseInternals)._headerSent = true
}

interface Parser {
  readonly incoming: unknown
  _consumed: boolean
  unconsume(): void
  remove(): void
  close(): void
}

interface WithParser {
  parser?: Parser | null
}

/** What Node's server listens for on a socket, by the names of its functions. */
const LISTENERS = {
  data: 'bound socketOnData',
  end: 'bound socketOnEnd',
  close: 'bound socketOnClose',
  drain: 'bound socketOnDrain',
  pause: 'onSocketPause',
  resume: 'onSocketResume',
} as const

type Listener = (...values: unknown[]) => void

/**
 * Takes a connection from Node's HTTP server once the header of its last response was sent, as Node does itself where a
 * request upgrades its connection (`onParserExecuteCommon` of lib/_http_server.js). Node keeps the parser of a connection
 * (more than 8 KiB), the request and the response for as long as it is open: of a stream that is idle for hours, most of its
 * memory.
 *
 * Returns whether the connection is an ordinary socket now, which the caller reads, writes and ends. Not to be called by the
 * parser, and not while the client still sends the request or has sent another one.
 */
export function releaseParser(socket: Socket & WithParser, response: ServerResponse): boolean {
  const { parser } = socket
  const request: IncomingMessage & WithParser = response.req
  if (socket.destroyed || parser === undefined || parser === null || parser.incoming !== request || !request.complete) return false
  if (socket.writableCorked > 0 || !isKnown(parser)) return false
  const found = Object.entries(LISTENERS).map(([event, name]) => {
    const listener = socket.listeners(event).find((one) => one.name === name)
    return [event, listener as Listener | undefined] as const
  })
  if (found.some(([, listener]) => listener === undefined)) return false
  for (const [event, listener] of found) if (listener !== undefined) socket.removeListener(event, listener)
  if (parser._consumed) parser.unconsume()
  parser._consumed = false
  parser.remove()
  parser.close()
  socket.parser = null
  request.parser = null
  response.detachSocket(socket)
  return true
}

function isKnown(parser: Parser): boolean {
  return [parser.unconsume, parser.remove, parser.close].every((method: unknown) => typeof method === 'function')
}

/** Callbacks of Node's HTTPParser, which are kept under the numbers that its constructor gives for these names. */
const CALLBACKS = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete'] as const

type CallbackParser = Record<number, unknown> & { readonly constructor: Readonly<Record<string, unknown>> }

/**
 * Discards what a hostile client has sent already, without calling JavaScript for it. The caller ends the connection; it cannot
 * be used again.
 *
 * A parser that has read 64 KiB calls back for everything in them, also when the socket was destroyed meanwhile: ten
 * thousand chunks of one byte take 12 ms, two thousand requests more, and the sockets that are ready in one turn of the
 * event loop are read one after the other. Without its callbacks the parser skips the same in less than half a millisecond.
 */
export function abandonInput(socket: Socket & { readonly parser?: CallbackParser | null }): void {
  const { parser } = socket
  if (parser === undefined || parser === null) return
  const removed = CALLBACKS.flatMap((name) => {
    const at = parser.constructor[name]
    if (typeof at !== 'number' || typeof parser[at] !== 'function') return []
    const callback = parser[at]
    parser[at] = undefined
    return [[at, callback] as const]
  })
  // Node reuses the parsers of closed connections.
  socket.once('close', () => {
    for (const [at, callback] of removed) parser[at] = callback
  })
}

/** The descriptor of a socket that listens; undefined where Node does not tell it, as on Windows. */
export function descriptorOf(server: Server): number | undefined {
  return (server as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd
}

/** Lets a client that closes its sending half after the request wait for the response. */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}
