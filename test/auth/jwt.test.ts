import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { signToken, tokenVerifier, type Claims, type TokenRejection } from '../../src/auth/jwt.ts'
import { deriveKeys } from '../../src/auth/keys.ts'
import { forge } from '../support/service/bad-tokens.ts'

const [OLD, NEW] = ['o'.repeat(43), 'n'.repeat(43)]
const { signing } = deriveKeys([NEW, OLD])
const [newest, older] = signing
const NOW_S = 1_800_000_000
const CLAIMS = { sub: '66f000000000000000000601', iat: NOW_S, exp: NOW_S + 60, iss: 'https://news.example.org', jti: 'a1' }
/** Always a new verifier: what one remembers has tests of its own. */
const check = (token: string, now = NOW_S * 1000, keys = signing): Claims | TokenRejection =>
  tokenVerifier({ keys, issuer: CLAIMS.iss })(token, now)

describe('a token', () => {
  it('is what RFC 7519 says, and comes back as the claims that were put in', () => {
    const token = signToken(CLAIMS, newest)
    const [header = '', payload = '', signature] = token.split('.')
    assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', typ: 'JWT', kid: newest.id })
    assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()), CLAIMS)
    assert.equal(signature, createHmac('sha256', NEW).update(`${header}.${payload}`).digest('base64url'))
    assert.deepEqual(check(token), CLAIMS)
  })

  it('of an old key holds as long as the key is there', () => {
    const token = signToken(CLAIMS, older ?? newest)
    assert.deepEqual(check(token), CLAIMS)
    assert.equal(check(token, NOW_S * 1000, [newest]), 'key')
  })

  it('without a key id has to fit the newest key', () => {
    const header = { alg: 'HS256' }
    assert.deepEqual(check(forge(header, CLAIMS, NEW)), CLAIMS)
    assert.equal(check(forge(header, CLAIMS, OLD)), 'signature')
  })
})

const TIMES: readonly (readonly [string, number, 'holds' | TokenRejection])[] = [
  ['at the moment of its making', NOW_S * 1000, 'holds'],
  ['a millisecond before its end', (NOW_S + 60) * 1000 - 1, 'holds'],
  ['at its end', (NOW_S + 60) * 1000, 'expired'],
  ['five seconds before its making', (NOW_S - 5) * 1000, 'holds'],
  ['more than five seconds before its making', (NOW_S - 5) * 1000 - 1, 'early'],
]
describe('the time of a token:', () => {
  for (const [name, now, outcome] of TIMES) {
    it(`${name} it ${outcome === 'holds' ? 'holds' : 'is refused'}`, () => {
      assert.deepEqual(check(signToken(CLAIMS, newest), now), outcome === 'holds' ? CLAIMS : outcome)
    })
  }
})

describe('nbf', () => {
  for (const [name, nbf, now, outcome] of [
    ['that is now changes nothing', NOW_S, NOW_S, 'holds'],
    ['that is a moment ahead keeps the token from holding', NOW_S + 0.001, NOW_S, 'early'],
    ['within the tolerance for clocks keeps it too', NOW_S + 5, NOW_S, 'early'],
    ['after the end makes a token that never holds', NOW_S + 120, NOW_S + 59, 'early'],
  ] as const) {
    it(name, () => {
      const found = check(forge({ alg: 'HS256', kid: newest.id }, { ...CLAIMS, nbf }, NEW), now * 1000)
      assert.deepEqual(found, outcome === 'holds' ? { ...CLAIMS, nbf } : outcome)
    })
  }
})

const HEADER = { alg: 'HS256', typ: 'JWT', kid: newest.id }
const REFUSED: readonly (readonly [TokenRejection, string, string])[] = [
  ['malformed', 'nothing', ''],
  ['malformed', 'one part', 'a'],
  ['malformed', 'four parts', 'a.b.c.d'],
  ['malformed', 'a header that is no JSON', forge('{', CLAIMS, NEW)],
  ['malformed', 'a header that is an array', forge([], CLAIMS, NEW)],
  ['malformed', 'more than 4096 characters', forge(HEADER, { ...CLAIMS, more: 'x'.repeat(4096) }, NEW)],
  ['algorithm', 'another algorithm', forge({ ...HEADER, alg: 'HS512' }, CLAIMS, NEW, 'sha512')],
  ['algorithm', 'critical extensions (RFC 7515 section 4.1.11)', forge({ ...HEADER, crit: ['b64'], b64: false }, CLAIMS, NEW)],
  ['key', 'a key that is not there', forge({ ...HEADER, kid: 'ffffffff' }, CLAIMS, NEW)],
  ['signature', 'another secret', forge(HEADER, CLAIMS, OLD)],
  ['claims', 'claims that are no object', forge(HEADER, [CLAIMS], NEW)],
  ...[['iat', 'exp', 'nbf'], ['sub', 'iss', 'jti']].flatMap((claims, i) =>
    claims.flatMap((claim) =>
      [i === 0 ? '1' : 7, null, true, [1], { at: 1 }].map(
        (value): (typeof REFUSED)[number] => ['claims', `${claim} ${JSON.stringify(value)}`, forge(HEADER, { ...CLAIMS, [claim]: value }, NEW)],
      ),
    ),
  ),
  ...(['sub', 'iat', 'exp', 'iss', 'jti'] as const).map(
    (claim): (typeof REFUSED)[number] => ['claims', `no ${claim}`, forge(HEADER, { ...CLAIMS, [claim]: undefined }, NEW)],
  ),
  ['claims', 'an end past all numbers', forge(HEADER, JSON.stringify({ ...CLAIMS, exp: 0 }).replace(':0', ':1e999'), NEW)],
  ['issuer', 'another issuer', forge(HEADER, { ...CLAIMS, iss: 'https://news.example.org/' }, NEW)],
]
describe('tokenVerifier() refuses', () => {
  for (const [reason, name, token] of REFUSED) {
    it(`${name}, and says "${reason}" to the log`, () => assert.equal(check(token), reason))
  }

  it('a token before it reads the claims of a client without the secret', () => {
    assert.equal(check(forge(HEADER, '{'.repeat(1000), OLD)), 'signature')
  })
})

describe('a verifier that has seen a token', () => {
  it('still refuses it when its time is over, and takes it when the clock goes back', () => {
    const verify = tokenVerifier({ keys: signing, issuer: CLAIMS.iss })
    const token = signToken(CLAIMS, newest)
    assert.deepEqual(verify(token, NOW_S * 1000), CLAIMS)
    assert.equal(verify(token, (NOW_S + 60) * 1000), 'expired')
    assert.deepEqual(verify(token, NOW_S * 1000), CLAIMS)
    assert.equal(verify(token, (NOW_S - 6) * 1000), 'early')
  })

  it('refuses what only begins like it, and remembers nothing that does not hold', () => {
    const verify = tokenVerifier({ keys: signing, issuer: CLAIMS.iss })
    const token = signToken(CLAIMS, newest)
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(verify(token, NOW_S * 1000), CLAIMS)
      for (const other of [`${token}A`, token.slice(0, -1), token.toLowerCase(), forge(HEADER, CLAIMS, OLD)]) {
        assert.equal(typeof verify(other, NOW_S * 1000), 'string')
      }
    }
  })

  it('knows each of many tokens by its own claims', () => {
    const verify = tokenVerifier({ keys: signing, issuer: CLAIMS.iss })
    // More than it remembers.
    const tokens = Array.from({ length: 10_050 }, (_, i) => signToken({ ...CLAIMS, sub: String(i) }, newest))
    for (let round = 0; round < 2; round++) {
      for (const [i, token] of tokens.entries()) assert.equal((verify(token, NOW_S * 1000) as Claims).sub, String(i))
    }
  })
})
