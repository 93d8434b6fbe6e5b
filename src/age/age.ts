/**
 * Encrypts and decrypts streams in the format of age (age-encryption.org/v1, described at https://c2sp.org/age), so that
 * `age -d` reads them without this program. The payload is a STREAM of chunks under ChaCha20-Poly1305, each with its number and
 * whether it is the last in its nonce: a stream that was cut off, or whose chunks were moved, is found out.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { byteSource, type Bytes } from '../base/byte-source.ts'
import { NONCE_BYTES, open, seal, TAG_BYTES } from './age-cipher.ts'
import { damaged, readHeader, writeHeader } from './age-header.ts'
import type { AgeIdentity, AgeRecipient } from './age-keys.ts'
import { FILE_KEY_BYTES, unwrapFileKey, wrapFileKey } from './age-stanzas.ts'

const CHUNK_BYTES = 64 * 1024
const SALT_BYTES = 16
const KEY_BYTES = 32

/** The file for all recipients, one at least; a passphrase stands alone. */
export async function* encryptAge(recipients: readonly AgeRecipient[], plain: Bytes): AsyncGenerator<Buffer> {
  const isMixed = recipients.length > 1 && recipients.some(({ kind }) => kind === 'passphrase')
  if (recipients.length === 0 || isMixed) throw new Error('Expected recipients, or one passphrase')
  const fileKey = randomBytes(FILE_KEY_BYTES)
  const salt = randomBytes(SALT_BYTES)
  const stanzas = []
  for (const recipient of recipients) stanzas.push(await wrapFileKey(fileKey, recipient))
  yield Buffer.concat([writeHeader(stanzas, fileKey), salt])
  const key = payloadKey(fileKey, salt)
  const source = byteSource(plain)
  try {
    let chunk = await source.read(CHUNK_BYTES)
    for (let number = 0; ; number++) {
      // Only looking further tells whether a whole chunk is the last one.
      const next = chunk.length < CHUNK_BYTES ? undefined : await source.read(CHUNK_BYTES)
      const isLast = next === undefined || next.length === 0
      yield seal(key, nonceOf(number, isLast), chunk)
      if (isLast) return
      chunk = next
    }
  } finally {
    await source.close()
  }
}

/** The content, chunk by chunk as each is verified. Throws an AgeError: then what came before may be an incomplete file. */
export async function* decryptAge(identities: readonly AgeIdentity[], sealed: Bytes): AsyncGenerator<Buffer> {
  const source = byteSource(sealed)
  try {
    const { stanzas, verify } = await readHeader(source)
    const fileKey = await unwrapFileKey(stanzas, identities)
    verify(fileKey)
    const salt = await source.read(SALT_BYTES)
    if (salt.length < SALT_BYTES) throw damaged('it is cut off')
    const key = payloadKey(fileKey, salt)
    let chunk = await source.read(CHUNK_BYTES + TAG_BYTES)
    for (let number = 0; ; number++) {
      const next = chunk.length < CHUNK_BYTES + TAG_BYTES ? undefined : await source.read(CHUNK_BYTES + TAG_BYTES)
      const isLast = next === undefined || next.length === 0
      const plain = open(key, nonceOf(number, isLast), chunk)
      // A last chunk without content is that of an empty file only.
      if (plain === undefined || (plain.length === 0 && number > 0)) throw damaged('it was changed, or is cut off')
      yield plain
      if (isLast) return
      chunk = next
    }
  } finally {
    await source.close()
  }
}

/** Eleven bytes that count the chunks, and one that says whether it is the last. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(number, 5, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

function payloadKey(fileKey: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', fileKey, salt, 'payload', KEY_BYTES))
}
