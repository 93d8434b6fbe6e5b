/**
 * An earlier text of a document, compressed by zstd (RFC 8878) with the text that replaced it as dictionary: a change
 * concerns `updatedAt` and a few other members, so a version of 2 KB takes some tens of bytes. Without a later text, it
 * is compressed by itself. The first byte says which.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const [BY_ITSELF, BY_LATER] = [0, 1]
/** Far more than a document has: what a damaged file claims to hold is not unpacked. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024

/** What unpackText() makes the earlier text from. */
export function packText(earlier: Uint8Array, later?: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(earlier, later === undefined ? {} : { dictionary: later })
  return Buffer.concat([Buffer.of(later === undefined ? BY_ITSELF : BY_LATER), packed])
}

/** The earlier text. Throws where it is damaged, or lacks the later text by which it is packed. */
export function unpackText(packed: Uint8Array, later?: Uint8Array): Uint8Array {
  if (isWhole(packed)) return zstdDecompressSync(packed.subarray(1), { maxOutputLength: TEXT_BYTES_MAX })
  if (packed[0] !== BY_LATER || later === undefined) throw new Error('An earlier text lacks the text that replaced it')
  return zstdDecompressSync(packed.subarray(1), { maxOutputLength: TEXT_BYTES_MAX, dictionary: later })
}

/** Whether a packed text needs no later one. */
export function isWhole(packed: Uint8Array): boolean {
  return packed[0] === BY_ITSELF
}
