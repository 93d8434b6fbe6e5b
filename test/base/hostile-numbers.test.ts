/**
 * Numbers are kept to the last digit, and anybody may send two megabytes of them, also before signing in.
 *
 * The attacks: one number with a million zeros in it, of which a pattern for the zeros at its end tried each, which held
 * up the service for hours; and one number that needs its digits beside hundreds of thousands of members, for each of
 * which JSON.parse called a function, which took more than a second of everybody's time.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decimal, parseNumber } from '../../src/base/decimal.ts'
import { parseJson, type Json } from '../../src/base/json.ts'
import { seededRandom, seedOfRun } from '../support/random.ts'

const BYTES = 2 * 1024 * 1024
/** Ten times what any of them takes on a slow machine; a pattern that tries each zero takes hours. */
const MS_MAX = 5_000

const filled = (unit: string): string => `[${`${unit},`.repeat(BYTES / (unit.length + 1) - 2)}${unit}]`
const zeros = '0'.repeat(BYTES - 20)

const ATTACKS: [name: string, text: string][] = [
  ['zeros between two digits', `[1${zeros}1]`],
  ['zeros behind the point', `[0.${zeros}1]`],
  ['zeros at both ends', `[1${'0'.repeat(BYTES / 2 - 20)}.${'0'.repeat(BYTES / 2 - 20)}]`],
  ['zeros in the exponent', `[1e${zeros}1]`],
  ['digits', `[${'9'.repeat(BYTES - 10)}]`],
  ['small numbers with exponents', filled('1e9')],
  ['numbers that no double holds', filled('1e999')],
  ['one such number and many objects', `[1e999,${filled('{}')}]`],
  ['one such number and many texts', `[1e999,${filled('""')}]`],
  ['one such number and many quotes', `[1e999,"${'\\"'.repeat(BYTES / 2 - 20)}"]`],
]

describe('two megabytes of', () => {
  for (const [name, text] of ATTACKS) {
    it(`${name} are read in time`, () => {
      const started = performance.now()
      const value = parseJson(text)
      const took = performance.now() - started
      assert.ok(Array.isArray(value) && value.length > 0)
      assert.ok(took < MS_MAX, `took ${Math.round(took)} ms`)
    })
  }
})

/** What the reader of exact numbers must give is what JSON.parse gives, but for the numbers. */
describe('a text with a number that needs its digits', () => {
  const rounded = (value: Json): unknown => {
    if (value instanceof Decimal) return Number(value.source)
    if (Array.isArray(value)) return value.map(rounded)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member as Json)]))
  }

  for (const text of [
    '1e999',
    ' \t\r\n-1e999 ',
    '[ ]',
    '{ "a" : 1e999 , "b" : [ true , false , null , "" ] }',
    '{"__proto__":1e999,"constructor":{"__proto__":{}},"2":0,"1":0}',
    '{"a":1e999,"a":1,"b":{},"a":2}',
    '["\\\\","\\"","\\u0022","\\\\\\"]}","ü\u2028\u{1F600}\\ud800",1e999]',
    '[[[[]],{"":{"":[{}]}}],1e999]',
  ]) {
    it(`is read as JSON.parse reads it: ${text.trim()}`, () => {
      assert.deepEqual(rounded(parseJson(text)), JSON.parse(text))
    })
  }

  it('is read as JSON.parse reads it, whatever it holds', () => {
    const { seed, below, pick } = seededRandom(seedOfRun())
    const names = ['a', 'b', '__proto__', '1', 'b"c', 'ü\u2028', '{"x":1e999}', '']
    const make = (level: number): string => {
      const blank = pick(['', '', ' ', '\n\t'])
      const many = (one: () => string): string => Array.from({ length: below(4) }, one).join(`${blank},`)
      switch (below(level > 4 ? 3 : 5)) {
        case 0:
          return `${blank}${pick(['', '-'])}${below(1_000_000)}${pick(['', '.5', '.000', '.12345678901234567'])}${pick(['', 'e5', 'E-320', 'e+400'])}`
        case 1:
          return `${pick(['true', 'false', 'null'])}${blank}`
        case 2:
          return JSON.stringify(pick(names))
        case 3:
          return `[${many(() => make(level + 1))}${blank}]`
        default:
          return `{${many(() => `${JSON.stringify(pick(names))}${blank}:${make(level + 1)}`)}${blank}}`
      }
    }
    for (let i = 0; i < 5_000; i++) {
      const text = `[1e999,${make(0)}]`
      assert.deepEqual(rounded(parseJson(text)), JSON.parse(text), `seed ${seed}: ${text}`)
    }
  })
})

it('a number is a double exactly where the double says the same', () => {
  for (const [source, isDouble] of [
    ['999999999999999', true],
    ['0.00000000000001', true],
    ['1e15', true],
    ['5e-324', true],
    ['4e-324', false],
    ['123456789e-320', true],
    ['1.2345678e-310', true],
    ['1.23456789e-316', false],
    ['1e-400', false],
    ['0e-400', true],
    ['-0.0e5', true],
    ['1e308', true],
    ['2e308', false],
    ['9007199254740993', false],
    ['10000000000000000', true],
  ] as const) {
    assert.equal(typeof parseNumber(source) === 'number', isDouble, source)
  }
})
