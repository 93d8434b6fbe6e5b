/**
 * Content codings of responses (RFC 9110 section 8.4.1): gzip, deflate, br (RFC 7932) and zstd (RFC 8878). Decompression
 * stops at a number of bytes, so that a body of a few kilobytes cannot take gigabytes of memory.
 */
import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { describe } from '../base/failure.ts'
import { errorCode } from '../base/system-error.ts'
import { OutboundError } from './outbound-error.ts'

/** The value of Accept-Encoding. */
export const CODINGS_ACCEPTED = 'gzip, br, zstd, deflate'
/** RFC 9659: a window of 8 MB is the most that a sender may ask of us. */
const ZSTD_WINDOW_BITS_MAX = 23

interface DecoderOptions {
  readonly maxOutputLength: number
}
type Decoder = (bytes: Buffer, options: DecoderOptions) => Promise<Buffer>

const [unzip, unbrotli, unzlib, unraw, unzstd] = [promisify(gunzip), promisify(brotliDecompress), promisify(inflate), promisify(inflateRaw), promisify(zstdDecompress)]

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: unbrotli,
  zstd: (bytes, options) =>
    unzstd(bytes, { ...options, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_BITS_MAX } }),
  // Many servers send it without the wrapper of zlib. The first byte of one has 8 in its low half (RFC 1950 section 2.2).
  deflate: (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? unzlib : unraw)(bytes, options),
}

/** The body without its coding. Rejects with an OutboundError: for a coding that nothing asked for, a damaged body, and one past `bytesMax`. */
export async function decodeContent(bytes: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  const codings = (encoding ?? '').toLowerCase().split(',').map((one) => one.trim()).filter((one) => one !== '' && one !== 'identity')
  const [coding] = codings
  if (coding === undefined || bytes.length === 0) return bytes
  const decode = codings.length === 1 && Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
  if (decode === undefined) {
    throw new OutboundError('coding', `The response has the Content-Encoding ${describe(encoding)}, expected one of ${CODINGS_ACCEPTED}: its administrator has to correct it`)
  }
  try {
    return await decode(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new OutboundError('too-large', `The response is longer than ${bytesMax} bytes when decompressed: use an address with fewer items`, error)
    }
    throw new OutboundError('coding', `The response says that it is compressed with ${coding}, but is not, or is damaged: its administrator has to correct it`, error)
  }
}
