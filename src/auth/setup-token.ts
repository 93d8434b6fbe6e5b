/**
 * The token of the first set-up: the operator who reads it in the terminal of the service becomes the first administrator
 * with it. It lives in the memory of this process for an hour, until it is used, and is in no log.
 */
import { createHash, randomBytes } from 'node:crypto'
import { HOUR_MS } from '../base/duration.ts'
import { equalSecrets } from './keys.ts'

const TOKEN_BYTES = 32
const TOKEN_MS = HOUR_MS

export type SetupToken = ReturnType<typeof createSetupToken>

export function createSetupToken() {
  let issued: { readonly hash: Buffer; readonly expiresAt: number } | undefined
  return {
    /** A new token; an earlier one is void. */
    issue(now: number): string {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      issued = { hash: hashOf(token), expiresAt: now + TOKEN_MS }
      return token
    },
    /** Whether this is the token, and its hour is not over. */
    check(token: unknown, now: number): 'valid' | 'expired' | 'wrong' {
      if (typeof token !== 'string' || issued === undefined || !equalSecrets(hashOf(token), issued.hash)) return 'wrong'
      return now < issued.expiresAt ? 'valid' : 'expired'
    },
    /** Ends the token. */
    end(): void {
      issued = undefined
    },
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
