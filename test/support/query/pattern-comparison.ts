/** Our own matcher against V8, case by case. */
import { parseRegex } from '../../../src/query/regex/pattern-parser.ts'
import { createRegexTest } from '../../../src/query/regex/regex-test.ts'
import { parsePattern, patternTest } from '../../../src/query/pattern.ts'
import { unlimitedSteps } from '../../../src/query/steps.ts'
import type { TextTest } from '../../../src/query/text-search.ts'
import type { OracleResult, PatternOracle } from './pattern-oracle.ts'
import type { PatternCase } from './pattern-generator.ts'

/** Cases that are sent to the other process at once, and lost together where one of them takes V8 too long. */
const BATCH = 50
const STATES_MAX = 10_000
/** With this little memory the automaton is thrown away after a few characters, or given up. */
const TINY_BYTES = 600
const USUAL_BYTES = 100_000

export interface PatternTally {
  patterns: number
  noPatterns: number
  pairs: number
  matching: number
  /** Pairs for which V8 took too long. */
  skipped: number
}

export function newPatternTally(): PatternTally {
  return { patterns: 0, noPatterns: 0, pairs: 0, matching: 0, skipped: 0 }
}

function ourResult({ source, flags, texts }: PatternCase, bytesMax: number): OracleResult | 'not compared' {
  const parsed = parseRegex(source, flags)
  if (parsed === undefined) return 'no pattern'
  if (parsed.unsupported !== undefined || parsed.root.states > STATES_MAX) return 'not compared'
  const steps = unlimitedSteps()
  // A pattern of both dialects is one of the flag `u`; that of the other is asked for itself.
  const isChosen = parsed.unicode || parseRegex(source, `${flags}u`) === undefined
  const automaton = createRegexTest(parsed.root, { unicode: parsed.unicode, bytesMax })
  const test: TextTest = isChosen
    ? patternTest(parsePattern(source, flags), steps, bytesMax)
    : (text) => automaton(text, steps)
  return texts.map((text) => test(text))
}

/** Compares all cases, each with little memory or the usual. Gives the first difference. */
export async function compareWithV8(
  cases: Iterable<PatternCase>,
  { oracle, tally }: { oracle: PatternOracle; tally: PatternTally },
): Promise<string | undefined> {
  for (const batch of batches(cases)) {
    const results = await oracle.match(batch)
    if (results === undefined) {
      tally.skipped += batch.reduce((sum, { texts }) => sum + texts.length, 0)
      continue
    }
    for (const [i, one] of batch.entries()) {
      const theirs = results[i] as OracleResult
      const ours = ourResult(one, i % 4 === 0 ? TINY_BYTES : USUAL_BYTES)
      const difference = differenceOf(one, theirs, ours)
      if (difference !== undefined) return difference
      if (ours !== 'not compared') count(tally, theirs)
    }
  }
  return undefined
}

function differenceOf(one: PatternCase, theirs: OracleResult, ours: OracleResult | 'not compared'): string | undefined {
  if (ours === 'not compared') return theirs === 'no pattern' ? said(one, theirs, 'a pattern') : undefined
  if (typeof theirs === 'string' || typeof ours === 'string') {
    return typeof theirs === typeof ours ? undefined : said(one, String(theirs), String(ours))
  }
  const at = theirs.findIndex((matches, i) => matches !== ours[i])
  return at === -1 ? undefined : `${said(one, String(theirs[at]), String(ours[at]))} on ${shown(one.texts[at] ?? '')}`
}

function said({ source, flags }: PatternCase, theirs: string, ours: string): string {
  return `${shown(source)} with the flags "${flags}": V8 says ${theirs}, we say ${ours}`
}

/** A text in which every character can be told. */
function shown(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function count(tally: PatternTally, result: OracleResult): void {
  if (result === 'no pattern') tally.noPatterns++
  else {
    tally.patterns++
    tally.pairs += result.length
    tally.matching += result.filter(Boolean).length
  }
}

function* batches(cases: Iterable<PatternCase>): Generator<PatternCase[]> {
  let batch: PatternCase[] = []
  for (const one of cases) {
    batch.push(one)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
