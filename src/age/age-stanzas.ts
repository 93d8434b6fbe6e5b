/** How the file key is wrapped: for an X25519 recipient, or with a passphrase by scrypt (RFC 7914). */
import { diffieHellman, generateKeyPairSync, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { NONCE_BYTES, open, seal, TAG_BYTES } from './age-cipher.ts'
import { AgeError } from './age-error.ts'
import { base64, damaged, unbase64, type Stanza } from './age-header.ts'
import { publicBytes, publicKeyOf, type AgeIdentity, type AgeRecipient } from './age-keys.ts'

export const FILE_KEY_BYTES = 16
const KEY_BYTES = 32
const SALT_BYTES = 16
const X25519_INFO = 'age-encryption.org/v1/X25519'
const SCRYPT_INFO = 'age-encryption.org/v1/scrypt'
const LOG_N = 18
/** A file may ask for more memory than the machine has: 22 is 4 GiB. */
const LOG_N_MAX = 20
/** A key wraps one file key only, so that the nonce may be 0. */
const NO_NONCE = Buffer.alloc(NONCE_BYTES)

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

export async function wrapFileKey(fileKey: Uint8Array, recipient: AgeRecipient): Promise<Stanza> {
  if (recipient.kind === 'passphrase') {
    const [salt, { passphrase, logN = LOG_N }] = [randomBytes(SALT_BYTES), recipient]
    const body = seal(await scryptKey(passphrase, salt, logN), NO_NONCE, fileKey)
    return { type: 'scrypt', args: [base64(salt), String(logN)], body }
  }
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  const share = publicBytes(publicKey)
  const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(recipient.recipient) })
  return { type: 'X25519', args: [base64(share)], body: seal(x25519Key(shared, share, recipient.recipient), NO_NONCE, fileKey) }
}

/** The file key that one of the identities opens. Throws an AgeError. */
export async function unwrapFileKey(stanzas: readonly Stanza[], identities: readonly AgeIdentity[]): Promise<Buffer> {
  const isByPassphrase = stanzas.some(({ type }) => type === 'scrypt')
  // Else a file for a recipient could be opened with a passphrase that its author has added.
  if (isByPassphrase && stanzas.length > 1) throw damaged('a passphrase stands beside other recipients')
  for (const identity of identities) {
    for (const stanza of stanzas) {
      const fileKey = identity.kind === 'passphrase' ? await openScrypt(stanza, identity) : openX25519(stanza, identity)
      if (fileKey !== undefined) return fileKey
    }
  }
  if (isByPassphrase) {
    const hasPassphrase = identities.some(({ kind }) => kind === 'passphrase')
    throw new AgeError(hasPassphrase ? 'The passphrase is not that of the file' : 'The file is encrypted with a passphrase, not for a key')
  }
  throw new AgeError('The file is encrypted for other keys: name the identity file that was made for this place')
}

function openX25519({ type, args, body }: Stanza, { secret, recipient }: AgeIdentity & { kind: 'x25519' }): Buffer | undefined {
  if (type !== 'X25519') return undefined
  const share = unbase64(args[0] ?? '')
  if (args.length !== 1 || share?.length !== KEY_BYTES || body.length !== FILE_KEY_BYTES + TAG_BYTES) throw damaged('an X25519 stanza is malformed')
  let shared: Buffer
  try {
    shared = diffieHellman({ privateKey: secret, publicKey: publicKeyOf(share) })
  } catch {
    // A point of low order (RFC 7748 section 6.1).
    throw damaged('an X25519 stanza is malformed')
  }
  return open(x25519Key(shared, share, recipient), NO_NONCE, body)
}

async function openScrypt({ type, args, body }: Stanza, { passphrase }: AgeIdentity & { kind: 'passphrase' }): Promise<Buffer | undefined> {
  if (type !== 'scrypt') return undefined
  const [saltText = '', logText = ''] = args
  const salt = unbase64(saltText)
  const isWhole = args.length === 2 && salt?.length === SALT_BYTES && /^[1-9]\d?$/.test(logText) && body.length === FILE_KEY_BYTES + TAG_BYTES
  if (!isWhole) throw damaged('a scrypt stanza is malformed')
  if (Number(logText) > LOG_N_MAX) throw new AgeError(`The passphrase of the file needs a work factor of ${logText}: at most ${LOG_N_MAX} is read`)
  return open(await scryptKey(passphrase, salt, Number(logText)), NO_NONCE, body)
}

function x25519Key(shared: Uint8Array, share: Uint8Array, recipient: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([share, recipient]), X25519_INFO, KEY_BYTES))
}

function scryptKey(passphrase: string, salt: Buffer, logN: number): Promise<Buffer> {
  const [N, r] = [2 ** logN, 8]
  return derive(passphrase, Buffer.concat([Buffer.from(SCRYPT_INFO), salt]), KEY_BYTES, { N, r, p: 1, maxmem: 128 * r * N + 1024 * 1024 })
}
