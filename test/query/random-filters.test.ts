/**
 * Random filters over random documents: the engine against the naive reference, and the parser against anything.
 * The scalars and keys are few on purpose, so that conditions meet and arrays nest where they matter.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { readFilter, writeFilter } from '../../src/query/ast.ts'
import { matches } from '../../src/query/match.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { randomJson, seededRandom, seedOfTest, type Random } from '../../scripts/tools/random.ts'
import { referenceMatches } from '../support/query/reference-matcher.ts'

const KEYS = ['a', 'b', '0', '1']
const SCALARS: readonly Json[] = [null, true, false, 0, 1, -1, 2.5, 2 ** 31, '', 'a', 'b', '0', '\u{1F600}', '\uFF5E']
const PATHS = ['a', 'b', 'a.b', 'b.a', 'a.0', 'a.1', 'a.b.0', 'a.0.b', 'a.0.0', 'a.b.b', 'a.1.0.1']
const SEED = seedOfTest()

const value = (random: Random): Json => randomJson(random, { keys: KEYS, scalars: SCALARS, depthMax: 3 })

function document(random: Random): JsonObject {
  return Object.fromEntries(['a', 'b', '0'].filter(() => !random.oneIn(4)).map((key) => [key, value(random)]))
}

function filter(random: Random, depth: number): JsonObject {
  return Object.fromEntries(
    random.list(2, () => {
      if (depth === 0 || !random.oneIn(3)) {
        return [random.pick(PATHS), random.oneIn(4) ? value(random) : operators(random, depth)]
      }
      const members = [filter(random, depth - 1), ...random.list(2, () => filter(random, depth - 1))]
      return [random.pick(['$and', '$or', '$nor']), members]
    }),
  )
}

function operators(random: Random, depth: number): JsonObject {
  const makers: readonly (() => readonly [string, Json])[] = [
    () => [random.pick(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']), value(random)],
    () => [random.pick(['$gt', '$gte', '$lt', '$lte']), random.pick(SCALARS)],
    () => [random.pick(['$in', '$nin', '$all']), random.list(3, () => value(random))],
    () => ['$exists', random.pick(SCALARS)],
    () => ['$type', random.pick(['null', 'int', 'long', 'double', 'string', 'object', 'array', 'bool'])],
    () => ['$size', random.below(4)],
    () => ['$mod', [random.pick([2, 3, -2]), random.pick([0, 1, -1])]],
    () => ['$regex', random.pick(['a', '^b', '', 'a|b', '.'])],
    () => ['$elemMatch', random.oneIn(2) || depth === 0 ? operators(random, 0) : filter(random, depth - 1)],
    () => ['$all', [{ $elemMatch: operators(random, 0) }, { $elemMatch: operators(random, 0) }]],
    () => ['$not', operators(random, Math.max(0, depth - 1))],
  ]
  return Object.fromEntries([random.pick(makers)(), ...random.list(1, () => random.pick(makers)())])
}

describe('random filters', () => {
  it('match what a naive reading of the language matches', () => {
    const random = seededRandom(SEED)
    let [matched, total, caught] = [0, 0, 0]
    for (let round = 0; round < longRun(300, 6_000); round++) {
      const source = filter(random, 2)
      const parsed = parseFilter(source)
      const travelled = readFilter(writeFilter(parsed))
      for (let i = 0; i < 8; i++) {
        const one = document(random)
        const expected = referenceMatches(source, one)
        const about = `SEED=${SEED} filter ${writeJson(source)} document ${writeJson(one)}`
        assert.equal(matches(parsed, one), expected, about)
        assert.equal(matches(travelled, one), expected, `after its way through a text, ${about}`)
        total++
        if (expected) matched++
        // A canary: an engine without array indexes has to be found out by these samples.
        if (expected !== matches(parseFilter(withoutIndexes(source)), one)) caught++
      }
    }
    assert.ok(matched > total / 10 && matched < (total * 9) / 10, `${matched} of ${total} matched, SEED=${SEED}`)
    assert.ok(caught > longRun(2, 20), `the samples caught a wrong engine only ${caught} times, SEED=${SEED}`)
  })
})

/** The filter with each numeric segment of a path renamed, so that it is a key of nothing. */
function withoutIndexes(source: JsonObject): JsonObject {
  return JSON.parse(writeJson(source).replace(/"a\.[01]/g, '"a.x'))
}
