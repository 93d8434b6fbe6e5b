/**
 * Keys of age: an identity reads files, its recipient is enough to write them. They are X25519 keys (RFC 7748) in Bech32. An
 * identity file has one identity a line, and comments behind `#`, as age-keygen writes it; a recipients file has recipients.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { AgeError } from './age-error.ts'
import { decodeBech32, encodeBech32 } from './bech32.ts'

const RECIPIENT_PREFIX = 'age'
const IDENTITY_PREFIX = 'age-secret-key-'
const KEY_BYTES = 32
const LINES_MAX = 100
/** What stands before the key in PKCS #8 and SubjectPublicKeyInfo (RFC 8410). */
const SECRET_DER = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex')

export type AgeIdentity =
  | { readonly kind: 'x25519'; readonly secret: KeyObject; readonly recipient: Buffer }
  | { readonly kind: 'passphrase'; readonly passphrase: string }

export type AgeRecipient =
  | { readonly kind: 'x25519'; readonly recipient: Buffer }
  | { readonly kind: 'passphrase'; readonly passphrase: string; /** Of scrypt; 18 takes about a second. */ readonly logN?: number }

export function newIdentity(): { readonly identity: string; readonly recipient: string } {
  const { privateKey } = generateKeyPairSync('x25519')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES)
  return {
    identity: encodeBech32(IDENTITY_PREFIX, secret).toUpperCase(),
    recipient: encodeBech32(RECIPIENT_PREFIX, publicBytes(createPublicKey(privateKey))),
  }
}

/** Reads `age1…`. Throws an AgeError; an identity in its place is not shown. */
export function parseRecipient(text: string): AgeRecipient {
  const read = decodeBech32(text)
  if (read?.prefix === IDENTITY_PREFIX) {
    throw new AgeError('Expected a recipient of age (age1…), found a secret key: name the line "public key" of its file')
  }
  if (read?.prefix !== RECIPIENT_PREFIX || read.bytes.length !== KEY_BYTES) {
    throw new AgeError(`Expected a recipient of age (age1… with 62 characters), found ${JSON.stringify(text.slice(0, 80))}`)
  }
  return { kind: 'x25519', recipient: read.bytes }
}

/** Reads `AGE-SECRET-KEY-1…`. Throws an AgeError without the text. */
export function parseIdentity(text: string): AgeIdentity {
  const read = decodeBech32(text)
  if (read?.prefix !== IDENTITY_PREFIX || read.bytes.length !== KEY_BYTES || text !== text.toUpperCase()) {
    const found = read?.prefix === RECIPIENT_PREFIX ? 'a recipient, which can only encrypt' : 'another text, or one with a typing error'
    throw new AgeError(`Expected an identity of age (AGE-SECRET-KEY-1… with 74 characters), found ${found}`)
  }
  const secret = createPrivateKey({ key: Buffer.concat([SECRET_DER, read.bytes]), format: 'der', type: 'pkcs8' })
  return { kind: 'x25519', secret, recipient: publicBytes(createPublicKey(secret)) }
}

/** All identities of a file. Throws an AgeError. */
export function parseIdentityFile(text: string): readonly AgeIdentity[] {
  return keyLines(text, 'identity').map(parseIdentity)
}

/** All recipients of a file. Throws an AgeError. */
export function parseRecipientsFile(text: string): readonly AgeRecipient[] {
  return keyLines(text, 'recipient').map(parseRecipient)
}

export function recipientText(recipient: Uint8Array): string {
  return encodeBech32(RECIPIENT_PREFIX, recipient)
}

/** The key of a recipient for node:crypto. */
export function publicKeyOf(recipient: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, recipient]), format: 'der', type: 'spki' })
}

export function publicBytes(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
}

function keyLines(text: string, what: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.length === 0) throw new AgeError(`Expected one ${what} of age a line, found none`)
  if (lines.length > LINES_MAX) throw new AgeError(`Expected at most ${LINES_MAX} lines with a key of age, found ${lines.length}`)
  return lines
}
