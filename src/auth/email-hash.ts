/**
 * What stands for an e-mail address in the audit trail: a keyed hash, so that records of failed sign-ins tell nothing
 * about strangers, and an address that is known can be searched for.
 */
import { mac, type Keys } from './keys.ts'

/** 132 bits in base64url. */
const CHARS = 22

export interface EmailHashes {
  /** For a record: of a normalised address, under the newest key. */
  of(email: string): string
  /** For a search: under each key, since older records have the hashes of older keys. */
  all(email: string): readonly string[]
}

export function createEmailHashes({ audit }: Pick<Keys, 'audit'>): EmailHashes {
  const hash = (key: Buffer, email: string): string => mac(key, 'e-mail', email).toString('base64url').slice(0, CHARS)
  return { of: (email) => hash(audit[0], email), all: (email) => audit.map((key) => hash(key, email)) }
}
