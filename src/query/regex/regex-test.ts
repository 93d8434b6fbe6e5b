/**
 * The test of a regular expression on texts: what is quick to rule out is ruled out, the automaton decides the rest.
 *
 * The program is built when the first text comes, for many a filter is never asked about one.
 */
import { takeSteps, type Steps } from '../steps.ts'
import { createAlphabet } from './alphabet.ts'
import { createLazyDfa, type TextMatcher } from './lazy-dfa.ts'
import type { PatternNode } from './pattern-tree.ts'
import { compileTree } from './program.ts'
import { leastUnits, requiredTexts } from './required-texts.ts'
import { createStepper } from './state-set.ts'

/** Searches for more texts than these would take as long as the automaton. */
const SEARCHED_MAX = 3
/** Of the memory, the share that the alphabet gets. */
const ALPHABET_SHARE = 0.25
/** A search compares so many characters in one step. */
const SEARCHED_PER_STEP = 8

interface RegexTestOptions {
  /** Texts are code points, not UTF-16 units. */
  readonly unicode: boolean
  /** For what is remembered from text to text. */
  readonly bytesMax: number
}

/** Makes the test of a tree. It takes time in proportion to the text, whatever the tree. */
export function createRegexTest(root: PatternNode, options: RegexTestOptions): TextMatcher {
  const searched = searchedTexts(root)
  let automaton: TextMatcher | undefined
  return (text, steps) => {
    if (searched.length > 0) {
      takeSteps(steps, 1 + Math.floor((searched.length * text.length) / SEARCHED_PER_STEP))
      if (!searched.some((one) => text.includes(one))) return false
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

/** Texts of which every match has one, to be found as they are: case is left to the automaton, which is as fast. */
function searchedTexts(root: PatternNode): readonly string[] {
  const exact = requiredTexts(root).filter(
    (clause) => clause.length <= SEARCHED_MAX && clause.every(({ ignoreCase }) => !ignoreCase),
  )
  const best = exact.toSorted((a, b) => leastUnits(b) / b.length - leastUnits(a) / a.length)[0]
  return best?.map(({ text }) => text) ?? []
}
