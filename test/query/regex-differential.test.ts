/**
 * Our own matcher of patterns against V8, on which texts match and on which texts are patterns. First all small ones,
 * then random ones. `SEED=123` repeats a run; `npm run fuzz -- pattern` makes a longer one.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { compareWithV8, newPatternTally, ourMatcher, type Matcher } from '../support/query/pattern-comparison.ts'
import {
  randomPatternCase,
  randomSyntaxCase,
  sequences,
  smallPatternCases,
  SYNTAX_TOKENS,
  type PatternCase,
} from '../support/query/pattern-generator.ts'
import { startPatternOracle } from '../support/query/pattern-oracle.ts'
import { seededRandom, seedOfRun } from '../support/random.ts'

const SEED = seedOfRun()
const PAIRS_WANTED = 105_000
/** Twice as many as it takes. */
const RANDOM_CASES_MAX = 32_000
const CANARY_CASES = 20_000
/** The comparison is judged here, not the matcher: the same cases each time, which tell all of the mistakes. */
const CANARY_SEED = 1
const RANDOM_SYNTAX = 30_000
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
  it('for every pattern of up to two tokens on small texts', async () => {
    assert.equal(await compareWithV8(smallPatternCases(2), { oracle, tally }), undefined)
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
    assert.ok(tally.pairs >= 100_000, `${tally.pairs} pairs`)
    assert.ok(tally.matching > tally.pairs * 0.2 && tally.matching < tally.pairs * 0.8, `${tally.matching} match`)
    assert.ok(tally.noPatterns > 500, `${tally.noPatterns} are no patterns`)
    assert.ok(tally.skipped < tally.pairs / 100, `${tally.skipped} pairs took V8 too long`)
  })
})

describe(`a text is a pattern where V8 says so (SEED=${SEED})`, () => {
  it('for every text of up to two tokens', async () => {
    const cases = syntaxCases(sequences(SYNTAX_TOKENS, 2))
    assert.equal(await compareWithV8(cases, { oracle, tally: newPatternTally() }), undefined)
  })

  it('for random texts of metacharacters', async () => {
    const random = seededRandom(SEED)
    const counted = newPatternTally()
    const cases = some(RANDOM_SYNTAX, () => randomSyntaxCase(random))
    assert.equal(await compareWithV8(cases, { oracle, tally: counted }), undefined, `SEED=${SEED}`)
    assert.ok(counted.patterns > 3_000 && counted.noPatterns > 3_000, JSON.stringify(counted))
  })
})

/** What the matcher would be if it were wrong in one point. */
const WRONG: Readonly<Record<string, (one: PatternCase) => PatternCase>> = {
  'reads units for code points': (one) => ({ ...one, flags: one.flags.replace('u', '') }),
  'minds case': (one) => ({ ...one, flags: one.flags.replace('i', '') }),
  'takes a text for one line': (one) => ({ ...one, flags: one.flags.replace('m', '') }),
  'lets a dot stop at line breaks': (one) => ({ ...one, flags: one.flags.replace('s', '') }),
  'takes no boundary for a boundary': (one) => ({ ...one, source: one.source.replaceAll('\\B', '\\b') }),
  'leaves the last character out': (one) => ({ ...one, texts: one.texts.map((text) => text.slice(0, -1)) }),
  'repeats three times for two': (one) => ({ ...one, source: one.source.replaceAll('{2}', '{3}') }),
}

describe('a wrong matcher is found out when it', () => {
  for (const [name, change] of Object.entries(WRONG)) {
    it(name, async () => {
      const random = seededRandom(CANARY_SEED)
      const matcher: Matcher = (one, bytesMax) => ourMatcher(change(one), bytesMax)
      const cases = some(CANARY_CASES, () => randomPatternCase(random))
      const difference = await compareWithV8(cases, { oracle, tally: newPatternTally(), matcher })
      assert.notEqual(difference, undefined, `${CANARY_CASES} cases did not tell`)
    })
  }
})
