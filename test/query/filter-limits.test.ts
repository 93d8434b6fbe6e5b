/** The bounds of a filter, each at its limit and one past it, and filters and documents made to exhaust something. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { type Json, type JsonObject } from '../../src/base/json.ts'
import { matches } from '../../src/query/match.ts'
import { parseFilter, parseFilterText } from '../../src/query/parse.ts'

const nest = (times: number, inner: Json, wrap: (inner: Json) => Json): Json => {
  let value = inner
  for (let i = 0; i < times; i++) value = wrap(value)
  return value
}
const list = (length: number): number[] => Array.from({ length }, (_, i) => i)
const refusal =
  (message: RegExp) =>
  (error: Error): boolean => {
    assert.ok(error instanceof Failure && error.code === 'badRequest', String(error))
    assert.match(error.message, message)
    assert.ok(error.message.length < 500, error.message)
    return true
  }

describe('parseFilter() takes a filter at each limit and refuses one past it', () => {
  const levels = /expected at most 100 levels, found 101$/
  const rows: readonly (readonly [name: string, make: (size: number) => Json, limit: number, message: RegExp])[] = [
    ['levels of $and', (n) => nest(n - 1, { a: 1 }, (f) => ({ $and: [f] })), 100, levels],
    ['levels of $or and $nor', (n) => nest(n - 1, { a: { $gt: 1 } }, (f) => ({ $or: [{ b: 1 }, f] })), 100, levels],
    ['levels of $not', (n) => ({ a: nest(n - 1, { $gt: 1 }, (f) => ({ $not: f })) }), 100, levels],
    ['levels of $elemMatch', (n) => nest(n - 1, { a: 1 }, (f) => ({ a: { $elemMatch: f } })), 100, levels],
    ['levels of a literal', (n) => nest(n - 1, 1, (v) => ({ a: v })), 101, levels],
    ['levels of an operand', (n) => ({ a: { $gte: nest(n - 1, 1, (v) => [v]) } }), 100, levels],
    ['levels of a list member', (n) => ({ a: { $in: [0, nest(n - 1, 1, (v) => ({ b: v }))] } }), 100, levels],
    ['conditions', (n) => ({ $or: list(n).map((i) => ({ a: i })) }), 1000, /at most 1000 conditions, found 1001$/],
    ['conditions of one filter', (n) => Object.fromEntries(list(n).map((i) => [`f${i}`, i])), 1000, /found 1001$/],
    ['operators of fields', (n) => ({ b: 1, $and: list(n - 1).map((i) => ({ a: { $gt: i } })) }), 1000, /found 1001$/],
    ['empty members', (n) => ({ $or: [{ $and: list(n - 1).map(() => ({})) }, { a: 1 }] }), 1000, /found 1001$/],
    ['members of $in', (n) => ({ a: { $in: list(n) } }), 1000, /"\$\.a\.\$in": .* at most 1000 members, found 1001$/],
    ['members of $nin', (n) => ({ a: { $nin: list(n) } }), 1000, /\$nin": expected at most 1000 members, found 1001$/],
    ['members of $all', (n) => ({ a: { $all: list(n) } }), 1000, /\$all": expected at most 1000 members, found 1001$/],
    ['characters of a pattern', (n) => ({ a: { $regex: 'x'.repeat(n) } }), 1000, /most 1000 characters, found 1001$/],
    ['characters past U+FFFF', (n) => ({ a: { $regex: '\u{1F600}'.repeat(n) } }), 1000, /1000 characters, found 1001$/],
  ]
  for (const [name, make, limit, message] of rows) {
    it(name, () => {
      assert.ok(parseFilter(make(limit)))
      assert.throws(() => parseFilter(make(limit + 1)), refusal(message))
    })
  }

  it('and counts conditions within $elemMatch, $not and $all', () => {
    const filter = (n: number): Json => ({
      a: { $not: { $gt: 1 }, $elemMatch: { b: 1 }, $all: [{ $elemMatch: { c: 1 } }] },
      $and: list(n).map((i) => ({ a: i })),
    })
    // $gt, $elemMatch, b, $all, its $elemMatch, c
    assert.ok(parseFilter(filter(994)))
    assert.throws(() => parseFilter(filter(995)), refusal(/found 1001$/))
  })
})

describe('parseFilterText()', () => {
  const ofBytes = (bytes: number): string => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`

  it('takes 64 KiB of UTF-8 and refuses more', () => {
    assert.equal(Buffer.byteLength(ofBytes(65_536)), 65_536)
    assert.ok(parseFilterText(ofBytes(65_536)))
    assert.throws(() => parseFilterText(`${ofBytes(65_536)} `), refusal(/at most 65536 bytes of text, found 65537$/))
  })

  it('keeps numbers that a double cannot hold', () => {
    const filter = parseFilter(parseFilterText('{"a":9007199254740993}'))
    assert.equal(matches(filter, { a: parseFilterText('9007199254740993') }), true)
    assert.equal(matches(filter, { a: parseFilterText('9007199254740992') }), false)
  })

  const malformed = ['', '{', '{"a":}', "{'a':1}", '{"a":1}}', 'a=1', '{"a":NaN}', '\u0000']
  for (const text of [...malformed, '['.repeat(60_000), '{"$and":['.repeat(7_000)]) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))} of ${text.length} characters`, () => {
      const message = /^Cannot read filter: expected a JSON object of at most 100 levels/
      assert.throws(() => parseFilterText(text), refusal(message))
    })
  }

  it('does not repeat the text in its message', () => {
    assert.throws(() => parseFilterText('{"secret":"hunter2",}'), (error: Error) => !error.message.includes('hunter2'))
  })
})

describe('messages of parseFilter()', () => {
  it('cut the place when names are long, and escape what would break a line', () => {
    const filter = { [`a\n"${'x'.repeat(5_000)}`]: { $foo: 1 } }
    const message = /^Cannot read filter at "\$\.a\\n\\"x+…x+\.\$foo": expected .*, found "\$foo"$/
    assert.throws(() => parseFilter(filter), refusal(message))
  })

  it('cut what was found', () => {
    assert.throws(() => parseFilter({ [`$${'x'.repeat(5_000)}`]: 1 }), refusal(/found "\$x{59}…"$/))
  })
})

describe('parseFilter() leaves its argument alone', () => {
  it('and freezes what it makes', () => {
    const source = { a: { $in: [1, { b: 2 }] }, b: { $all: [1, 2] } }
    const parsed = parseFilter(source)
    assert.ok(Object.isFrozen(parsed))
    assert.ok(!Object.isFrozen(source.a.$in))
    source.a.$in.push(7)
    assert.equal(matches(parsed, { a: 7, b: [1, 2] }), false)
  })
})

describe('matches() on documents made to exhaust it', () => {
  it('looks once at each object when numbers are keys and indexes at every level', () => {
    // Without that, each level doubles the ways: 40 levels would not end.
    const document = nest(60, { x: 1 }, (inner) => ({ 0: [inner] })) as JsonObject
    const path = list(60).fill(0).join('.')
    for (const name of [path, `${path}.x`, `${path}.0.0.0`]) {
      assert.equal(matches(parseFilter({ [name]: 'nowhere' }), document), false)
    }
    const within = nest(20, { '0.0.0': 5 }, (inner) => ({ '0.0': { $elemMatch: inner } }))
    assert.equal(matches(parseFilter(within), document), false)
  })

  it('walks the deepest document and the longest path', () => {
    const document = nest(190, 1, (inner) => ({ a: inner })) as JsonObject
    assert.equal(
      matches(
        parseFilter({
          [list(190)
            .fill(0)
            .map(() => 'a')
            .join('.')]: 1,
        }),
        document,
      ),
      true,
    )
    assert.equal(matches(parseFilter({ ['a.'.repeat(30_000)]: null }), document), true)
  })

  it('compares the largest list with the largest array', () => {
    const filter = parseFilter({ a: { $nin: list(1000).map((i) => `v${i}`) } })
    assert.equal(matches(filter, { a: list(50_000).map((i) => `w${i}`) }), true)
    assert.equal(matches(filter, { a: [...list(50_000), 'v999'] }), false)
  })
})
