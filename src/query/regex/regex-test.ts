/**
 * The test of a regular expression on texts: what is quick to rule out is ruled out, the automaton decides the rest.
 *
 * The program is built for the first text that needs it. Most texts are ruled out before.
 */
import { takeSteps, type Steps } from '../steps.ts'
import { createSkipSearch } from '../skip-search.ts'
import { NATIVE_UNITS_MAX, type TextTest } from '../text-search.ts'
import { createAlphabet } from './alphabet.ts'
import { createLazyDfa, type TextMatcher } from './lazy-dfa.ts'
import type { PatternNode } from './pattern-tree.ts'
import { compileTree } from './program.ts'
import { leastUnits, requiredEnd, requiredStart, requiredTexts, type Clause, type RequiredText } from './required-texts.ts'
import { createStepper } from './state-set.ts'

/** A search for more texts than these would take as long as the automaton, and for shorter ones as well. */
const SEARCHED_MAX = 8
const SKIPPING_UNITS_MIN = 2
/** Of the memory, the share that the alphabet gets. */
const ALPHABET_SHARE = 0.25
/** A search compares eight characters in one step. */
const SEARCHED_PER_STEP_BITS = 3

interface RegexTestOptions {
  /** Texts are code points, not UTF-16 units. */
  readonly unicode: boolean
  /** For what is remembered from text to text. */
  readonly bytesMax: number
}

/** Makes the test of a tree. It takes time in proportion to the text, whatever the tree. */
export function createRegexTest(root: PatternNode, options: RegexTestOptions): TextMatcher {
  const mayMatch = createPrefilter(root)
  let automaton: TextMatcher | undefined
  return (text, steps) => {
    if (mayMatch !== undefined) {
      takeSteps(steps, 1 + (text.length >> SEARCHED_PER_STEP_BITS))
      if (!mayMatch(text)) return false
    }
    automaton ??= createAutomaton(root, options, steps)
    return automaton(text, steps)
  }
}

function createAutomaton(root: PatternNode, { unicode, bytesMax }: RegexTestOptions, steps: Steps): TextMatcher {
  takeSteps(steps, root.states)
  const program = compileTree(root, unicode)
  const alphabet = createAlphabet(program, bytesMax * ALPHABET_SHARE)
  const stepper = createStepper(program, alphabet)
  return createLazyDfa({ alphabet, stepper, unicode }, bytesMax * (1 - ALPHABET_SHARE))
}

/** Says of most texts that have no match that they have none, by a search for what every match has. */
function createPrefilter(root: PatternNode): TextTest | undefined {
  const [start, end] = [requiredStart(root), requiredEnd(root)]
  if (start !== undefined) return isSearchable(start) ? (text) => text.startsWith(start.text) : undefined
  if (end !== undefined && isSearchable(end)) return (text) => text.endsWith(end.text)
  const clauses = requiredTexts(root).filter((clause) => clause.length <= SEARCHED_MAX && clause.every(isFoldable))
  const best = clauses.toSorted((a, b) => worthOf(b) - worthOf(a))[0]
  if (best === undefined) return undefined
  const [only, ...more] = best
  if (only !== undefined && more.length === 0 && !only.ignoreCase) {
    const part = only.text.slice(0, NATIVE_UNITS_MAX)
    return (text) => text.includes(part)
  }
  // Short texts let no window move far.
  if (leastUnits(best) < SKIPPING_UNITS_MIN) return undefined
  const search = createSkipSearch(best)
  return (text) => search(text) !== 'absent'
}

/** Half of a surrogate pair may be found in a pair, whose folding is that of another character. */
function isFoldable({ text, ignoreCase }: RequiredText): boolean {
  return !ignoreCase || text.isWellFormed()
}

function isSearchable({ text, ignoreCase }: RequiredText): boolean {
  return text !== '' && !ignoreCase
}

function worthOf(clause: Clause): number {
  return leastUnits(clause) / clause.length
}
