import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { secretWeakness } from '../../src/base/secret-strength.ts'

describe('secretWeakness()', () => {
  for (const [secret, wanted] of [
    ['', /at least 32 bytes, found 0$/],
    ['k9Q-x2'.repeat(5), /at least 32 bytes, found 30$/],
    ['a'.repeat(64), /one character over and over/],
    ['ü'.repeat(32), /one character over and over/],
    ['abcdefg'.repeat(6), /at least 8 different characters, found 7/],
    ['0101101001100101101010010110010110', /at least 8 different characters, found 2/],
    ['changeme-changeme-changeme-changeme', /at least 8 different|short text over and over/],
    ['correct-horse-correct-horse-correct-horse', /short text over and over/],
    ['0123456789'.repeat(4), /short text over and over/],
    ['your-256-bit-secret-your-256-bit-secret', /short text over and over/],
    ['abcdefghijklmnopqrstuvwxyz012345', /characters in a row/],
    ['zyxwvutsrqponmlkjihgfedcba98765432', /characters in a row/],
    [`${'a'.repeat(40)}bcdefghi`, /characters in a row/],
  ] as const) {
    it(`refuses ${JSON.stringify(secret.slice(0, 24))}… without repeating it`, () => {
      const weakness = secretWeakness(secret) ?? ''
      assert.match(weakness, wanted)
      if (secret.length > 8) assert.doesNotMatch(weakness, new RegExp(secret.slice(0, 8).replace(/\W/g, '\\$&')))
    })
  }

  it('accepts the shortest random secret, and words that are long enough', () => {
    for (const secret of [
      'xK2-9fQwT7rLmZ4vB8nHs3DyGc6JpWea',
      'correct horse battery staple, and so on',
      'a-secret-of-more-than-thirty-two-bytes',
    ]) {
      assert.equal(secretWeakness(secret), undefined, secret)
    }
  })
})
