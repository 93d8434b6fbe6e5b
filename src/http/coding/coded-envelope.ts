/**
 * The success envelope in two parts: `{"data":…` as bytes that may be kept and sent many times, and the rest with the id
 * and the time of each request.
 *
 * Compressed, the first part ends with a flush: on a byte boundary, and not with the last block. The rest follows in a
 * block that holds it as it is, so that a response of kept bytes costs no compression, whatever the coding.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, gzip, zstdCompress } from 'node:zlib'
import { assertNever } from '../../base/failure.ts'
import { content, type TextPart } from '../../base/text-parts.ts'
import type { Coding } from '../request/accept-encoding.ts'

/** The first part of an envelope, in one coding. */
export interface EnvelopeStart {
  /** Undefined for bytes that are not compressed. */
  readonly coding: Coding | undefined
  readonly bytes: Buffer
  /** What the trailer of gzip wants to know of the uncompressed bytes. */
  readonly plain: { readonly length: number; readonly crc: number }
}

/** `once` for bytes that are sent to one client, `kept` for those that are sent to many. */
export type Effort = 'once' | 'kept'

const GZIP_LEVEL: Readonly<Record<Effort, number>> = { once: 1, kept: 6 }
const BROTLI_QUALITY: Readonly<Record<Effort, number>> = { once: 2, kept: 5 }
const ZSTD_LEVEL: Readonly<Record<Effort, number>> = { once: 1, kept: 6 }
const NO_TRAILER = { length: 0, crc: 0 }
/** How far back a match may lie, as a power of two: no farther than the text is long, and 1 MiB at most. */
const WINDOW_BITS = { min: 10, max: 20 }
/** A block of zstd may not be longer than its window (RFC 8878 section 3.1.1.2.4). */
const REST_BYTES_MAX = 2 ** WINDOW_BITS.min

/** The first part for JSON, uncompressed. */
export function envelopeStart(data: string | readonly TextPart[]): EnvelopeStart {
  const parts = ['{"data":', ...(typeof data === 'string' ? [data] : data)]
  const chunks = parts.map(content).map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  return { coding: undefined, bytes: ownBytes(chunks), plain: NO_TRAILER }
}

/** The same, compressed in a thread of libuv. */
export async function compressStart({ bytes }: EnvelopeStart, coding: Coding, effort: Effort): Promise<EnvelopeStart> {
  const compressed = await compress(bytes, coding, effort)
  const plain = coding === 'gzip' ? { length: bytes.length, crc: crc32(bytes) } : NO_TRAILER
  return { coding, bytes: ownBytes([compressed]), plain }
}

/** Memory of its own: bytes that are kept must not keep a block of node that holds others, or that is mostly empty. */
function ownBytes(chunks: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function compress(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  const windowBits = Math.min(Math.max(WINDOW_BITS.min, Math.ceil(Math.log2(bytes.length + 1))), WINDOW_BITS.max)
  switch (coding) {
    case 'gzip':
      return promisify(gzip)(bytes, { level: GZIP_LEVEL[effort], finishFlush: constants.Z_SYNC_FLUSH })
    case 'br':
      return promisify(brotliCompress)(bytes, {
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort],
          [constants.BROTLI_PARAM_LGWIN]: windowBits,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      })
    case 'zstd':
      // The frame must tell neither its size nor a checksum: both would be those of the first part alone.
      return promisify(zstdCompress)(bytes, {
        finishFlush: constants.ZSTD_e_flush,
        params: {
          [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL[effort],
          [constants.ZSTD_c_windowLog]: windowBits,
          [constants.ZSTD_c_contentSizeFlag]: 0,
          [constants.ZSTD_c_checksumFlag]: 0,
        },
      })
    default:
      return assertNever(coding)
  }
}

/** What follows the first part and ends the body; `rest` is of ASCII, and at most REST_BYTES_MAX long, and so is a text. */
export function endEnvelope({ coding, plain }: EnvelopeStart, rest: string): Buffer | string {
  if (rest.length === 0 || rest.length > REST_BYTES_MAX) throw new Error(`The rest has ${rest.length} bytes`)
  switch (coding) {
    case undefined:
      return rest
    case 'gzip':
      return endOfGzip(rest, plain)
    case 'br':
      return endOfBrotli(rest)
    case 'zstd':
      return endOfZstd(rest)
    default:
      return assertNever(coding)
  }
}

/**
 * The last block, stored: BFINAL 1, BTYPE 00 and padding, LEN, NLEN, the bytes (RFC 1951 section 3.2.4); then CRC32 and
 * ISIZE of all uncompressed bytes (RFC 1952 section 2.3.1).
 */
function endOfGzip(rest: string, plain: EnvelopeStart['plain']): Buffer {
  const { length } = rest
  const end = Buffer.allocUnsafe(5 + length + 8)
  end[0] = 1
  end.writeUInt16LE(length, 1)
  end.writeUInt16LE(~length & 0xffff, 3)
  end.write(rest, 5, 'latin1')
  end.writeUInt32LE(crc32(end.subarray(5, 5 + length), plain.crc), 5 + length)
  end.writeUInt32LE((plain.length + length) % 2 ** 32, 9 + length)
  return end
}

/**
 * A meta-block that is not the last: ISLAST 0, MNIBBLES 4 as 00, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1, padding, the
 * bytes; then an empty last one: ISLAST 1, ISLASTEMPTY 1 (RFC 7932 section 9.2).
 */
function endOfBrotli(rest: string): Buffer {
  const { length } = rest
  const end = Buffer.allocUnsafe(3 + length + 1)
  end.writeUIntLE(((length - 1) << 3) | (1 << 19), 0, 3)
  end.write(rest, 3, 'latin1')
  end[3 + length] = 3
  return end
}

/** The last block, of raw bytes: Last_Block 1, Block_Type 0, Block_Size in 21 bits (RFC 8878 section 3.1.1.2). */
function endOfZstd(rest: string): Buffer {
  const { length } = rest
  const end = Buffer.allocUnsafe(3 + length)
  end.writeUIntLE((length << 3) | 1, 0, 3)
  end.write(rest, 3, 'latin1')
  return end
}
