/** Objects as they leave the machine: compressed by zstd (RFC 8878), encrypted for age, and hashed on the way. */
import { createHash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { decryptAge, encryptAge } from '../age/age.ts'
import { AgeError } from '../age/age-error.ts'
import type { AgeIdentity, AgeRecipient } from '../age/age-keys.ts'
import type { Bytes } from '../base/byte-source.ts'
import { errorCode } from '../base/system-error.ts'
import { damagedArchive } from './tar.ts'

/** What is decompressed may ask for a window of this size at most. */
const WINDOW_BITS_MAX = 27

export function sealObject(recipients: readonly AgeRecipient[], plain: Bytes): AsyncGenerator<Buffer> {
  const checked = { [constants.ZSTD_c_checksumFlag]: 1 }
  return encryptAge(recipients, through(plain, createZstdCompress({ params: checked })))
}

/** Throws a PlaceError or an AgeError. What came before an error may be incomplete. */
export async function* openObject(identities: readonly AgeIdentity[], sealed: Bytes): AsyncGenerator<Uint8Array> {
  try {
    yield* through(decryptAge(identities, sealed), createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_BITS_MAX } }))
  } catch (error) {
    if (error instanceof AgeError || !/^(?:ZSTD_|Z_|ERR_BUFFER)/.test(errorCode(error))) throw error
    throw damagedArchive('it is not compressed by zstd')
  }
}

/** Passes bytes on, and knows their number and their SHA-256 in hexadecimal when they have gone by. */
export function measured(content: Bytes): { readonly content: AsyncGenerator<Uint8Array>; bytes(): number; sha256(): string } {
  const hash = createHash('sha256')
  let bytes = 0
  const pass = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  return { content: pass(), bytes: () => bytes, sha256: () => hash.copy().digest('hex') }
}

/** Either end may fail or be left early: the other is then closed as well. */
async function* through(source: Bytes, transform: Transform): AsyncGenerator<Buffer> {
  pipeline(Readable.from(source), transform, () => {})
  yield* transform as AsyncIterable<Buffer>
}
