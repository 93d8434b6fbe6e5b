/** Registrations and authentications of passkeys: the vectors of WebAuthn level 3, and what each check refuses. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  CeremonyError,
  isLater,
  readClientData,
  relyingPartyOf,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/auth/passkeys/ceremonies.ts'
import { readAuthenticatorData } from '../../../src/auth/passkeys/authenticator-data.ts'
import { readPublicKey } from '../../../src/auth/passkeys/cose-key.ts'
import { cbor, CREDENTIAL, makePasskey, usePasskey, VERIFIED, type Deviation } from '../../support/service/software-authenticator.ts'

interface Vector {
  readonly registration: Readonly<Record<'challenge' | 'clientData' | 'attestation' | 'id' | 'publicKey', string>>
  readonly authentication: Readonly<Record<'clientData' | 'authenticatorData' | 'signature', string>>
}

/** Vectors of section 16, for `example.org` at `https://example.org`, in hexadecimal. */
const text = readFileSync(new URL('../../cases/webauthn.json', import.meta.url), 'utf8')
const { CROSS_ORIGIN, NONE_ES256, PACKED_SELF_ES256, TOP_ORIGIN, RS256_DATA_BEFORE_KEY } = JSON.parse(text) as Readonly<
  Record<'CROSS_ORIGIN' | 'NONE_ES256' | 'PACKED_SELF_ES256' | 'TOP_ORIGIN', Vector> & { RS256_DATA_BEFORE_KEY: string }
>
/** The modulus of that of RS256 is the product of the Mersenne primes of 1,279 and 2,203 bits. */
const RS256_PRIMES = [2n ** 2203n - 1n, 2n ** 1279n - 1n] as const

const ORIGIN = 'https://example.org'
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const base64url = (text: string): Buffer => Buffer.from(text, 'base64url')

describe('the test vectors of WebAuthn level 3', () => {
  it('16.2: challenge and origin are read, and a user who is not verified is refused', () => {
    const { registration } = NONE_ES256
    const client = readClientData(hex(registration.clientData), 'webauthn.create')
    assert.deepEqual(client, { challenge: hex(registration.challenge).toString('base64url'), origin: ORIGIN })
    assert.throws(() => verifyRegistration(hex(registration.attestation), client), /did not verify the user/)
  })
  it('16.2: the signature of the authentication is that of the public key', () => {
    const { registration, authentication } = NONE_ES256
    const hash = createHash('sha256').update(hex(authentication.clientData)).digest()
    const signed = Buffer.concat([hex(authentication.authenticatorData), hash])
    const key = readPublicKey(hex(registration.publicKey))
    assert.equal(key.verifies(signed, hex(authentication.signature)), true)
    signed[0] = (signed[0] ?? 0) ^ 1
    assert.equal(key.verifies(signed, hex(authentication.signature)), false)
  })
  it('16.3: a verified user is registered, and an attestation is not read', () => {
    const { clientData, attestation, id } = PACKED_SELF_ES256.registration
    const client = readClientData(hex(clientData), 'webauthn.create')
    const made = verifyRegistration(hex(attestation), client)
    assert.deepEqual([made.id, made.signCount, made.isBackedUp], [hex(id).toString('base64url'), 0, true])
  })
  for (const [name, { registration, authentication }] of [['16.4', CROSS_ORIGIN], ['16.5', TOP_ORIGIN]] as const) {
    it(`${name}: client data of a frame in another page is refused; signature and credential are right`, () => {
      for (const [data, type] of [[registration.clientData, 'webauthn.create'], [authentication.clientData, 'webauthn.get']] as const) {
        assert.throws(() => readClientData(hex(data), type), { name: 'CeremonyError', message: /frame in another page/ })
      }
      const attested = hex(registration.attestation)
      const { credential } = readAuthenticatorData(attested.subarray(attested.indexOf('authData') + 10))
      assert.equal(Buffer.from(credential?.id ?? []).toString('hex'), registration.id)
      const publicKey = Buffer.from(credential?.publicKey ?? []).toString('base64url')
      const stored = { id: '', publicKey, signCount: 0, isBackedUp: false, origin: ORIGIN }
      const assertion = {
        authenticatorData: hex(authentication.authenticatorData),
        clientDataJson: hex(authentication.clientData),
        signature: hex(authentication.signature),
      }
      assert.deepEqual(verifyAssertion(assertion, { origin: ORIGIN }, stored), { signCount: 0, isBackedUp: false })
    })
  }
  it('16.10: a credential of RS256 is read', () => {
    const modulus = (RS256_PRIMES[0] * RS256_PRIMES[1]).toString(16).padStart(872, '0')
    const { int, bytes, map } = cbor
    const key = map([[int(1), int(3)], [int(3), int(-257)], [int(-1), bytes(hex(modulus))], [int(-2), bytes(hex('010001'))]])
    const data = readAuthenticatorData(Buffer.concat([hex(RS256_DATA_BEFORE_KEY), key]))
    assert.equal(data.isUserVerified, true)
    assert.ok(data.credential !== undefined && readPublicKey(data.credential.publicKey))
    assert.ok(Buffer.from(data.credential.publicKey).equals(key))
  })
})

describe('a passkey', () => {
  const { response, passkey } = makePasskey('c', 'user', { origin: ORIGIN })
  const client = readClientData(base64url(response.clientDataJSON), 'webauthn.create')
  const stored = { ...verifyRegistration(base64url(response.attestationObject), client), origin: ORIGIN }
  const use = (deviation: Deviation, known = stored) => {
    const used = usePasskey(passkey, 'd', deviation)
    const clientDataJson = base64url(used.clientDataJSON)
    const said = readClientData(clientDataJson, 'webauthn.get')
    const parts = { authenticatorData: base64url(used.authenticatorData), clientDataJson, signature: base64url(used.signature) }
    return verifyAssertion(parts, said, known)
  }

  it('signs in at its page, with a counter that goes on', () => {
    assert.equal(stored.id, passkey.id)
    assert.deepEqual(use({}), { signCount: 0, isBackedUp: false })
    assert.deepEqual(use({ signCount: 8, flags: VERIFIED | 0x18 }, { ...stored, signCount: 7 }), { signCount: 8, isBackedUp: true })
  })
  for (const [name, deviation, known, message] of [
    ['at another origin', { origin: 'https://evil.example', rpId: 'example.org' }, {}, /another origin/],
    ['at another port', { origin: `${ORIGIN}:8443` }, {}, /another origin/],
    ['at a subdomain', { origin: 'https://www.example.org', rpId: 'example.org' }, {}, /another origin/],
    ['for another site', { rpId: 'evil.example' }, {}, /another site/],
    ['of another ceremony', { type: 'webauthn.create' }, {}, /another ceremony/],
    ['in a frame', { more: { crossOrigin: true } }, {}, /frame/],
    ['without the user', { flags: 0x04 }, {}, /verify the user/],
    ['without verification', { flags: 0x01 }, {}, /verify the user/],
    ['backed up, and never to be', { flags: VERIFIED | 0x10 }, {}, /backed up/],
    ['with the counter before', { signCount: 7 }, { signCount: 7 }, /counter/],
    ['with a counter that began again', { signCount: 0 }, { signCount: 7 }, /counter/],
  ] as const) {
    it(`is refused ${name}`, () => {
      assert.throws(() => use(deviation, { ...stored, ...known }), { name: 'CeremonyError', message })
    })
  }
  it('is refused with the signature of another, a changed one, and none', () => {
    const other = makePasskey('c', 'user', { origin: ORIGIN }).passkey
    const used = usePasskey(passkey, 'd')
    const clientDataJson = base64url(used.clientDataJSON)
    const authenticatorData = base64url(used.authenticatorData)
    for (const signature of [base64url(usePasskey(other, 'd').signature), base64url(used.signature).reverse(), Buffer.alloc(0), Buffer.alloc(64)]) {
      assert.throws(() => verifyAssertion({ authenticatorData, clientDataJson, signature }, { origin: ORIGIN }, stored), CeremonyError)
    }
  })
})

describe('what a registration is made of', () => {
  it('is refused with another algorithm, a short key, and a point that is not on the curve', () => {
    const { int, bytes, map } = cbor
    const coordinate = bytes(Buffer.alloc(32, 1))
    const ec = (alg: number, x: Buffer, y: Buffer) => map([[int(1), int(2)], [int(3), int(alg)], [int(-1), int(1)], [int(-2), x], [int(-3), y]])
    assert.throws(() => readPublicKey(ec(-35, coordinate, coordinate)), /was not asked for: wanted ES256 or RS256/)
    assert.throws(() => readPublicKey(ec(-7, bytes(Buffer.alloc(31)), coordinate)), /32 to 32 bytes/)
    assert.throws(() => readPublicKey(ec(-7, coordinate, coordinate)))
    const rsa = map([[int(1), int(3)], [int(3), int(-257)], [int(-1), bytes(Buffer.alloc(128, 255))], [int(-2), bytes(hex('010001'))]])
    assert.throws(() => readPublicKey(rsa), /256 to 512 bytes/)
  })
  it('is refused wherever it is cut off, and with more behind it', () => {
    const { response } = makePasskey('c', 'user', { origin: ORIGIN })
    const whole = base64url(response.attestationObject)
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => verifyRegistration(whole.subarray(0, length), { origin: ORIGIN }), CeremonyError)
    }
    assert.throws(() => verifyRegistration(Buffer.concat([whole, Buffer.alloc(1)]), { origin: ORIGIN }), /1 bytes follow/)
    const flags = VERIFIED | CREDENTIAL | 0x80
    const extended = makePasskey('c', 'user', { origin: ORIGIN, flags }).response
    assert.throws(() => verifyRegistration(base64url(extended.attestationObject), { origin: ORIGIN }), CeremonyError)
  })
  it('is not taken from pages to which browsers give no passkeys', () => {
    for (const [origin, host] of [['https://news.example.org:8443', 'news.example.org'], ['http://localhost:8080', 'localhost'], ['http://app.localhost', 'app.localhost']] as const) {
      assert.equal(relyingPartyOf(origin), host)
    }
    for (const origin of ['http://example.org', 'https://example.org/', 'https://EXAMPLE.org', 'file://', 'null', '', 'https://a@b.example']) {
      assert.throws(() => relyingPartyOf(origin), CeremonyError, origin)
    }
  })
  it('a counter goes on, or is not there at all', () => {
    assert.deepEqual([isLater(1, 0), isLater(0, 0), isLater(5, 5), isLater(4, 5), isLater(0, 5)], [true, true, false, false, false])
  })
})
