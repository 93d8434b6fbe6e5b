/**
 * The success envelope in two parts: `{"data":…` as bytes that may be kept and sent many times, and the rest with the id
 * and the time of each request.
 *
 * Compressed with gzip (RFC 1952), the first part ends with a flush: on a byte boundary, and not with the last block. The rest
 * follows in a block that holds it as it is, so that a response of kept bytes costs no compression.
 */
import { promisify } from 'node:util'
import { constants, crc32, gzip } from 'node:zlib'
import { content, type TextPart } from '../base/text-parts.ts'

/** The first part of an envelope. */
export interface EnvelopeStart {
  readonly bytes: Buffer
  /** What the trailer of gzip wants to know of the uncompressed bytes; undefined for bytes that are not compressed. */
  readonly gzipped: { readonly length: number; readonly crc: number } | undefined
}

/** `once` for bytes that are sent to one client, `kept` for those that are sent to many. */
export type Effort = 'once' | 'kept'

const LEVEL: Readonly<Record<Effort, number>> = { once: 1, kept: 6 }
/** A stored block has at most this many bytes (RFC 1951 section 3.2.4). */
const REST_BYTES_MAX = 65_535

/** The first part for JSON, uncompressed. */
export function envelopeStart(data: string | readonly TextPart[]): EnvelopeStart {
  const parts = ['{"data":', ...(typeof data === 'string' ? [data] : data)]
  const chunks = parts.map(content).map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  return { bytes: ownBytes(chunks), gzipped: undefined }
}

/** The same, compressed in a thread of libuv. */
export async function compressStart({ bytes }: EnvelopeStart, effort: Effort): Promise<EnvelopeStart> {
  const compressed = await promisify(gzip)(bytes, { level: LEVEL[effort], finishFlush: constants.Z_SYNC_FLUSH })
  return { bytes: ownBytes([compressed]), gzipped: { length: bytes.length, crc: crc32(bytes) } }
}

/** Memory of its own: bytes that are kept must not keep a block of node that holds others, or that is mostly empty. */
export function ownBytes(chunks: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/**
 * What follows the first part and ends the body; `rest` is of ASCII. With gzip, the last block, stored: BFINAL 1, BTYPE 00 and
 * padding, LEN, NLEN, the bytes (RFC 1951 section 3.2.4); then CRC32 and ISIZE of all uncompressed bytes (RFC 1952 section
 * 2.3.1).
 */
export function endEnvelope({ gzipped }: EnvelopeStart, rest: string): Buffer | string {
  if (gzipped === undefined) return rest
  const { length } = rest
  if (length > REST_BYTES_MAX) throw new Error(`The rest has ${length} bytes`)
  const end = Buffer.allocUnsafe(5 + length + 8)
  end[0] = 1
  end.writeUInt16LE(length, 1)
  end.writeUInt16LE(~length & 0xffff, 3)
  end.write(rest, 5, 'latin1')
  end.writeUInt32LE(crc32(end.subarray(5, 5 + length), gzipped.crc), 5 + length)
  end.writeUInt32LE((gzipped.length + length) % 2 ** 32, 9 + length)
  return end
}
