/**
 * `$regex` patterns as data.
 *
 * The dialect is that of JavaScript, with the flag `u` where the pattern is valid under it, without look-around and
 * back-references. A text that is no valid pattern at all (`C++`, `(`) means itself, literally. Our own matcher takes
 * time in proportion to the text: no pattern of a client ever reaches the engine of the runtime, whose time may be
 * exponential, to compile as well as to match.
 *
 * Most patterns come from search boxes and are plain words: a literal text, or one at the start (`^Re`), is found by a
 * search and can be served by an index.
 *
 * A Pattern is plain data, so that it can travel to a worker thread; `patternTest` makes the function that runs.
 */
import { assertNever } from '../base/failure.ts'
import { filterFailureFound } from './filter-failure.ts'
import { withoutPatternSpace } from './pattern-space.ts'
import { parseRegex, type ParsedPattern } from './regex/pattern-parser.ts'
import { literalTextOf } from './regex/literal-text.ts'
import { createRegexTest } from './regex/regex-test.ts'
import { requiredTexts } from './regex/required-texts.ts'
import { takeSteps, type Steps } from './steps.ts'
import { containsTest, prefixTest, type TextTest } from './text-search.ts'

/** Of the automaton, with counted repetitions written out. */
const PATTERN_STATES_MAX = 10_000
/** What the patterns of one filter may remember together, from text to text. */
const REMEMBERED_BYTES_MAX = 4 * 2 ** 20
/** Of many patterns each gets at least this; a filter has a thousand of them at most. */
const REMEMBERED_BYTES_MIN = 8 * 2 ** 10

export type Pattern =
  | { readonly kind: 'literal'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly kind: 'prefix'; readonly text: string; readonly ignoreCase: boolean }
  | RegexpPattern

interface RegexpPattern {
  readonly kind: 'regexp'
  readonly source: string
  readonly flags: string
}

/** The letters of `$options`. `u` is taken and changes nothing: it is on wherever it can be. */
export const PATTERN_OPTIONS = 'imsxu'

/**
 * Reads a pattern with its options (letters of PATTERN_OPTIONS, in any order). Throws badRequest, naming the path `at`
 * in the filter, for look-around, back-references and too many states. Every other text gives a Pattern.
 */
export function parsePattern(source: string, options: string, at = '$'): Pattern {
  const ignoreCase = options.includes('i')
  const { kept, origins } = options.includes('x') ? withoutPatternSpace(source) : { kept: source, origins: undefined }
  const flags = [...'ims'].filter((letter) => options.includes(letter)).join('')
  const parsed = parseRegex(kept, `${flags}u`) ?? parseRegex(kept, flags)
  if (parsed === undefined) return literalPattern(source, ignoreCase)
  assertSupported(parsed, at, origins)
  const literal = literalTextOf(parsed, ignoreCase)
  if (literal === undefined) return regexpPattern(kept, parsed)
  const { text, atStart } = literal
  return atStart && text !== '' ? Object.freeze({ kind: 'prefix', text, ignoreCase }) : literalPattern(text, ignoreCase)
}

/** The pattern that looks for a text, whatever characters it has. */
export function literalPattern(text: string, ignoreCase: boolean): Pattern {
  return Object.freeze({ kind: 'literal', text, ignoreCase })
}

/** States of the automaton of a pattern, which memory and the time to build it grow with. */
export function statesOf(pattern: Pattern): number {
  return pattern.kind === 'regexp' ? treeOf(pattern).root.states : 0
}

/** Names of the Unicode properties in a pattern. */
export function propertiesOf(pattern: Pattern): ReadonlySet<string> {
  return pattern.kind === 'regexp' ? treeOf(pattern).properties : NO_PROPERTIES
}

const NO_PROPERTIES: ReadonlySet<string> = new Set()

/** Texts that every match has, one of each list and in any case; none are known of a pattern such as `\d+`. */
export function textsRequiredBy(pattern: RegexpPattern): readonly (readonly string[])[] {
  return requiredTexts(treeOf(pattern).root).map((clause) => clause.map(({ text }) => text))
}

/** What each of so many patterns may remember. */
export function bytesOfEach(patterns: number): number {
  return Math.max(REMEMBERED_BYTES_MIN, Math.floor(REMEMBERED_BYTES_MAX / Math.max(1, patterns)))
}

/**
 * The test of a pattern on a text, which counts its steps and throws StepsExceeded past their limit. `bytesMax` is for
 * what it remembers from text to text.
 */
export function patternTest(pattern: Pattern, steps: Steps, bytesMax = REMEMBERED_BYTES_MAX): TextTest {
  switch (pattern.kind) {
    case 'literal':
      return counted(containsTest(pattern.text, pattern.ignoreCase), steps)
    case 'prefix':
      return prefixTest(pattern.text, pattern.ignoreCase)
    case 'regexp': {
      const { root, unicode } = treeOf(pattern)
      const test = createRegexTest(root, { unicode, bytesMax })
      return (text) => test(text, steps)
    }
    default:
      return assertNever(pattern)
  }
}

function counted(test: TextTest, steps: Steps): TextTest {
  return (text) => {
    takeSteps(steps, text.length)
    return test(text)
  }
}

function regexpPattern(source: string, parsed: ParsedPattern): Pattern {
  const pattern: RegexpPattern = Object.freeze({ kind: 'regexp', source, flags: parsed.flags })
  trees.set(pattern, parsed)
  return pattern
}

/** Of patterns that are still in use. One that comes from another thread is read again. */
const trees = new WeakMap<RegexpPattern, ParsedPattern>()

function treeOf(pattern: RegexpPattern): ParsedPattern {
  const known = trees.get(pattern)
  if (known !== undefined) return known
  const parsed = parseRegex(pattern.source, pattern.flags)
  if (parsed === undefined) throw new Error(`The pattern ${JSON.stringify(pattern.source)} was never read`)
  trees.set(pattern, parsed)
  return parsed
}

function assertSupported({ root, unsupported }: ParsedPattern, at: string, origins: readonly number[] | undefined): void {
  if (unsupported !== undefined) {
    const { construct, text, index } = unsupported
    const found = `the ${construct} "${text}" at index ${origins?.[index] ?? index}`
    throw filterFailureFound(at, 'a pattern without look-around and back-references', found)
  }
  if (root.states > PATTERN_STATES_MAX) {
    const states = root.states <= Number.MAX_SAFE_INTEGER ? root.states : `more than ${Number.MAX_SAFE_INTEGER}`
    const expected = `a pattern of at most ${PATTERN_STATES_MAX} states with its repetitions written out`
    throw filterFailureFound(at, expected, String(states))
  }
}
