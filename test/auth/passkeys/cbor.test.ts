/** CBOR: examples of RFC 8949 appendix A, and what is refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CborError, readCbor, readWholeCbor } from '../../../src/auth/passkeys/cbor.ts'
import { seededRandom, seedOfRun } from '../../../scripts/tools/random.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

describe('readWholeCbor()', () => {
  for (const [text, value] of [
    ...[['00', 0], ['17', 23], ['1818', 24], ['1903e8', 1000], ['1a000f4240', 1_000_000], ['20', -1], ['3863', -100]] as const,
    ...[['f4', false], ['f5', true], ['f6', null], ['60', ''], ['62c3bc', 'ü'], ['83010203', [1, 2, 3]]] as const,
    ['8301820203820405', [1, [2, 3], [4, 5]]],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(readWholeCbor(hex(text)), value))
  }
  it('reads maps and bytes', () => {
    const map = readWholeCbor(hex('a261610120420102'))
    assert.deepEqual(map, new Map<string | number, unknown>([['a', 1], [-1, hex('0102')]]))
  })
  for (const [name, text] of [
    ['nothing', ''],
    ['a length of no end', '5f'],
    ['64 bits', '1b000000e8d4a51000'],
    ['a tag', 'c074323031332d30332d32315432303a30343a30305a'],
    ['a float', 'f93c00'],
    ['undefined', 'f7'],
    ['a text that is cut off', '6261'],
    ['an array of four billion', '9affffffff'],
    ['a map of four billion', 'baffffffff'],
    ['a text that is not UTF-8', '61ff'],
    ['a key that is a list', 'a18001'],
    ['a key that is there twice', 'a201010102'],
    ['nine levels', '818181818181818181'.concat('8100')],
    ['bytes behind it', '0000'],
  ] as const) {
    it(`refuses ${name}`, () => assert.throws(() => readWholeCbor(hex(text)), CborError))
  }
  it('ends on any bytes with a value or with CborError', (t) => {
    const random = seededRandom(seedOfRun())
    t.diagnostic(`SEED=${random.seed}`)
    for (let n = 0; n < 5_000; n++) {
      const bytes = Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))
      try {
        assert.ok(readCbor(bytes).end <= bytes.length)
      } catch (error) {
        assert.ok(error instanceof CborError, String(error))
      }
    }
  })
})
