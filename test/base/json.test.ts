import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareNumbers, Decimal, isWhole, truncate } from '../../src/base/decimal.ts'
import { JSON_DEPTH_MAX, JsonError, parseJson, writeJson } from '../../src/base/json.ts'

describe('parseJson()', () => {
  for (const [name, text] of [
    ['a plain double', '{"n":0.1}'],
    ['a long id of digits', '{"id":"660000000000000000000501"}'],
    ['an integer past 2^53', '{"n":9007199254740993}'],
    ['a number past the largest double', '[1e400,-1e400,1E-400]'],
    ['many digits', '{"n": 0.1000000000000000055511151231257827}'],
  ] as const) {
    it(`keeps the value of ${name} on the way in and out`, () => {
      assert.equal(writeJson(parseJson(text)), text.replaceAll(' ', ''))
    })
  }

  it('gives plain numbers wherever a double says the same', () => {
    assert.deepEqual(
      parseJson('[1, 1.0, 1e0, 1000000000000000000000, 0.30000000000000004, 5e-324]'),
      [1, 1, 1, 1e21, 0.30000000000000004, 5e-324],
    )
  })

  it('refuses nesting one past the limit and takes the limit', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    assert.ok(parseJson(nested(JSON_DEPTH_MAX)))
    assert.throws(() => parseJson(nested(JSON_DEPTH_MAX + 1)), JsonError)
    assert.ok(parseJson(JSON.stringify('['.repeat(1000))), 'brackets inside a string are no nesting')
  })

  it('says where malformed text breaks without repeating it', () => {
    assert.throws(
      () => parseJson('{"secret":"hunter2", oops}'),
      (error: Error) => {
        assert.ok(error instanceof JsonError)
        assert.match(error.message, /position 21/)
        assert.doesNotMatch(error.message, /hunter2|oops/)
        return true
      },
    )
    for (const text of ['', '{', '[1,', '{"a":', '{"a":1', '"a', '[9007199254740993,', '{"a":9007199254740993']) {
      assert.throws(() => parseJson(text), /^JsonError: it ends too early$/, text)
    }
    assert.throws(() => parseJson('{]'), /^JsonError: unexpected text at position 1/)
    assert.throws(() => parseJson('# Dateline'), /^JsonError: unexpected text$/)
  })
})

describe('Decimal', () => {
  it('compares by value with nothing rounded', () => {
    const rows: [string | number, string | number, number][] = [
      ['9007199254740993', 9007199254740992, 1],
      ['9007199254740993', '9007199254740993.0', 0],
      ['1e400', '1e401', -1],
      ['-1e400', -1e308, -1],
      ['1e400', 1e308, 1],
      ['1e-400', 0, 1],
      ['-1e-400', 0, -1],
      ['0.10000000000000000001', 0.1, 1],
      ['0.1e1', 1, 0],
    ]
    for (const [a, b, expected] of rows) {
      const read = (x: string | number): number | Decimal => (typeof x === 'string' ? new Decimal(x) : x)
      assert.equal(Math.sign(compareNumbers(read(a), read(b))), expected, `${a} to ${b}`)
      assert.equal(Math.sign(compareNumbers(read(b), read(a))), 0 - expected, `${b} to ${a}`)
    }
  })

  it('truncates toward zero', () => {
    assert.equal(truncate(new Decimal('-9007199254740993.75')), -9007199254740993n)
    assert.equal(truncate(-7.9), -7n)
    assert.equal(truncate(0.5), 0n)
    assert.equal(truncate(1e21), 1000000000000000000000n)
    assert.equal(truncate(new Decimal('1e99999')), undefined)
    assert.equal(isWhole(new Decimal('1e400')), true)
    assert.equal(isWhole(new Decimal('9007199254740993.5')), false)
  })
})
