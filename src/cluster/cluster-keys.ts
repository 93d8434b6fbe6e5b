/**
 * Keys that all nodes of a site derive from its secret (HKDF, RFC 5869), so that nothing of them is in etcd: one seals the
 * entries of the log, one what nodes tell each other in etcd, and one signs the requests that they send each other.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What seals an entry of the log, and the number that names it there, which is no secret. */
export interface EntryKey {
  readonly id: number
  readonly key: Buffer
}

export interface ClusterKeys {
  readonly seal: Buffer
  readonly sign: Buffer
  /** One of each secret: the first seals, all open. */
  readonly entries: readonly [EntryKey, ...EntryKey[]]
}

/** `secrets` are those of the site, of which the first is in use and others were before. */
export function clusterKeysOf([secret, ...older]: readonly [string, ...string[]]): ClusterKeys {
  return {
    seal: derive(secret, 'records'),
    sign: derive(secret, 'requests'),
    entries: [entryKey(secret), ...older.map(entryKey)],
  }
}

function entryKey(secret: string): EntryKey {
  return { id: derive(secret, 'entry key id').readUInt32BE(), key: derive(secret, 'entries') }
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `dateline cluster ${purpose}`, 32))
}

/**
 * Encrypts a value under its name in etcd, so that it cannot be moved to another one (AES-256-GCM: nonce, tag, text).
 */
export function sealValue(key: Buffer, name: string, value: unknown): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Undefined for what was sealed with another secret or under another name, or is damaged. */
export function openValue(key: Buffer, name: string, sealed: Uint8Array): unknown {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(name))
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

/** HMAC-SHA-256 over parts that cannot run into each other. */
export function signature(key: Buffer, ...parts: readonly string[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part};`)
  return hmac.digest()
}

/** Compares in constant time; texts of different length are unequal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
