/** ChaCha20-Poly1305 (RFC 8439) as age uses it: the tag stands behind the text, and nothing else is authenticated. */
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const TAG_BYTES = 16
export const NONCE_BYTES = 12
const CIPHER = 'chacha20-poly1305'

/** One key may seal several texts only under different nonces. */
export function seal(key: Buffer, nonce: Buffer, text: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** Undefined for what was not sealed by this key and nonce. */
export function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined
  try {
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()])
  } catch {
    return undefined
  }
}
