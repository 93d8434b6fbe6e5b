import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { saslExchange } from '../../src/mail/smtp/sasl.ts'
import { SaslError } from '../../src/mail/smtp/sasl-exchange.ts'
import { saslPrepared, scramSha256 } from '../../src/mail/smtp/scram.ts'
import { usableMechanisms } from '../../src/mail/smtp/smtp-policy.ts'
import { scramServer } from '../support/smtp/scram-server.ts'

/** The example of RFC 7677 section 3. */
const EXAMPLE = { user: 'user', secret: 'pencil' }
const NONCE = 'rOprNGfwEbeRWgbNEkqO'
const NONCES = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
const SALT = 'W22ZaJ0SNY7soEsUEjb6gQ=='
const SERVER_FIRST = `r=${NONCES},s=${SALT},i=4096`
const SERVER_FINAL = 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='

describe('scramSha256()', () => {
  it('computes the example of RFC 7677', async () => {
    const exchange = scramSha256(EXAMPLE, NONCE)
    assert.equal(exchange.initial, 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO')
    const proof = 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ='
    assert.equal(await exchange.respond(SERVER_FIRST), `c=biws,r=${NONCES},p=${proof}`)
    assert.equal(exchange.isServerProven, false)
    assert.equal(await exchange.respond(SERVER_FINAL), '')
    assert.equal(exchange.isServerProven, true)
  })

  const firsts: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['a nonce that is not ours', `r=x${NONCES},s=${SALT},i=4096`, /another SCRAM login/],
    ['a nonce without a part of its own', `r=${NONCE},s=${SALT},i=4096`, /another SCRAM login/],
    ['a nonce that is too long', `r=${NONCES}${'x'.repeat(256)},s=${SALT},i=4096`, /another SCRAM login/],
    ['one iteration too few', `r=${NONCES},s=${SALT},i=4095`, /4096 to 600000 SCRAM iterations, the server wants 4095/],
    ['one iteration too many', `r=${NONCES},s=${SALT},i=600001`, /the server wants 600001/],
    ['iterations without end', `r=${NONCES},s=${SALT},i=${'9'.repeat(400)}`, /no SCRAM challenge/],
    ['no salt', `r=${NONCES},s=,i=4096`, /no SCRAM challenge/],
    ['a mandatory extension', `m=x,${SERVER_FIRST}`, /no SCRAM challenge/],
    ['nothing', '', /no SCRAM challenge/],
  ]
  for (const [name, challenge, problem] of firsts) {
    it(`rejects a first message with ${name}`, async () => {
      await assert.rejects(
        scramSha256(EXAMPLE, NONCE).respond(challenge),
        (error: unknown) => error instanceof SaslError && problem.test(error.message),
      )
    })
  }

  const finals = [
    ['another signature', 'v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='],
    ['half a signature', 'v=6rriTRBi23WpRR/w'],
    ['an error', 'e=invalid-proof'],
    ['nothing', ''],
  ] as const
  for (const [name, challenge] of finals) {
    it(`rejects a server that ends with ${name}`, async () => {
      const exchange = scramSha256(EXAMPLE, NONCE)
      await exchange.respond(SERVER_FIRST)
      await assert.rejects(exchange.respond(challenge), /did not prove that it knows the password/)
      assert.equal(exchange.isServerProven, false)
    })
  }

  it('rejects a third challenge', async () => {
    const exchange = scramSha256(EXAMPLE, NONCE)
    await exchange.respond(SERVER_FIRST)
    await exchange.respond(SERVER_FINAL)
    await assert.rejects(exchange.respond(SERVER_FINAL), SaslError)
  })

  it('escapes the separators in a user name, and accepts the most iterations', async () => {
    const exchange = scramSha256({ ...EXAMPLE, user: 'a=b,c' }, NONCE)
    assert.equal(exchange.initial, 'n,,n=a=3Db=2Cc,r=rOprNGfwEbeRWgbNEkqO')
    const server = scramServer('pencil', 600_000)
    const proof = await exchange.respond(server.first(exchange.initial ?? ''))
    await exchange.respond(server.final(proof) ?? '')
    assert.equal(exchange.isServerProven, true)
  })
})

describe('saslPrepared()', () => {
  /** The examples of RFC 4013 section 3 first; we accept the last of them. */
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['a soft hyphen', 'I\u00adX', 'IX'],
    ['a feminine ordinal', '\u00aa', 'a'],
    ['a Roman numeral', '\u2168', 'IX'],
    ['mixed directions', '\u06271', '\u06271'],
    ['a no-break space', 'a\u00a0b', 'a b'],
    ['an ideographic space', 'a\u3000b', 'a b'],
    ['a decomposed letter', 'a\u0308', 'ä'],
    ['a zero-width joiner', 'a\u200db', 'ab'],
    ['spaces and punctuation of ASCII', ' ~!a=,\\', ' ~!a=,\\'],
  ]
  for (const [name, text, expected] of rows) {
    it(`prepares ${name}`, () => assert.equal(saslPrepared(text, 'password'), expected))
  }

  for (const text of ['\x07', 'a\0', '\x7f', '\ue000', '\ufdd0', '\u200e', '\ufffd', '\u{e0020}', '\ud800', '\u2028']) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(() => saslPrepared(text, 'user'), /the user has characters that SCRAM prohibits/)
    })
  }

  it('rejects a text of which nothing remains', () => {
    assert.throws(() => saslPrepared('\u00ad', 'password'), /is empty after SASLprep/)
  })
})

describe('saslExchange()', () => {
  const noNonce = (): string => assert.fail('no mechanism but SCRAM needs a nonce')

  it('sends all of PLAIN at once', async () => {
    const exchange = saslExchange('PLAIN', { user: 'tim', secret: 'pässword' }, noNonce)
    assert.equal(exchange.initial, '\0tim\0pässword')
    await assert.rejects(exchange.respond(''), SaslError)
  })

  it('answers the two prompts of LOGIN, whatever they say', async () => {
    const exchange = saslExchange('LOGIN', { user: 'tim', secret: 'pw' }, noNonce)
    assert.deepEqual([exchange.initial, await exchange.respond('User:'), await exchange.respond('')], [undefined, 'tim', 'pw'])
    await assert.rejects(exchange.respond(''), SaslError)
  })

  it('answers the reasons for a rejected XOAUTH2 token with an empty response, and only once', async () => {
    const exchange = saslExchange('XOAUTH2', { user: 'tim', secret: 'ya29.x' }, noNonce)
    assert.equal(exchange.initial, 'user=tim\x01auth=Bearer ya29.x\x01\x01')
    assert.equal(await exchange.respond('{"status":"401"}'), '')
    await assert.rejects(exchange.respond(''), SaslError)
  })
})

describe('usableMechanisms()', () => {
  const all = ['LOGIN', 'PLAIN', 'CRAM-MD5', 'SCRAM-SHA-1', 'SCRAM-SHA-256', 'XOAUTH2', 'GSSAPI']
  const rows: ReadonlyArray<readonly [string, boolean, boolean, readonly string[]]> = [
    ['a password over TLS', false, true, ['SCRAM-SHA-256', 'PLAIN', 'LOGIN']],
    ['a password without encryption', false, false, ['SCRAM-SHA-256']],
    ['a token over TLS', true, true, ['XOAUTH2']],
    ['a token without encryption', true, false, []],
  ]
  for (const [name, hasToken, maySendSecret, expected] of rows) {
    it(`gives those for ${name}, best first`, () => {
      assert.deepEqual(usableMechanisms({ offered: all, hasToken, maySendSecret }), expected)
      assert.deepEqual(usableMechanisms({ offered: ['PLAINX', 'XOAUTH'], hasToken, maySendSecret }), [])
    })
  }
})
