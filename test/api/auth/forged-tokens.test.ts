// also: executable threads
/**
 * Tokens forged with knowledge of the format, and some with knowledge of the secret, too: a token holds only
 * with everything right at once, and says who the user is, never what the user may do (RFC 8725).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authCalls } from '../../support/service/auth-calls.ts'
import { forge, tokenParts } from '../../support/service/bad-tokens.ts'
import { decodeError } from '../../support/service/client-codec.ts'
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

/** The parts of the guest's token with some of them changed; undefined takes a member out. */
const withHeader = (change: object, hash?: string): string => forge({ ...header, ...change }, claims, secret, hash)
const withClaims = (change: object): string => forge(header, { ...claims, ...change }, secret)
const [signedHeader = '', signedClaims = '', signature = ''] = guest.token.split('.')
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

it('the tests can forge a token that holds', async () => {
  assert.equal((await me(forge(header, claims, secret))).at('data.id'), guest.id)
  assert.equal((await me(withClaims({ sub: admin.id, jti: 'of-the-test' }))).at('data.id'), admin.id)
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['of the algorithm none', `${encode({ alg: 'none' })}.${signedClaims}.`],
  ['of the algorithm HS512', withHeader({ alg: 'HS512' }, 'sha512')],
  ['with critical extensions', withHeader({ crit: ['exp'] })],
  ['of an unknown key', withHeader({ kid: '00000000' })],
  ['of a key that is a path', withHeader({ kid: '../../../../dev/null' })],
  ['signed with another secret', forge(header, claims, `${secret}x`)],
  ['whose claims were changed', `${signedHeader}.${encode({ ...claims, sub: admin.id })}.${signature}`],
  ['whose header was changed', `${encode({ ...header, typ: 'other' })}.${signedClaims}.${signature}`],
  ['whose signature was cut', `${signedHeader}.${signedClaims}.${signature.slice(0, -1)}`],
  [
    'whose signature has other padding bits',
    `${signedHeader}.${signedClaims}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
  ],
  ['without a signature', `${signedHeader}.${signedClaims}.`],
  ['of two parts', `${signedHeader}.${signedClaims}`],
  ['of four parts', `${guest.token}.${signature}`],
  ['of five parts, as encrypted ones have', `${guest.token}.a.b`],
  ['with an empty header', `.${signedClaims}.${signature}`],
  ['of empty parts', '..'],
  ['whose header is no object', forge([header], claims, secret)],
  ['whose header is no JSON', forge('header', claims, secret)],
  ['whose claims are no object', forge(header, [claims], secret)],
  ['whose claims are null', forge(header, 'null', secret)],
  ['whose claims are no JSON', forge(header, '{"sub":', secret)],
  ['without sub', withClaims({ sub: undefined })],
  ['without iat', withClaims({ iat: undefined })],
  ['without exp', withClaims({ exp: undefined })],
  ['without iss', withClaims({ iss: undefined })],
  ['without jti', withClaims({ jti: undefined })],
  ['whose sub is a number', withClaims({ sub: 7 })],
  ['whose sub is an object', withClaims({ sub: { id: guest.id } })],
  ['whose sub is no user', withClaims({ sub: 'f'.repeat(24) })],
  ['whose sub is an address', withClaims({ sub: 'admin@example.org' })],
  ['whose sub is SQL', withClaims({ sub: "' OR 1=1 --" })],
  ['whose exp is a text', withClaims({ exp: String(claims['exp']) })],
  ['whose exp is null', withClaims({ exp: null })],
  ['whose exp is this moment', withClaims({ exp: now })],
  ['whose exp was yesterday', withClaims({ exp: now - 86_400 })],
  ['whose exp is negative', withClaims({ exp: -1 })],
  [
    'whose exp is no number at all',
    forge(header, `{"exp":1e999,${JSON.stringify({ ...claims, exp: undefined }).slice(1)}`, secret),
  ],
  ['of another issuer', withClaims({ iss: 'http://localhost:8081' })],
  ['of several issuers', withClaims({ iss: ['http://localhost:8080'] })],
  ['that begins in an hour', withClaims({ iat: now + 3600 })],
]
describe('a token is refused', () => {
  for (const [name, token] of REFUSED) {
    it(name, async () => {
      const response = await me(token)
      assert.equal(response.status, 401, response.text)
      assert.equal(decodeError(response.body).code, 'unauthorized')
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

describe('the secrets', () => {
  it('are for their owner alone', () => {
    assert.equal(statSync(secretsFile).mode & 0o777, 0o600)
    assert.equal(statSync(join(service.directory, 'data')).mode & 0o777, 0o700)
    assert.equal(statSync(join(service.directory, 'data', 'dateline.db')).mode & 0o777, 0o600)
    assert.ok(Buffer.from(secret, 'base64url').length >= 32)
  })

  it('are others for each site', async (t) => {
    const other = await startService(t)
    await other.guest()
    assert.equal((await authCalls(other).me(guest.token)).status, 401)
    assert.notEqual(readFileSync(join(other.directory, 'data', 'secrets'), 'utf8').trim(), secret)
  })

  it('can be replaced: the first signs, and old ones hold until their line is gone', async (t) => {
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
})
