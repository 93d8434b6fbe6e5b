/**
 * Our own matcher of patterns against V8, on which texts match and on which texts are patterns. First all small ones,
 * then random ones. `SEED=123` repeats a run; `npm run fuzz -- pattern` makes a longer one.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { compareWithV8, newPatternTally } from '../support/query/pattern-comparison.ts'
import {
  randomPatternCase,
  randomSyntaxCase,
  sequences,
  smallPatternCases,
  SYNTAX_TOKENS,
  type PatternCase,
} from '../support/query/pattern-generator.ts'
import { startPatternOracle } from '../support/query/pattern-oracle.ts'
import { fuzzRun, longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const SEED = seedOfTest()
const TOKENS_MAX = longRun(1, 2)
const PAIRS_WANTED = fuzzRun(8_000, 105_000)
/** Twice as many as it takes. */
const RANDOM_CASES_MAX = Math.ceil(PAIRS_WANTED * 0.31)
const RANDOM_SYNTAX = fuzzRun(2_000, 30_000)
const SYNTAX_FLAGS = ['u', '']

const oracle = startPatternOracle()
after(() => oracle.close())
const tally = newPatternTally()

function* some<Item>(countMax: number, make: () => Item, isWanted = (): boolean => true): Generator<Item> {
  for (let i = 0; i < countMax && isWanted(); i++) yield make()
}

function* syntaxCases(sources: Iterable<string>): Generator<PatternCase> {
  for (const source of sources) for (const flags of SYNTAX_FLAGS) yield { source, flags, texts: [] }
}

describe(`patterns match as V8 says (SEED=${SEED})`, () => {
  it('for all small patterns on small texts', async () => {
    assert.equal(await compareWithV8(smallPatternCases(TOKENS_MAX), { oracle, tally }), undefined)
  })

  it('for random patterns and texts', async () => {
    const random = seededRandom(SEED)
    const difference = await compareWithV8(
      some(RANDOM_CASES_MAX, () => randomPatternCase(random), () => tally.pairs < PAIRS_WANTED),
      { oracle, tally },
    )
    assert.equal(difference, undefined, `SEED=${SEED}`)
  })

  it('which means something: many pairs were compared, and they told patterns and texts apart', () => {
    assert.ok(tally.pairs >= PAIRS_WANTED * 0.9, `${tally.pairs} pairs`)
    assert.ok(tally.matching > tally.pairs * 0.2 && tally.matching < tally.pairs * 0.8, `${tally.matching} match`)
    assert.ok(tally.noPatterns > PAIRS_WANTED / 500, `${tally.noPatterns} are no patterns`)
    assert.ok(tally.skipped < tally.pairs / 100, `${tally.skipped} pairs took V8 too long`)
  })
})

describe(`a text is a pattern where V8 says so (SEED=${SEED})`, () => {
  it('for all small texts', async () => {
    const cases = syntaxCases(sequences(SYNTAX_TOKENS, TOKENS_MAX))
    assert.equal(await compareWithV8(cases, { oracle, tally: newPatternTally() }), undefined)
  })

  it('for random texts of metacharacters', async () => {
    const random = seededRandom(SEED)
    const counted = newPatternTally()
    const cases = some(RANDOM_SYNTAX, () => randomSyntaxCase(random))
    assert.equal(await compareWithV8(cases, { oracle, tally: counted }), undefined, `SEED=${SEED}`)
    assert.ok(counted.patterns > RANDOM_SYNTAX / 10 && counted.noPatterns > RANDOM_SYNTAX / 10, JSON.stringify(counted))
  })
})
