/**
 * `npm run fuzz -- query|parse|pattern [CASES]`: the random tests of `npm test`, for as long as one likes. The seed is printed;
 * `SEED=` repeats a run.
 *
 *   query   filters, sorts and pages in the store against brute force, with and without indexes
 *   parse   any JSON and any bytes as the parameter `filter`: a filter or a refusal
 *   pattern patterns on texts against V8, and which texts are patterns
 */
import { systemClock } from '../src/base/clock.ts'
import { outcomeOfQueryText, randomQueryText } from '../test/support/query/filter-bytes.ts'
import { compareWithV8, newPatternTally } from '../test/support/query/pattern-comparison.ts'
import { randomPatternCase, randomSyntaxCase } from '../test/support/query/pattern-generator.ts'
import { startPatternOracle } from '../test/support/query/pattern-oracle.ts'
import {
  createWorld,
  differenceOrError,
  newTally,
  randomQueryCase,
  realPlanner,
  report,
} from '../test/support/query/query-comparison.ts'
import { seededRandom, seedOfRun, type Random } from '../test/support/random.ts'

const CASES_DEFAULT = 100_000
const CASES_OF_A_WORLD = 500
const CHANGES = 60
const PATTERNS_AT_ONCE = 2_000
const REPORT_EVERY_MS = 5_000

const FUZZERS: Readonly<Record<string, (random: Random, cases: number) => Promise<string>>> = {
  query: fuzzQuery,
  parse: fuzzParse,
  pattern: fuzzPattern,
}

const [name = '', count = String(CASES_DEFAULT)] = process.argv.slice(2)
const fuzzer = FUZZERS[name]
if (fuzzer === undefined || !/^[1-9]\d{0,11}$/.test(count)) {
  console.error(`Usage: npm run fuzz -- ${Object.keys(FUZZERS).join('|')} [CASES]`)
  process.exitCode = 2
} else {
  const seed = seedOfRun()
  console.log(`SEED=${seed} ${count} cases`)
  try {
    console.log(await fuzzer(seededRandom(seed), Number(count)))
  } catch (error) {
    console.error(`SEED=${seed} ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

async function fuzzQuery(random: Random, cases: number): Promise<string> {
  const cleanups: (() => void | Promise<void>)[] = []
  const world = createWorld({ after: (work) => void cleanups.unshift(work) })
  const tally = newTally()
  const tick = progress()
  try {
    for (let i = 0; tally.cases < cases; i++) {
      if (i % CASES_OF_A_WORLD === 0) await world.change(random, CHANGES)
      const queryCase = randomQueryCase(random)
      for (const copy of [world.indexed, world.bare]) {
        const difference = differenceOrError(queryCase, { world, copy, random, planner: realPlanner, tally })
        if (difference !== undefined) throw new Error(report(queryCase, copy, difference))
      }
      tick(tally.cases)
    }
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
  const kinds = [...tally.kinds].map(([kind, met]) => `${kind} ${met}`).join(', ')
  const { cases: compared, pages, telling } = tally
  return `No difference in ${compared} cases, ${pages} pages; ${telling} told documents apart; met: ${kinds}`
}

async function fuzzParse(random: Random, cases: number): Promise<string> {
  const counts = { filter: 0, refused: 0, absent: 0 }
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    counts[outcomeOfQueryText(randomQueryText(random))]++
    tick(i)
  }
  return `Always a filter or a refusal: ${counts.filter} filters, ${counts.refused} refusals`
}

/** A case is a pair of a pattern and a text. */
async function fuzzPattern(random: Random, cases: number): Promise<string> {
  const oracle = startPatternOracle()
  const tally = newPatternTally()
  const tick = progress()
  try {
    while (tally.pairs < cases) {
      const patterns = Array.from({ length: PATTERNS_AT_ONCE }, () => randomPatternCase(random))
      const syntax = Array.from({ length: PATTERNS_AT_ONCE }, () => randomSyntaxCase(random))
      const difference = await compareWithV8([...patterns, ...syntax], { oracle, tally })
      if (difference !== undefined) throw new Error(difference)
      tick(tally.pairs)
    }
  } finally {
    oracle.close()
  }
  const { pairs, patterns, noPatterns, matching, skipped } = tally
  return `No difference in ${pairs} pairs of ${patterns} patterns, ${matching} match; ${noPatterns} texts were no patterns; V8 took too long for ${skipped}`
}

/** Says now and then how far it has come. */
function progress(): (done: number) => void {
  let said = systemClock()
  return (done) => {
    const now = systemClock()
    if (now - said < REPORT_EVERY_MS) return
    said = now
    console.log(`${done} cases`)
  }
}
