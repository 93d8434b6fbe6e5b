/**
 * Challenges of passkeys: 16 random bytes and a time, signed, so that none is stored for strangers, and every thread and
 * every node of a cluster can give and take them. The write that a challenge leads to uses it up.
 */
import { randomBytes } from 'node:crypto'
import { MINUTE_MS } from '../../base/duration.ts'
import type { Token } from '../../store/actor.ts'
import { equalSecrets, mac } from '../keys.ts'

/** The time that a person may take at the authenticator; what WebAuthn level 3, section 15.1, recommends. */
export const CHALLENGE_MS = 5 * MINUTE_MS
const NONCE_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 16

export type Challenges = ReturnType<typeof createChallenges>

/** `purpose` is what a challenge is for: one for signing in adds no passkey, and that of one user none to another. */
export function createChallenges(key: Buffer) {
  const signature = (purpose: string, content: Buffer): Buffer =>
    mac(key, 'passkey', purpose, content.toString('base64url')).subarray(0, MAC_BYTES)
  return {
    issue(purpose: string, now: number): string {
      const content = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)])
      content.writeUIntBE(now + CHALLENGE_MS, NONCE_BYTES, TIME_BYTES)
      return Buffer.concat([content, signature(purpose, content)]).toString('base64url')
    },
    /** What uses the challenge up; undefined where it is not one for this purpose, or too old. */
    read(text: string, purpose: string, now: number): Token | undefined {
      const bytes = Buffer.from(text, 'base64url')
      const content = bytes.subarray(0, NONCE_BYTES + TIME_BYTES)
      if (bytes.length !== content.length + MAC_BYTES) return undefined
      if (!equalSecrets(bytes.subarray(content.length), signature(purpose, content))) return undefined
      const expiresAt = content.readUIntBE(NONCE_BYTES, TIME_BYTES)
      const jti = `passkey-${content.toString('base64url', 0, NONCE_BYTES)}`
      return now < expiresAt ? { jti, expiresAt } : undefined
    },
  }
}
