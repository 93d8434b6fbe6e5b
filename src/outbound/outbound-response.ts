/**
 * One request to another server, and its response: the head, and the body where the caller wants it. All that a server
 * may send is bounded: headers, interim responses, bytes on the wire and bytes after decompression.
 */
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import { decodeContent } from './content-coding.ts'
import { responseError } from './outbound-advice.ts'
import { OutboundError } from './outbound-error.ts'

const HEAD_BYTES_MAX = 32 * 1024
const HEADERS_MAX = 200
/** Responses before the response, such as 103 (RFC 9110 section 15.2). */
const INTERIM_MAX = 10
/** Of a body: each costs as much time as a kilobyte does. */
const PIECES_MAX = 50_000

export interface ResponseLimits {
  /** Head and body as they are sent, compressed or not. */
  readonly wireBytes: number
  readonly unpackedBytes: number
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Decompressed; undefined where it was not wanted, and not read. */
  readonly body?: Buffer
}

export interface OutboundRequest {
  readonly host: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** In pieces, as fast as they come: its length is in the headers. */
  readonly body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined
  /** The target in the request line: a path, or the whole address for a proxy. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly limits: ResponseLimits
  readonly wantsBody: (status: number) => boolean
}

/** Sends a request over the socket, and destroys it afterwards. Rejects with an OutboundError. */
export async function exchangeOver(socket: Socket, asked: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
  const stop = (): void => void socket.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    const { status, headers, body } = await received(socket, asked)
    if (body === undefined) return { status, headers }
    return { status, headers, body: await decodeContent(body, headers['content-encoding'], asked.limits.unpackedBytes) }
  } catch (error) {
    throw signal.aborted ? signal.reason : responseError(error, asked.host)
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
}

/** The response as it was sent. Every listener is there before the next event: a fault may come in the packet of the head. */
function received(socket: Socket, { host, method, target, headers, body, limits, wantsBody }: OutboundRequest): Promise<OutboundResponse> {
  const name = JSON.stringify(host)
  return new Promise((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      method,
      path: target,
      headers,
      maxHeaderSize: HEAD_BYTES_MAX,
    })
    asking.maxHeadersCount = HEADERS_MAX
    let [interim, hasBegun] = [0, false]
    asking.on('information', () => {
      if (++interim <= INTERIM_MAX) return
      asking.destroy(new OutboundError('protocol', `${name} sends interim responses without end: its administrator has to correct it`))
    })
    asking.once('response', (response) => {
      hasBegun = true
      const { statusCode: status = 0, headers } = response
      if (!wantsBody(status)) return resolve({ status, headers })
      const tooLarge = (): void =>
        reject(new OutboundError('too-large', `The response of ${name} is longer than ${limits.wireBytes} bytes: use an address with fewer items`))
      if (Number(headers['content-length']) > limits.wireBytes) return tooLarge()
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => {
        // Framing counts as well: each byte of a body could come with a chunk extension.
        if (socket.bytesRead > limits.wireBytes) tooLarge()
        else if (chunks.push(chunk) > PIECES_MAX) {
          reject(new OutboundError('protocol', `${name} sends its response in more than ${PIECES_MAX} pieces: its administrator has to correct it`))
        }
      })
      response.once('end', () => resolve({ status, headers, body: Buffer.concat(chunks) }))
      // The request has the reason, if there is one beyond the end of the connection.
      response.on('error', () => {})
      response.once('close', () =>
        reject(new OutboundError('truncated', `The response of ${name} ended before it was complete: the service retries by itself`)),
      )
    })
    asking.once('upgrade', () => reject(new OutboundError('protocol', `${name} switched to a protocol that nothing asked for: check the address`)))
    // A fault of the framing is reported here, before the body knows that the connection has ended.
    asking.on('error', reject)
    asking.once('close', () => {
      if (!hasBegun) reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    })
    if (body === undefined) asking.end()
    else void writeBody(asking, body).catch(reject)
  })
}

/** Writes a body as fast as the server takes it; ends early where the server has closed the connection, or its own response. */
async function writeBody(asking: ClientRequest, body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of body) {
    if (asking.destroyed) return
    if (asking.write(piece)) continue
    await new Promise<void>((resolve) => {
      const go = (): void => {
        asking.off('drain', go).off('close', go)
        resolve()
      }
      asking.on('drain', go).on('close', go)
    })
  }
  asking.end()
}
