/**
 * The keys that are derived from the server's secrets. Tokens are signed with the secret itself, so that one that
 * another service shares keeps working. Every other use has a key of its own (HKDF, RFC 5869).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export interface SigningKey {
  /** Names the key in a token's header; reveals nothing about the secret. */
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
  /** AES-256-GCM keys for secrets among the settings: the first seals, all open. */
  readonly settings: readonly [Buffer, ...Buffer[]]
  /** AES-256-GCM keys for passwords of feeds: the first seals, all open. */
  readonly feeds: readonly [Buffer, ...Buffer[]]
  /** For the signature of challenges to passkeys. */
  readonly passkey: Buffer
  /** For the signature of tickets. */
  readonly ticket: Buffer
  /** For the HMAC of e-mail addresses in the audit trail: the first hashes, all are searched by. */
  readonly audit: readonly [Buffer, ...Buffer[]]
}

export function deriveKeys(secrets: readonly [string, ...string[]]): Keys {
  const [newest, ...older] = secrets
  const derive = (purpose: string, secret = newest): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `dateline ${purpose}`, 32))
  return {
    signing: [signingKey(newest), ...older.map(signingKey)],
    code: derive('sign-in code'),
    rate: derive('rate limit'),
    seal: derive('outbox'),
    settings: [derive('settings'), ...older.map((secret) => derive('settings', secret))],
    feeds: [derive('feed'), ...older.map((secret) => derive('feed', secret))],
    ticket: derive('ticket'),
    passkey: derive('passkey'),
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

/** 132 bits in base64url. */
const EMAIL_HASH_CHARS = 22

export type EmailHashes = ReturnType<typeof createEmailHashes>

/** Keyed hashes in place of e-mail addresses: records reveal no address, and those of a known one can be found. */
export function createEmailHashes({ audit }: Pick<Keys, 'audit'>) {
  const hash = (key: Buffer, email: string): string =>
    mac(key, 'e-mail', email).toString('base64url').slice(0, EMAIL_HASH_CHARS)
  return {
    /** For a record: of a normalised e-mail address, under the newest key. */
    of: (email: string): string => hash(audit[0], email),
    /** For a search: under each key, since older records have the hashes of older keys. */
    all: (email: string): readonly string[] => audit.map((key) => hash(key, email)),
  }
}

/** Compares in constant time. Texts of different length are unequal, which reveals only their length. */
export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
