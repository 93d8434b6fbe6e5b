/**
 * `$regex` patterns as data.
 *
 * Most patterns come from search boxes and are plain words. Those are recognised here and never reach the regular
 * expression engine: a literal text, or a literal text at the start (`^Re`), is found in linear time and can be served
 * by an index. The rest is a JavaScript regular expression, with the flag `u` where the pattern is valid under it.
 * A text that is no valid pattern at all (`C++`, `(`) means itself, literally.
 *
 * A Pattern is plain data, so that it can travel to a worker thread; `patternTest` makes the function that runs.
 */
import { assertNever, fail } from '../base/failure.ts'
import { containsTest, prefixTest, type TextTest } from './text-search.ts'
import { withoutPatternSpace } from './pattern-space.ts'
import { takeSteps, unlimitedSteps, type Steps } from './steps.ts'

export type Pattern =
  | { readonly kind: 'literal'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly kind: 'prefix'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly kind: 'regexp'; readonly source: string; readonly flags: string }

/** The letters of `$options`. `u` is taken and changes nothing: it is on wherever it can be. */
export const PATTERN_OPTIONS = 'imsxu'

/** Reads a pattern with its options (letters of PATTERN_OPTIONS, in any order). Every text gives a Pattern. */
export function parsePattern(source: string, options: string): Pattern {
  const ignoreCase = options.includes('i')
  const kept = options.includes('x') ? withoutPatternSpace(source) : source
  const text = literalText(kept)
  if (text !== undefined) return literalPattern(text, ignoreCase)
  // With `m`, `^` also holds after a line break, so the text need not be at the start.
  const atStart = kept.startsWith('^') && !options.includes('m') ? literalText(kept.slice(1)) : undefined
  if (atStart === '') return literalPattern('', ignoreCase)
  if (atStart !== undefined) return Object.freeze({ kind: 'prefix', text: atStart, ignoreCase })

  const flags = [...'ims'].filter((letter) => options.includes(letter)).join('')
  if (isValid(kept, `${flags}u`)) return Object.freeze({ kind: 'regexp', source: kept, flags: `${flags}u` })
  if (isValid(kept, flags)) return Object.freeze({ kind: 'regexp', source: kept, flags })
  return literalPattern(source, ignoreCase)
}

/** The pattern that looks for a text, whatever characters it has. */
export function literalPattern(text: string, ignoreCase: boolean): Pattern {
  return Object.freeze({ kind: 'literal', text, ignoreCase })
}

/**
 * The test of a pattern on a text. A regular expression may run for any length of time on a hostile pattern; see
 * `isLinear` for those that may run where others wait. Throws badRequest when the engine gives up for lack of stack.
 */
export function patternTest(pattern: Pattern, steps: Steps = unlimitedSteps()): TextTest {
  const test = uncountedTest(pattern)
  return (text) => {
    takeSteps(steps, text.length)
    return test(text)
  }
}

function uncountedTest(pattern: Pattern): TextTest {
  switch (pattern.kind) {
    case 'literal':
      return containsTest(pattern.text, pattern.ignoreCase)
    case 'prefix':
      return prefixTest(pattern.text, pattern.ignoreCase)
    case 'regexp':
      return regexpTest(new RegExp(pattern.source, pattern.flags), pattern.source)
    default:
      return assertNever(pattern)
  }
}

function regexpTest(regexp: RegExp, source: string): TextTest {
  return (text) => {
    try {
      return regexp.test(text)
    } catch (cause) {
      // V8 throws a RangeError when backtracking fills its stack, and a SyntaxError for code that grows too large.
      throw fail('badRequest', `Cannot match pattern ${JSON.stringify(source)}: it needs too much memory`, { cause })
    }
  }
}

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== ''
  } catch {
    return false
  }
}

/**
 * The text a pattern stands for when it has no metacharacter that is not escaped (`C\+\+`, `a-b`, `{x}`); undefined
 * where it has one. Escaped letters and digits are classes, controls or references, so they are left to RegExp.
 */
function literalText(source: string): string | undefined {
  let text = ''
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i)
    if (char === '\\') {
      const escaped = source.charAt(++i)
      if (escaped === '' || /[A-Za-z0-9]/.test(escaped)) return undefined
      text += escaped
    } else {
      if ('^$.*+?()[|'.includes(char)) return undefined
      QUANTIFIER.lastIndex = i
      if (char === '{' && QUANTIFIER.test(source)) return undefined
      text += char
    }
  }
  return text
}

/** Braces that do not have this form stand for themselves (ECMA-262, annex B.1.2). */
const QUANTIFIER = /\{\d+(?:,\d*)?\}/y
