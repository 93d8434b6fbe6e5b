import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, writeJson, type Json } from '../../src/base/json.ts'
import { compareText, compareValues, equalValues, typeRank } from '../../src/query/values.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { randomJson, seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

/** From low to high; values within one inner list are equal. */
const ASCENDING = parseJson(`[
  [null],
  [-1e400], [-1e308], [-9007199254740993], [-9007199254740992], [-1, -1.0, -1e0], [-1e-400], [0, -0, -0.0, 0e9],
  [1e-400],
  [0.1], [0.10000000000000000000001], [1], [9007199254740992], [9007199254740993, 9007199254740993.0], [1e400, 10e399],
  [""], ["\\u0000"], ["0"], ["10"], ["9"], ["Zebra"], ["a"], ["ab"], ["apple"], ["e\\u0301"], ["\\u00c5land"],
  ["\\ud7ff"],
  ["\\ud800"], ["\\ud800x"], ["\\udc00"], ["\\ue000"], ["\\uff5e"], ["\\uffff"],
  ["\\ud800\\udc00"], ["\\ud83d\\ude00"], ["\\ud83d\\ude00a"], ["\\ud83d\\ude01"], ["\\udbff\\udfff"],
  [{}], [{"z": null}], [{"a": 1}], [{"a": 1, "b": 0}], [{"a": 2}], [{"b": 1}, {"b": 1.0}], [{"b": 1, "a": 1}],
  [{"a": "x"}], [{"a": {}}], [{"a": []}], [{"a": false}],
  [[]], [[null]], [[null, null]], [[1]], [[1, 0]], [[1, "x"]], [[2]], [["a"]], [[{}]], [[[]]], [[[[]]]], [[false]],
  [false], [true]
]`) as readonly (readonly Json[])[]

describe('compareValues()', () => {
  it('orders every pair of a list from low to high', () => {
    for (const [i, lower] of ASCENDING.entries()) {
      for (const [j, higher] of ASCENDING.entries()) {
        for (const a of lower) {
          for (const b of higher) {
            assert.equal(sign(compareValues(a, b)), sign(i - j), `${writeJson(a)} and ${writeJson(b)}`)
            assert.equal(equalValues(a, b), i === j, `${writeJson(a)} and ${writeJson(b)}`)
          }
        }
      }
    }
  })

  it('is a total order over random values', () => {
    const seed = seedOfTest()
    const random = seededRandom(seed)
    const scalars = ASCENDING.slice(0, 36).flat()
    const make = (): Json => randomJson(random, { keys: ['a', 'b'], scalars, depthMax: 3 })
    for (let round = 0; round < longRun(2_000, 20_000); round++) {
      const [a, b, c] = [make(), make(), make()]
      const about = `SEED=${seed} ${writeJson([a, b, c])}`
      assert.equal(sign(compareValues(a, b)), sign(-compareValues(b, a)), about)
      if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) assert.ok(compareValues(a, c) <= 0, about)
      if (compareValues(a, b) !== 0) assert.equal(equalValues(a, b), false, about)
    }
  })
})

describe('compareText()', () => {
  it('gives the order of UTF-8 bytes for every pair of short texts over telling characters', () => {
    const points = [0, 0x61, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x1f600, 0x1f601, 0x10ffff]
    const chars = ['', ...points.map((point) => String.fromCodePoint(point))]
    const texts = chars.flatMap((a) => chars.map((b) => a + b))
    const bytes = texts.map((text) => Buffer.from(text))
    let surrogatesMattered = 0
    for (const [i, a] of texts.entries()) {
      for (const [j, b] of texts.entries()) {
        const expected = Buffer.compare(bytes[i] as Buffer, bytes[j] as Buffer)
        if (Math.sign(compareText(a, b)) !== expected) assert.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)}`)
        if (expected !== (a < b ? -1 : a > b ? 1 : 0)) surrogatesMattered++
      }
    }
    assert.ok(surrogatesMattered > 500)
  })
})

describe('typeRank()', () => {
  it('ranks null, number, string, object, array, boolean', () => {
    const one = parseJson('[null, 1, 1e400, "", {}, [], true]') as readonly Json[]
    assert.deepEqual(one.map(typeRank), [0, 1, 1, 2, 3, 4, 5])
  })
})

/** -1, 0 or 1; never -0. */
function sign(order: number): number {
  return Math.sign(order) + 0
}
