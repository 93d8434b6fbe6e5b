/** A body without an envelope that is kept in memory, and its compressed forms, each of which is added when a client asks for it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Coding } from './accept-encoding.ts'
import { ownBytes, type Effort } from './coded-envelope.ts'

export interface KeptBody {
  readonly type: string
  readonly body: Uint8Array
  /** In the form of HTTP; see RFC 9110 section 8.8.2. */
  readonly lastModified: string
  readonly coded: { [coding in Coding]?: Uint8Array | Promise<Uint8Array | undefined> | undefined }
  /** `kept` for a body that is sent to many clients. */
  readonly effort: Effort
  /** Called with the bytes of each form that is added. */
  readonly onGrowth: (bytes: number) => void
}

/** The quality of brotli, and the level of gzip. */
const QUALITY: Readonly<Record<Effort, number>> = { once: 3, kept: 8 }
const LEVEL: Readonly<Record<Effort, number>> = { once: 1, kept: 8 }

/** The body in a coding, compressed in a thread of libuv, in memory of its own. */
export async function compressBody(body: Uint8Array, coding: Coding, effort: Effort): Promise<Uint8Array> {
  if (coding === 'gzip') return ownBytes([await promisify(gzip)(body, { level: LEVEL[effort] })])
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY[effort], [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  return ownBytes([await promisify(brotliCompress)(body, { params })])
}
