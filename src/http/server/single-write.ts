/**
 * Sends a response of several parts in one write of one buffer.
 *
 * Node gives several parts to writev, which costs about 4 µs more than one write; copying 64 KiB costs less. The buffer is
 * used again at once where the kernel has taken all of it, as it does unless a client reads too slowly.
 */
import type { ServerResponse } from 'node:http'
import { content, type TextPart } from '../../base/text-parts.ts'

/** With the header block. */
const BYTES_MAX = 64 * 1024

/** What Node's ServerResponse has beside its public members; see response-head.ts. */
interface Internals {
  readonly _header: string | null
  _headerSent: boolean
}

/**
 * Returns a function that ends a response with these parts, whose header block is rendered and not sent. Returns false
 * where it cannot, and has done nothing then: too many bytes, or an earlier response of the connection that is not read.
 */
export function createSingleWrite() {
  let buffer = Buffer.allocUnsafeSlow(BYTES_MAX)
  return (serverResponse: ServerResponse, parts: readonly TextPart[], bytes: number): boolean => {
    const response = serverResponse as ServerResponse & Internals
    const { socket, _header: header } = response
    if (socket === null || typeof header !== 'string' || response._headerSent) return false
    if (header.length + bytes > BYTES_MAX) return false
    let at = buffer.write(header, 'latin1')
    for (const part of parts) at += put(buffer, content(part), at)
    response._headerSent = true
    response.end(buffer.subarray(0, at))
    // What the kernel has not taken is still read from there.
    if (socket.writableLength > 0) buffer = Buffer.allocUnsafeSlow(BYTES_MAX)
    return true
  }
}

function put(buffer: Buffer, part: string | Uint8Array, at: number): number {
  if (typeof part === 'string') return buffer.write(part, at)
  buffer.set(part, at)
  return part.length
}
