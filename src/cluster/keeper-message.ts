/** The form of a request with writes to the keeper, and of its response: a path that names the run of the keeper and the body, and parts. */
import { createHash } from 'node:crypto'
import { WRITES_PATH } from './peer-requests.ts'

/** Of one request. */
export const WRITES_MAX = 64
export const WRITES_BYTES_MAX = 1024 * 1024

/** Of a part, ahead of it. */
export const LENGTH_BYTES = 4

/** The path of a request with writes: good for one run of the keeper, as another has forgotten what came, and one body. */
export function writesPath(startedAt: number, body: Uint8Array): string {
  return `${WRITES_PATH}${startedAt}/${bodyHash(body)}`
}

export function bodyHash(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}

/** Each part behind its length. */
export function joinParts(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32BE(part.length)
      return [length, part]
    }),
  )
}

/** Undefined where the bytes are not whole parts, or more than `count`. */
export function splitParts(bytes: Buffer, count: number): readonly Buffer[] | undefined {
  const parts: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    if (parts.length === count || at + LENGTH_BYTES > bytes.length) return undefined
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    parts.push(bytes.subarray(at + LENGTH_BYTES, end))
    at = end
  }
  return parts
}
