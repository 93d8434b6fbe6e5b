/**
 * The text of a token of the API: `dl_` and 32 random bytes in base64url. The prefix lets scanners of repositories and
 * logs find one. Its SHA-256 is stored: of 256 random bits a plain hash reveals nothing.
 */
import { createHash, randomBytes } from 'node:crypto'

export const API_TOKEN_PREFIX = 'dl_'
const SECRET_BYTES = 32
const FORM = /^dl_[\w-]{43}$/

export function newApiToken(): string {
  return `${API_TOKEN_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

export function isApiToken(text: string): boolean {
  return FORM.test(text)
}

export function hashOfApiToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
