/** Which coding of a body is sent for which Accept-Encoding. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseCoding, type Coding } from '../../src/http/accept-encoding.ts'

const BOTH: readonly Coding[] = ['br', 'gzip']

describe('the coding of a body', () => {
  for (const [header, chosen, available = BOTH] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['*', 'gzip', ['gzip']],
    ['br', undefined, ['gzip']],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['gzip;q=0.5,br;q=0.5', 'br'],
    ['gzip;q=0.001', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', undefined],
    ['gzip ; q=0 , br ; q=0.2', 'br'],
    ['gzip;q=2', undefined],
    ['gzip;q=, br;level=1', undefined],
    [',, ,gzip,', 'gzip'],
    ['gzip br', undefined],
    ['constructor, __proto__', undefined],
    [`gzip${', x'.repeat(1000)}`, undefined],
  ] as const) {
    it(`is ${chosen ?? 'none'} of ${available.join(' and ') || 'none'} for ${header?.slice(0, 40) ?? 'no header'}`, () => {
      assert.equal(chooseCoding(header, available), chosen)
    })
  }
})
