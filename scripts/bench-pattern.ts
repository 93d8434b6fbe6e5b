/**
 * `npm run bench -- pattern [TITLES]`: our matcher beside V8's, round by round in one process. Hostile patterns go to V8
 * in a process of their own, which is killed after some seconds.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from '../src/base/clock.ts'
import { sampleContent } from '../src/content/seeds/sample.ts'
import { countrySeeds, languageSeeds } from '../src/content/seeds/seeds.ts'
import { parsePattern, patternTest } from '../src/query/pattern.ts'
import { unlimitedSteps } from '../src/query/steps.ts'
import type { TextTest } from '../src/query/text-search.ts'
import { seededRandom } from '../test/support/random.ts'

const TITLES_DEFAULT = 50_000
const WORDS_MIN = 6
const WORDS_MORE = 6
const ROUNDS = 15
const PASSES = 6
const V8_MS_MAX = 10_000

/** Patterns that people send, with options; wanted is at least half of V8's speed. */
const ORDINARY: readonly (readonly [pattern: string, options: string])[] = [
  ['fer+y', ''],
  ['^v\\d+', ''],
  ['cat|dog', ''],
  ['\\bcat\\b', ''],
  ['colou?r', 'i'],
  ['harbou?r (festival|market)', ''],
  ['[A-Z]\\w+ [A-Z]\\w+', ''],
  ['\\d{4}', ''],
  ['(new|old) .* (city|town)', 'i'],
  ['\\p{Lu}{2,}', ''],
  ['s$', ''],
]

/** Wanted is a thousand times V8's speed. */
const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+)+$', `${'a'.repeat(40)}!`],
  ['(x+x+)+y', 'x'.repeat(40)],
  ['^(([a-z0-9_]+)+)+!$', 'dashboard_summary_of_today_and_more'],
  ['^(?:a|aa)*$', `${'a'.repeat(60)}!`],
  ['(?:.*,){15}P', '1,2,'.repeat(60)],
  [`${'a?'.repeat(300)}aaaa`, 'a'.repeat(50)],
  [`${'(?:\\b|a)'.repeat(120)}aaaa`, 'a'.repeat(50)],
]

export async function benchPattern([count]: readonly string[]): Promise<void> {
  const texts = titles(Number(count ?? TITLES_DEFAULT))
  console.log(`${texts.length} titles, ${Math.round(texts.join('').length / texts.length)} characters on average`)
  console.log(`speed as a multiple of V8's: median of ${ROUNDS} rounds, least and most\n`)
  for (const [pattern, options] of ORDINARY) {
    const { median, least, most, matching } = compare(texts, pattern, options)
    const ratio = `${median.toFixed(2).padStart(8)}   ${least.toFixed(2)} to ${most.toFixed(2)}`
    console.log(`${`/${pattern}/${options}`.padEnd(34)}${ratio.padEnd(28)}${matching} match`)
  }
  console.log(`\nhostile patterns; V8 is given ${V8_MS_MAX} ms\n`)
  for (const [pattern, text] of HOSTILE) {
    const ours = timeOf(() => ourTest(pattern, '')(text))
    const theirs = await timeInV8(pattern, text)
    const shown = pattern.length > 30 ? `${pattern.slice(0, 29)}…` : pattern
    const ratio = `${theirs === undefined ? 'over ' : ''}${Math.round((theirs ?? V8_MS_MAX) / ours)} times`
    console.log(`${`/${shown}/`.padEnd(34)}${ours.toFixed(3).padStart(8)} ms${ratio.padStart(22)} faster`)
  }
}

function ourTest(pattern: string, options: string): TextTest {
  return patternTest(parsePattern(pattern, options), unlimitedSteps())
}

function compare(texts: readonly string[], pattern: string, options: string) {
  const [ours, expression] = [ourTest(pattern, options), new RegExp(pattern, `u${options}`)]
  const theirs: TextTest = (text) => expression.test(text)
  const matching = countMatching(texts, ours)
  if (matching !== countMatching(texts, theirs)) throw new Error(`V8 has another response to ${pattern}`)
  const ratios = Array.from({ length: ROUNDS }, () => {
    const mine = timeOf(() => countAgain(texts, ours))
    return timeOf(() => countAgain(texts, theirs)) / mine
  }).sort((a, b) => a - b)
  return { median: ratios[ROUNDS >> 1] ?? 0, least: ratios[0] ?? 0, most: ratios.at(-1) ?? 0, matching }
}

/** Long enough for the clock of the processor. */
function countAgain(texts: readonly string[], test: TextTest): void {
  for (let i = 0; i < PASSES; i++) countMatching(texts, test)
}

function countMatching(texts: readonly string[], test: TextTest): number {
  let count = 0
  for (const text of texts) if (test(text)) count++
  return count
}

/** Milliseconds of a processor, which do not run while others have it. */
function timeOf(work: () => void): number {
  const start = process.cpuUsage()
  work()
  return process.cpuUsage(start).user / 1_000
}

/** In milliseconds; undefined where V8 takes longer than it is given. */
async function timeInV8(pattern: string, text: string): Promise<number | undefined> {
  const child = fork(new URL('../test/support/query/v8-patterns.ts', import.meta.url))
  try {
    child.send([{ source: 'a', flags: 'u', texts: ['a'] }])
    await once(child, 'message')
    const start = performance.now()
    child.send([{ source: pattern, flags: 'u', texts: [text] }])
    await once(child, 'message', { signal: AbortSignal.timeout(V8_MS_MAX) })
    return performance.now() - start
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  } finally {
    child.kill('SIGKILL')
  }
}

/** Of the words of the sample headlines, the same each time. */
function titles(count: number): readonly string[] {
  const sample = sampleContent({ now: systemClock(), countries: countrySeeds(), languages: languageSeeds() })
  const words = sample.headlines.flatMap((item) => String(item['title']).split(' '))
  const random = seededRandom(1)
  return Array.from({ length: count }, () =>
    Array.from({ length: WORDS_MIN + random.below(WORDS_MORE) }, () => random.pick(words)).join(' '),
  )
}
