/**
 * `npm run conformance -- feed [PATH]`: our reader of feeds before the test feeds of Python's feedparser 6.0.14, which
 * are fetched from PyPI, once, into dist/tools. Each has an expectation in a comment; those on parts that a headline has
 * are compared. At least 98 % must be equal, and each of the others must stand with its reason in
 * known-differences.json. A path prints what was found in those files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../src/base/failure.ts'
import type { Feed } from '../../../src/feeds/feed.ts'
import { readDate } from '../../../src/feeds/reading/feed-dates.ts'
import { decodeFeed } from '../../../src/feeds/reading/feed-encoding.ts'
import { FEED_ITEMS_MAX } from '../../../src/feeds/reading/feed-members.ts'
import { createProblems } from '../../../src/feeds/reading/feed-problems.ts'
import { readTree } from '../../../src/feeds/reading/feed-tree.ts'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'
import { requireNone, type CheckRun, type Conformance } from '../conformance.ts'
import { dateCases, feedCases, feedparserTests, type FeedCase } from './corpus.ts'
import { feedView, instant } from './feed-view.ts'
import { evaluatePython, isTrue, NotAsked, parsePython, type PythonNode, type PythonValue } from './python-expression.ts'

const EQUAL_PERCENT_MIN = 98
/** All dates of the corpus are in the past. */
const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const SERVER = 'http://127.0.0.1:8097/tests/'
const KNOWN_FILE = join(import.meta.dirname, 'known-differences.json')
const KNOWN = JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as Readonly<Record<string, string>>

/** The problem of an encoding that the WHATWG standard, and so TextDecoder, does not have. */
const UNKNOWN_ENCODING = /^The encoding ".*" is unknown/

/** Besides `equal` and `different`, why a test is not compared. */
type Outcome = 'equal' | 'different' | 'not a part of a headline' | 'CDF' | 'other encodings' | 'other headers' | 'chardet'

export const FEED: Conformance = { checks: { feedparser: checkFeedparser }, words: /./ }

function checkFeedparser({ say, words: [only] }: CheckRun): void {
  report(outcomes(feedparserTests(), only), only, say)
}

function outcomes(directory: string, only: string | undefined): ReadonlyMap<string, Outcome> {
  const found = new Map<string, Outcome>()
  const cases = feedCases(directory).filter(({ path }) => only === undefined || path.includes(only))
  const expectations = parsePython(cases.map(({ expectation }) => expectation))
  for (const [i, one] of cases.entries()) found.set(one.path, outcomeOf(one, expectations[i] as PythonNode, only !== undefined))
  const dates = only === undefined ? dateCases(directory) : []
  const pairs = parsePython(dates.map(({ written, expected }) => `(${written}, ${expected})`)).map((pair) => evaluatePython(pair, noName))
  for (const [i, { reader }] of dates.entries()) {
    const [text, nine] = pairs[i] as readonly [string, PythonValue]
    const isEqual = instant(readDate(text, NOW)).equals(nine)
    found.set(`dates: ${reader}: ${text}`, isEqual ? 'equal' : 'different')
  }
  return found
}

function noName(name: string): never {
  throw new NotAsked(`it asks for ${name}`)
}

function outcomeOf({ path, bytes, expectation, headers }: FeedCase, tree: PythonNode, isShown: boolean): Outcome {
  const reason = reasonToLeaveOut(path, expectation, headers)
  if (reason !== undefined) return reason
  const content = headers.get('content-type')
  const address = new URL(path, SERVER).href
  try {
    const options = { address, now: NOW, ...(content === undefined ? {} : { contentType: content }) }
    const feed = readOrEmpty(bytes, options)
    const { text, encoding } = decodeFeed(bytes, content)
    if (expectation.startsWith('not bozo') && feed.problems.some(({ message }) => UNKNOWN_ENCODING.test(message))) return 'other encodings'
    const elements = readTree(text, { address, itemsMax: FEED_ITEMS_MAX, problems: createProblems(text) })
    if (isShown) console.log(path, expectation, JSON.stringify(feed, undefined, 1))
    const value = evaluatePython(tree, feedView({ feed, tree: elements, address, encoding, isAscii: bytes.every((byte) => byte < 0x80), now: NOW }))
    return isTrue(value) ? 'equal' : 'different'
  } catch (error) {
    if (error instanceof NotAsked) return 'not a part of a headline'
    throw new Error(`${path}: ${expectation}`, { cause: error })
  }
}

function reasonToLeaveOut(path: string, expectation: string, headers: FeedCase['headers']): Outcome | undefined {
  // Tests that only look for a crash, or at the status of a response.
  if (/^[01]$/.test(expectation)) return 'not a part of a headline'
  if (/\bcdf/.test(path)) return 'CDF'
  // HTTP gave up Content-Location as a base (RFC 7231, appendix B).
  if (headers.has('content-location') || headers.has('content-language')) return 'other headers'
  // feedparser itself guesses only where the package chardet is installed.
  return path.includes('/chardet/') ? 'chardet' : undefined
}

/** What is no feed for us is one with nothing but a problem for feedparser. */
function readOrEmpty(bytes: Uint8Array, options: Parameters<typeof readFeed>[1]): Feed {
  try {
    return readFeed(bytes, options)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { format: 'rss', items: [], leftOut: 0, problems: [{ code: 'markup', params: {}, message: error.message }] }
  }
}

function report(found: ReadonlyMap<string, Outcome>, only: string | undefined, say: CheckRun['say']): void {
  const paths = (outcome: Outcome): readonly string[] => [...found].filter(([, one]) => one === outcome).map(([path]) => path)
  const [equal, different] = [paths('equal'), paths('different')]
  const unknown = different.filter((path) => KNOWN[path] === undefined)
  const gone = only === undefined ? Object.keys(KNOWN).filter((path) => found.get(path) !== 'different') : []
  const percent = (100 * equal.length) / (equal.length + different.length)
  const left = Map.groupBy([...found.values()], (outcome) => outcome)
  left.delete('equal')
  left.delete('different')
  say(
    `${equal.length} equal, ${different.length} different (${different.length - unknown.length} with a reason), ` +
      `${percent.toFixed(1)} %; not compared: ${[...left].map(([outcome, all]) => `${outcome} ${all.length}`).join(', ')}`,
  )
  requireNone([
    ...unknown.map((path) => `different: ${path}`),
    ...gone.map((path) => `no longer different: ${path}: drop it from ${KNOWN_FILE}`),
    ...(percent < EQUAL_PERCENT_MIN ? [`fewer than ${EQUAL_PERCENT_MIN} % are equal`] : []),
  ])
}
