/**
 * Input that node's HTTP parser rejects, before there is a request to serve: bytes that are no HTTP, a header that is
 * too large, a client that is too slow, CONNECT. The client gets the same JSON as for every other error, written by
 * hand, and the connection ends.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fail, type Failure } from '../base/failure.ts'
import type { Log } from '../base/log.ts'
import type { Connection } from './connection.ts'
import { errorBody, JSON_TYPE, NOTHING_ALLOWED } from './response-writer.ts'
import type { ServerLimits } from './server-limits.ts'

/** What is still read from a connection after its input was rejected, so that the client gets to read why. */
const REJECTED_BYTES_MAX = 1024 * 1024

/** What the server knows about a connection and its responses. */
interface RejectionOptions {
  readonly limits: ServerLimits
  readonly instance: string
  /** The methods of all routes, as an `Allow` header names them. */
  readonly methods: string
  readonly newRequestId: () => string
  readonly log: Log
  readonly connectionOf: (socket: Socket) => Connection | undefined
  readonly clientAddressOf: (socket: Socket) => string
}

/** Returns the handlers of node's events `clientError` and `connect`. */
export function createInputRejection(options: RejectionOptions) {
  const { limits, instance, methods, newRequestId, log, connectionOf, clientAddressOf } = options

  function reject(connection: Connection, failure: Failure): void {
    const { socket } = connection
    if (!socket.writable) return
    const requestId = newRequestId()
    connection.isDone = true
    connection.rejectedAtByte = socket.bytesRead
    socket.end(responseText(failure, { requestId, instance }))
    if (failure.code === 'requestTimeout') socket.destroySoon()
    const { status, code, cause } = failure
    log.info('request.refused', { requestId, status, code, cause, client: clientAddressOf(socket) })
  }

  /** Calls back once the requests before have their responses, which come first. */
  function inTurn({ last }: Connection, then: () => void): void {
    if (last === undefined || last.serverResponse.writableFinished) then()
    else last.serverResponse.once('finish', then)
  }

  return {
    onClientError(error: NodeJS.ErrnoException, stream: Duplex): void {
      const socket = stream as Socket
      const connection = connectionOf(socket)
      if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
        socket.destroy()
        return
      }
      const { last, rejectedAtByte } = connection
      const failure = failureOf(error, limits)
      if (rejectedAtByte !== undefined) {
        // Node reports every further piece of a request that is rejected already.
        const isLate = failure.code === 'requestTimeout'
        if (isLate || socket.bytesRead - rejectedAtByte > REJECTED_BYTES_MAX) socket.destroy()
      } else if (last !== undefined && !last.request.complete) {
        // The body is late, malformed, or breaks off because the client left. The handler that reads it passes it on.
        if (last.serverResponse.headersSent || error.code === 'HPE_INVALID_EOF_STATE') socket.destroy()
        else last.interrupt(failure)
      } else {
        connection.rejectedAtByte = socket.bytesRead
        inTurn(connection, () => reject(connection, failure))
      }
    },
    /**
     * A tunnel is requested with an authority in place of a path, so no route can serve it. Node has taken its own
     * listeners from the socket before, and nothing more is read until the responses before are sent.
     */
    onConnect(_request: unknown, stream: Duplex): void {
      const socket = stream as Socket
      const connection = connectionOf(socket)
      socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy())
      if (connection === undefined) {
        socket.destroy()
        return
      }
      const message = 'Cannot CONNECT: this server is no proxy'
      inTurn(connection, () => {
        socket.resume()
        reject(connection, fail('methodNotAllowed', message, { headers: { Allow: methods } }))
        socket.destroySoon()
      })
    },
  }
}

/** The failure for the error of a `clientError` event. The parser's own message goes to the log only. */
function failureOf(error: NodeJS.ErrnoException, limits: ServerLimits): Failure {
  const options = { cause: error.code ?? error.message }
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return fail(
        'headersTooLarge',
        `Cannot take a request line and headers of this size: expected at most ${limits.headerBytesMax} bytes`,
        options,
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fail('payloadTooLarge', 'Cannot take chunk extensions of this size: expected none', options)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail(
        'requestTimeout',
        `Cannot wait any longer for the request: expected its headers within ${limits.headersMs / 1000} s ` +
          `and all of it within ${limits.requestMs / 1000} s`,
        options,
      )
    default:
      return fail('badRequest', 'Cannot read the request: it is not well-formed HTTP', options)
  }
}

/** The whole response as text, ASCII throughout. */
function responseText(
  failure: Failure,
  { requestId, instance }: { readonly requestId: string; readonly instance: string },
): string {
  const { status, headers } = failure
  const body = errorBody(failure)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    `X-Dateline-Instance: ${instance}`,
    'X-Content-Type-Options: nosniff',
    `Content-Security-Policy: ${NOTHING_ALLOWED}`,
    'Vary: Origin',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
