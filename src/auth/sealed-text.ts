/**
 * Texts that only the server can read, such as a code in the outbox or a secret among the settings: a copy of the database
 * without the secrets of the server reveals none. AES-256-GCM (NIST SP 800-38D) with a random nonce: nonce, tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `about` is authenticated with it: a text that was sealed about one thing cannot be opened as one about another. */
export function sealText(key: Buffer, text: string, about = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
  const content = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), content])
}

/** Undefined where it was sealed with another key, as after a change of the secret, or is damaged. */
export function openText(key: Buffer, sealed: Uint8Array, about = ''): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const content = sealed.subarray(NONCE_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
