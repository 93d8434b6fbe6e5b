// isolated: it measures memory
/**
 * Numbers are kept to the last digit, and any client may send two megabytes of them, also before signing in.
 *
 * The attacks: one number with a million zeros in it, of which a pattern for the zeros at its end tried each, which held
 * up the service for hours; one number that needs its digits beside hundreds of thousands of members, for each of which
 * JSON.parse called a function, which blocked the event loop for more than a second; and one number with an exponent
 * beside a million zeros, all of which went through the reader of exact numbers for nothing.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decimal, parseNumber } from '../../src/base/decimal.ts'
import { readExactly } from '../../src/base/decimal-reader.ts'
import { JsonError, parseJson, parseJsonInTurns, surveyJson, writeJson, type Json } from '../../src/base/json.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const BYTES = 1024 * 1024
const ROUNDS = longRun(2_000, 20_000)
const UNLIMITED = { depthMax: Infinity, tokensMax: Infinity }

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

describe('a megabyte of', () => {
  for (const [name, text] of ATTACKS) {
    // A pattern that tries each zero takes hours, past every time-out.
    it(`${name} are read`, () => {
      const value = parseJson(text)
      assert.ok(Array.isArray(value) && value.length > 0)
    })
  }
})

describe('the tokens of a text', () => {
  for (const [text, tokens] of [
    ['[]', 1],
    ['[[],{}]', 3],
    ['{"a":1}', 3],
    ['[true,false,null,-1.5e3,"t,[{"]', 6],
    [' { "a\\\\" : [ "\\"" , 0 ] } ', 5],
  ] as const) {
    it(`are ${tokens} in ${text.trim()}`, () => {
      assert.deepEqual(surveyJson(text, { depthMax: 9, tokensMax: tokens }), { kind: 'plain', tokens })
      assert.equal(surveyJson(text, { depthMax: 9, tokensMax: tokens - 1 }).kind, 'too many tokens')
      assert.ok(parseJson(text, { tokensMax: tokens }))
      assert.throws(() => parseJson(text, { tokensMax: tokens - 1 }), JsonError)
    })
  }
})

describe('a text of many tokens', () => {
  const parse = async (text: string): Promise<{ readonly value: Json; readonly turns: number }> => {
    let turns = 0
    const value = await parseJsonInTurns(text, UNLIMITED, { turn: async () => void turns++ })
    return { value, turns }
  }

  for (const [name, unit] of [
    ['zeros', '0'],
    ['new names', '{"@":{"a":[]}}'],
    ['texts', '"x"'],
    ['numbers that no double holds', '1e400'],
    ['arrays within arrays', `${'['.repeat(50)}${']'.repeat(50)}`],
  ] as const) {
    it(`is parsed in turns: ${name}`, async () => {
      const per = surveyJson(unit, UNLIMITED).tokens
      const count = Math.floor(50_000 / per)
      const text = `[${Array.from({ length: count }, (_, i) => unit.replace('@', `${i}`)).join()}]`
      const { value, turns } = await parse(text)
      assert.equal(writeJson(value), text)
      assert.ok(turns >= 9, `${turns} turns`)
    })
  }

  it('is parsed at once where there are few', async () => assert.equal((await parse('[1,2,{"a":null}]')).turns, 0))

  it('is refused where it is malformed at its end', async () => {
    await assert.rejects(parse(`[${'0,'.repeat(50_000)}]`), /^JsonError: unexpected text at position 100001$/)
    await assert.rejects(parse(`[${'0,'.repeat(50_000)}0`), JsonError)
  })
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
    const { seed, below, pick } = seededRandom(seedOfTest())
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
    for (let i = 0; i < longRun(500, 5_000); i++) {
      const text = `[1e999,${make(0)}]`
      assert.deepEqual(rounded(parseJson(text)), JSON.parse(text), `seed ${seed}: ${text}`)
    }
  })
})

/** Malformed texts: a character of a valid one is left out, put in twice, or replaced. */
it('the reader of exact numbers refuses what JSON.parse refuses', () => {
  const { seed, below, pick } = seededRandom(seedOfTest())
  const valid = [
    '{"a":[1e999,-0.5,"x\\n\\u0041\\"",true,false,null],"b":{"":{}}}',
    '[ 0 , 10 , -1E+5 , { "c" : [ ] } ]',
    '"\\ud800"',
    '1e999',
  ]
  const units = [...'{}[]",:.-+eE0123tfn \\\t\n\u0000\u00a0\ufeffx']
  let refused = 0
  const attempt = (read: (text: string) => unknown, text: string): unknown => {
    try {
      return JSON.stringify(read(text))
    } catch (error) {
      assert.ok(error instanceof SyntaxError, String(error))
      return 'refused'
    }
  }
  const rounded = (text: string): unknown => {
    const value = readExactly(text)
    return JSON.parse(JSON.stringify(value))
  }
  for (let i = 0; i < ROUNDS; i++) {
    const source = pick(valid)
    const at = below(source.length)
    const text = source.slice(0, at) + pick(['', pick(units), source[at] ?? '']) + source.slice(at + below(2))
    const expected = attempt(JSON.parse, text)
    if (expected === 'refused') refused++
    assert.equal(attempt(rounded, text), expected, `seed ${seed}: ${JSON.stringify(text)}`)
  }
  assert.ok(refused > ROUNDS / 4 && refused < 0.95 * ROUNDS, `${refused} refused`)
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

/**
 * Attack: dates and ids that are remembered, each of them a slice of a body of two megabytes with a number that needs
 * its digits, and so that body as well.
 */
it('what is kept of a text does not keep the text', () => {
  const kept: Json[] = []
  const read = (i: number): void => {
    const text = `[1e400,"${'x'.repeat(1_000_000)}","an id that is remembered ${i}",1${i}1234567890.12345678901234567890]`
    const [, , id, number] = parseJson(text) as readonly Json[]
    kept.push(id ?? null, number ?? null)
  }
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 20; i++) read(i)
  collectGarbage()
  const grown = process.memoryUsage().heapUsed - before
  assert.ok(grown < 5_000_000, `${grown} bytes for ${kept.length} values`)
})
