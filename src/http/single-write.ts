/**
 * Sends a response of several parts in one write of one buffer.
 *
 * Node gives several parts to writev, which costs about 4 µs more than one write; copying 64 KiB costs less. The buffer is
 * used again immediately where the kernel has taken all of it, as it does unless a client reads too slowly.
 */
import type { ServerResponse } from 'node:http'
import { content, type TextPart } from '../base/text-parts.ts'
import { markHeaderSent, unsentHeader } from './node-internals.ts'

/**
 * Bytes of the buffers, of which the smallest that holds the response is taken: what the kernel leaves keeps all of its
 * buffer, and no more than four times its bytes.
 */
const BUFFER_BYTES = [1, 4, 16, 64].map((kib) => kib * 1024)

/**
 * Returns a function that ends a response with these parts, whose header block is rendered and not sent. Returns false
 * where it cannot, and has done nothing then: too many bytes, TLS, or an earlier response of the connection that is not read.
 */
export function createSingleWrite() {
  const buffers = BUFFER_BYTES.map((bytes) => Buffer.allocUnsafeSlow(bytes))
  return (response: ServerResponse, parts: readonly TextPart[], bytes: number): boolean => {
    const { socket } = response
    const header = unsentHeader(response)
    if (socket === null || header === undefined) return false
    // What is not read of many short responses must not keep a buffer for each. TLS ends a write in a later turn.
    if (socket.writableLength > 0 || 'encrypted' in socket) return false
    const index = BUFFER_BYTES.findIndex((size) => header.length + bytes <= size)
    const buffer = buffers[index]
    if (buffer === undefined) return false
    let at = buffer.write(header, 'latin1')
    for (const part of parts) at += put(buffer, content(part), at)
    markHeaderSent(response)
    response.end(buffer.subarray(0, at))
    // What the kernel has not taken is still read from there.
    if (socket.writableLength > 0) buffers[index] = Buffer.allocUnsafeSlow(buffer.length)
    return true
  }
}

function put(buffer: Buffer, part: string | Uint8Array, at: number): number {
  if (typeof part === 'string') return buffer.write(part, at)
  buffer.set(part, at)
  return part.length
}
