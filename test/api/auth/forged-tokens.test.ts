// also: executable threads
/**
 * Tokens forged with knowledge of the format, and some with knowledge of the secret, too: a token holds only
 * with everything right at once, and says who the user is, never what the user may do (RFC 8725).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authCalls } from '../../support/service/auth-calls.ts'
import { forge, tokenParts } from '../../support/service/bad-tokens.ts'
import { startService } from '../../support/service/service.ts'
import { startSuiteService } from '../../support/service/suite-service.ts'

const service = await startSuiteService()
const { me } = authCalls(service)
const admin = await service.admin()
const guest = await service.guest()
const secretsFile = join(service.directory, 'data', 'secrets')
const secret = readFileSync(secretsFile, 'utf8').trim()
const { header, claims } = tokenParts(guest.token)
const now = service.now() / 1000

const withHeader = (change: object): string => forge({ ...header, ...change }, claims, secret)
const withClaims = (change: object): string => forge(header, { ...claims, ...change }, secret)
const [signedHeader = '', signedClaims = '', signature = ''] = guest.token.split('.')
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

it('the tests can forge a token that holds', async () => {
  assert.equal((await me(forge(header, claims, secret))).at('data.id'), guest.id)
  assert.equal((await me(withClaims({ sub: admin.id, jti: 'of-the-test' }))).at('data.id'), admin.id)
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['of the algorithm none', `${encode({ alg: 'none' })}.${signedClaims}.`],
  ['of a key that is a path', withHeader({ kid: '../../../../dev/null' })],
  ['signed with another secret', forge(header, claims, `${secret}x`)],
  ['whose claims were changed', `${signedHeader}.${encode({ ...claims, sub: admin.id })}.${signature}`],
  ['whose signature has other padding bits', `${guest.token.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`],
  ['without a signature', `${signedHeader}.${signedClaims}.`],
  ['whose sub is no user', withClaims({ sub: 'f'.repeat(24) })],
  ['whose sub is SQL', withClaims({ sub: "' OR 1=1 --" })],
  ['whose exp is this moment', withClaims({ exp: now })],
  ['of another issuer', withClaims({ iss: 'http://localhost:8081' })],
  ['that begins in an hour', withClaims({ iat: now + 3600 })],
]
describe('a token is refused', () => {
  for (const [name, token] of REFUSED) {
    it(name, async () => {
      const response = await me(token)
      assert.equal(response.status, 401, response.text)
      assert.equal(response.at('error.code'), 'unauthorized')
    })
  }
})

describe('what a user may do', () => {
  it('is not in the token, whatever it says', async () => {
    const token = withClaims({ appRole: 'premiumUser', dashboardRole: 'admin', email: 'admin@example.org', role: 'admin' })
    assert.equal((await me(token)).at('data.dashboardRole'), 'none')
    assert.equal((await service.data('GET', '', { model: 'user' }, { token })).status, 403)
  })
})

const NEW_SECRET = 'Zr8-kV3xTq1LwYb6_uNf4HsDj9GcEo2MpWaXv7iKtQe'

it('secrets can be replaced: the first signs, and old ones hold until their line is gone', async (t) => {
  const first = await startService(t)
  const old = await first.guest()
  const code = await first.codeFor('pending@example.org')
  await first.stop()
  const file = join(first.directory, 'data', 'secrets')
  const oldSecret = readFileSync(file, 'utf8').trim()
  writeFileSync(file, `${NEW_SECRET}\n${oldSecret}\n`)
  const second = await startService(t, {}, { directory: first.directory, start: first.now() + 1000 })
  const fresh = await second.guest()
  for (const { token } of [old, fresh]) assert.equal((await authCalls(second).me(token)).status, 200)
  assert.notEqual(tokenParts(old.token).header['kid'], tokenParts(fresh.token).header['kid'])
  assert.equal((await authCalls(second).verify({ email: 'pending@example.org', code })).status, 400)
  await second.stop()
  writeFileSync(file, `${NEW_SECRET}\n`)
  const third = await startService(t, {}, { directory: first.directory, start: first.now() + 2000 })
  assert.equal((await authCalls(third).me(old.token)).status, 401)
  assert.equal((await authCalls(third).me(fresh.token)).status, 200)
})
