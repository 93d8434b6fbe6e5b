/** Tokens that do not hold, each for another reason, and the one thing that is wrong with it. */
import { createHmac } from 'node:crypto'
import { authCalls } from './auth-calls.ts'
import type { TestService } from './service.ts'

export interface BadToken {
  readonly name: string
  readonly token: string
}

const DAY_MS = 86_400_000

/** The parts of a token, read without checking anything. */
export function tokenParts(token: string): {
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
} {
  const [header = '', claims = ''] = token.split('.')
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return { header: read(header), claims: read(claims) }
}

/** Signs whatever it is given, with any HMAC. */
export function forge(header: unknown, claims: unknown, secret: Buffer | string, hash = 'sha256'): string {
  const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  const content = `${encode(header)}.${encode(claims)}`
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
}

/**
 * Makes guests for the purpose, whose good tokens would mean something at a sign-in, and moves the clock by a token's
 * lifetime.
 */
export async function badTokens(service: TestService): Promise<readonly BadToken[]> {
  const auth = authCalls(service)
  const { token: expired } = await service.guest()
  service.advance(30 * DAY_MS)
  const { token: revoked } = await service.guest()
  await auth.signOut(revoked)
  const { token: orphan } = await service.guest()
  await auth.deleteAccount(orphan)
  const { token: good } = await service.guest()
  const { header, claims } = tokenParts(good)
  return [
    { name: 'that has expired', token: expired },
    { name: 'that was signed out', token: revoked },
    { name: 'whose user is gone', token: orphan },
    { name: 'that is garbage', token: 'garbage' },
    { name: 'of three garbage parts', token: 'a.b.c' },
    { name: 'signed with another secret', token: forge(header, claims, 'x'.repeat(43)) },
    { name: 'without a signature', token: `${good.split('.').slice(0, 2).join('.')}.` },
  ]
}
