/**
 * How a new key reaches the other nodes through etcd, which must not learn it. Each node publishes a public key
 * (X25519, RFC 7748). The node that begins an epoch encrypts the new key for each of them: with AES-256-GCM, under a
 * key that HKDF (RFC 5869) derives from a Diffie-Hellman secret with a fresh key pair, salted with the key of the epoch
 * before.
 *
 * That salt does two things. An attacker who writes to etcd cannot give nodes a key of his own, nor get one by
 * publishing a public key: both take the key of the present epoch. And a wrapped key that is found later, in old files
 * of etcd, cannot be opened once the keys before it were destroyed, even with the private key of a node.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { DataDirError } from '../../store/db/data-dir.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

const [POINT_BYTES, KEY_BYTES, TAG_BYTES, NONCE_BYTES] = [32, 32, 16, 12]
const CIPHER = 'aes-256-gcm'
/** Each wrapping key encrypts one message: it is derived from a key pair that is made for it. */
const NONCE = Buffer.alloc(NONCE_BYTES)

export interface NodeKey {
  readonly private: KeyObject
  /** The 32 bytes of the public key in base64url. */
  readonly public: string
}

/** The key pair of a node, made where the file is missing. Throws DataDirError. */
export function openNodeKey(file: string): NodeKey {
  const found = readPrivateFile(file)
  try {
    const privateKey = found === undefined ? generateKeyPairSync('x25519').privateKey : createPrivateKey(found)
    if (found === undefined) writePrivateFile(file, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
    return { private: privateKey, public: publicText(createPublicKey(privateKey)) }
  } catch (error) {
    const remedy = 'remove the file, and the next start makes a new one'
    throw new DataDirError(
      `Cannot use the key of this node in "${file}": expected a private key: ${remedy}`,
      { cause: error },
    )
  }
}

export interface Wrapping {
  readonly site: string
  /** The node that the key is for. */
  readonly node: string
  readonly epoch: number
  /** The key of the epoch before. */
  readonly salt: Uint8Array
}

/** Encrypts the key of an epoch for the public key of a node. Throws where that is none. */
export function wrapKey(key: Uint8Array, to: string, wrapping: Wrapping): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  const from = publicText(publicKey)
  const secret = wrappingKey({ privateKey, publicKey: publicKeyOf(to) }, { from, to, ...wrapping })
  const cipher = createCipheriv(CIPHER, secret, NONCE)
  return Buffer.concat([Buffer.from(from, 'base64url'), cipher.update(key), cipher.final(), cipher.getAuthTag()])
}

/** The wrapped key; undefined where it is not for this node, or not from a node with the key before. */
export function unwrapKey(wrapped: Buffer, own: NodeKey, wrapping: Wrapping): Buffer | undefined {
  if (wrapped.length !== POINT_BYTES + KEY_BYTES + TAG_BYTES) return undefined
  const from = wrapped.toString('base64url', 0, POINT_BYTES)
  try {
    const pair = { privateKey: own.private, publicKey: publicKeyOf(from) }
  const secret = wrappingKey(pair, { from, to: own.public, ...wrapping })
    const decipher = createDecipheriv(CIPHER, secret, NONCE)
    decipher.setAuthTag(wrapped.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(wrapped.subarray(POINT_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function wrappingKey(
  keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  { salt, site, node, epoch, from, to }: Wrapping & { readonly from: string; readonly to: string },
): Buffer {
  const info = ['dateline epoch key 1', site, node, epoch, from, to].join('\n')
  return Buffer.from(hkdfSync('sha256', diffieHellman(keys), salt, info, KEY_BYTES))
}

/** What a node publishes: its public key, with a proof that it has the key of an epoch. */
export interface Membership {
  readonly node: string
  readonly epoch: number
  readonly publicKey: string
}

export function membershipText(
  membership: Membership,
  { site, key }: { readonly site: string; readonly key: Uint8Array },
): string {
  return `${membership.epoch} ${membership.publicKey} ${proof(membership, site, key).toString('base64url')}`
}

/** The membership of a node, if its proof is right; `keyOf` has the keys of epochs. */
export function readMembership(
  text: string,
  node: string,
  site: string,
  keyOf: (epoch: number) => Uint8Array | undefined,
): Membership | undefined {
  const [, epoch = '', publicKey = '', mac = ''] = /^(\d{1,10}) ([\w-]{43}) ([\w-]{43})$/.exec(text) ?? []
  const key = keyOf(Number(epoch))
  if (key === undefined) return undefined
  const membership = { node, epoch: Number(epoch), publicKey }
  return timingSafeEqual(Buffer.from(mac, 'base64url'), proof(membership, site, key)) ? membership : undefined
}

function proof({ node, epoch, publicKey }: Membership, site: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(['dateline member 1', site, node, epoch, publicKey].join('\n')).digest()
}

function publicText(key: KeyObject): string {
  return String(key.export({ format: 'jwk' }).x)
}

function publicKeyOf(x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
}
