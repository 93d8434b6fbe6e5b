import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCodes } from '../../src/auth/codes.ts'
import { unseal, type SealedCode } from '../../src/auth/sealed-message.ts'
import { deriveKeys, equalSecrets, mac } from '../../src/auth/keys.ts'
import { createLimits, NO_LIMITS } from '../../src/auth/limits.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { signInWith, takeAll, testStore, VISITOR } from '../../scripts/tools/stores.ts'

const SECRET = 's'.repeat(43)
const keys = deriveKeys([SECRET])

function codesOn(t: Cleanup) {
  const { store } = testStore(t)
  let ids = 0
  const settings = { lifetimeMs: 1000, attemptsMax: 5 }
  const codes = createCodes({
    store,
    limits: createLimits(store, () => NO_LIMITS, keys.rate),
    keys,
    newId: () => String(++ids),
    settings,
  })
  return { store, codes }
}

describe('the message with a code', () => {
  /** What the outbox holds of a message to this address. */
  async function sealedFor(t: Cleanup, email: string): Promise<Buffer> {
    const { store, codes } = codesOn(t)
    await codes.send({ email, languages: ['de', 'en'] }, VISITOR, 0)
    return Buffer.from((await takeAll(store, 0))[0]?.sealed ?? [])
  }

  it('is sealed: it is read with its key, and is other bytes each time', async (t) => {
    const [first, second] = [await sealedFor(t, 'reader@example.org'), await sealedFor(t, 'reader@example.org')]
    const message = unseal(keys.seal, first) as SealedCode | undefined
    assert.equal(message?.email, 'reader@example.org')
    assert.deepEqual(message.languages, ['de', 'en'])
    assert.match(message.code, /^\d{6}$/)
    assert.ok(!first.subarray(0, 12).equals(second.subarray(0, 12)), 'a nonce is never used twice')
    for (const text of ['reader', message.code]) assert.ok(!first.includes(text))
  })

  it('is nothing with another key, or with any byte changed or missing', async (t) => {
    const sealed = await sealedFor(t, 'reader@example.org')
    assert.equal(unseal(deriveKeys(['t'.repeat(43)]).seal, sealed), undefined)
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed)
      changed[i] = (changed[i] ?? 0) ^ 1
      assert.equal(unseal(keys.seal, changed), undefined, `byte ${i}`)
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.equal(unseal(keys.seal, sealed.subarray(0, length)), undefined, `${length} bytes`)
    }
  })
})

describe('keys', () => {
  it('are one for each purpose, and none of them is the secret', () => {
    const { signing, code, rate, seal } = keys
    const all = [signing[0].secret, code, rate, seal].map((key) => key.toString('hex'))
    assert.equal(new Set(all).size, 4)
    assert.equal(signing[0].secret.toString(), SECRET)
  })

  it('are the same for the same secret, and take the newest for all but old tokens', () => {
    assert.deepEqual(deriveKeys([SECRET]), keys)
    const rotated = deriveKeys(['t'.repeat(43), SECRET])
    assert.deepEqual(rotated.signing[1], keys.signing[0])
    assert.notDeepEqual(rotated.code, keys.code)
  })

  it('give a mac that tells where one part ends and the next begins', () => {
    const macs = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['1:a;1:b'], ['a', 'b']]
    assert.equal(new Set(macs.map((parts) => mac(keys.code, ...parts).toString('hex'))).size, macs.length)
  })

  it('are compared whole', () => {
    assert.equal(equalSecrets(Buffer.from('abc'), Buffer.from('abc')), true)
    for (const other of ['abd', 'ab', 'abcd', '']) assert.equal(equalSecrets(Buffer.from('abc'), Buffer.from(other)), false)
  })
})

describe('codes', () => {
  it('are six digits of any kind, zeroes in front, too, and are not in the store', async (t) => {
    const { store, codes } = codesOn(t)
    const made = await Promise.all(Array.from({ length: 300 }, (_, i) => codes.reveal(`reader-${i}@example.org`, 0)))
    for (const code of made) assert.match(code, /^\d{6}$/)
    // Of 300 random codes about 30 begin with a 0 (none: one in 10^13), and about 285 are different.
    assert.ok(made.some((code) => code.startsWith('0')))
    assert.ok(new Set(made).size > 290)
    assert.deepEqual(await takeAll(store, 0), [], 'nothing is sent')
    const outcome = async (i: number, now: number): Promise<string> => {
      const tried = { email: `reader-${i}@example.org`, code: made[i] ?? '', clientAddress: '192.0.2.1', now }
      return (await signInWith(store, codes.claim(tried))).kind
    }
    assert.equal(await outcome(7, 999), 'signed-in')
    assert.equal(await outcome(8, 1000), 'rejected')
  })
})
