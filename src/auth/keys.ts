/**
 * The keys that are made of the server's secrets.
 *
 * Tokens are signed with the secret itself, so that a secret which another service shares keeps working. Everything
 * else gets a key of its own (HKDF, RFC 5869), so that no use can be turned against another.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export interface SigningKey {
  /** Names the key in a token's header; tells nothing about the secret. */
  readonly id: string
  readonly secret: Buffer
}

export interface Keys {
  /** The first signs, all verify. */
  readonly signing: readonly [SigningKey, ...SigningKey[]]
  /** For the HMAC of sign-in codes. */
  readonly code: Buffer
  /** For the HMAC of rate-limit keys. */
  readonly rate: Buffer
  /** AES-256-GCM key for content that waits in the outbox. */
  readonly seal: Buffer
  /** For the HMAC of e-mail addresses in the audit trail: the first hashes, all are searched by. */
  readonly audit: readonly [Buffer, ...Buffer[]]
}

/** Derives the keys. There is at least one secret; the newest comes first. */
export function deriveKeys(secrets: readonly [string, ...string[]]): Keys {
  const [newest, ...older] = secrets
  const derive = (purpose: string, secret = newest): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `dateline ${purpose}`, 32))
  return {
    signing: [signingKey(newest), ...older.map(signingKey)],
    code: derive('sign-in code'),
    rate: derive('rate limit'),
    seal: derive('outbox'),
    audit: [derive('audit trail'), ...older.map((secret) => derive('audit trail', secret))],
  }
}

function signingKey(text: string): SigningKey {
  const secret = Buffer.from(text)
  return { id: createHmac('sha256', secret).update('key id').digest('hex').slice(0, 8), secret }
}

/** HMAC-SHA-256 over parts that cannot run into each other. */
export function mac(key: Buffer, ...parts: readonly string[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part};`)
  return hmac.digest()
}

/** Compares in constant time. Texts of different length are unequal, which tells only their length. */
export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
