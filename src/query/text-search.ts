/**
 * Finding a literal text in another, with or without regard to case, in time that grows with the length of the text
 * and not with the product of both lengths: the search text comes from strangers.
 *
 * Texts are sequences of code points. A search text that begins or ends with half of a surrogate pair (JSON can carry
 * one) does not match inside a whole pair, as a RegExp with the flag `u` would not.
 */
import { fold, foldedUnitAt } from './fold.ts'
import { createSkipSearch } from './skip-search.ts'

export type TextTest = (text: string) => boolean

/**
 * Up to this length `includes` takes time in proportion to the text. V8 looks at no more of a longer search text to tell
 * how far to move on (kBMMaxShift), and can take the product of both lengths.
 */
export const NATIVE_UNITS_MAX = 250

/** A test whether a text contains the needle. */
export function containsTest(needle: string, ignoreCase: boolean): TextTest {
  if (needle === '') return () => true
  const splits = mayCutPairs(needle)
  if (!ignoreCase && !splits && needle.length <= NATIVE_UNITS_MAX) return (text) => text.includes(needle)
  const sought = ignoreCase ? fold(needle) : needle
  const prepared: PreparedNeedle = { sought, borders: bordersOf(sought), ignoreCase, splits }
  const search = splits ? undefined : createSkipSearch([{ text: needle, ignoreCase }])
  return (text) => {
    const answer = search?.(text) ?? 'gave up'
    return answer === 'gave up' ? containsPrepared(text, prepared) : answer === 'found'
  }
}

/** A test whether a text begins with the needle. */
export function prefixTest(needle: string, ignoreCase: boolean): TextTest {
  const folded = fold(needle)
  return (text) => {
    if (text.length < needle.length || cutsPair(text, needle.length)) return false
    if (!ignoreCase) return text.startsWith(needle)
    for (let i = 0; i < folded.length; i++) {
      if (foldedUnitAt(text, i) !== folded.charCodeAt(i)) return false
    }
    return true
  }
}

interface PreparedNeedle {
  /** Folded, where case is ignored. */
  readonly sought: string
  readonly borders: Uint32Array
  readonly ignoreCase: boolean
  /** It begins or ends with half of a pair. */
  readonly splits: boolean
}

/** Knuth, Morris and Pratt: no unit of the text is looked at twice. */
function containsPrepared(text: string, { sought, borders, ignoreCase, splits }: PreparedNeedle): boolean {
  let matched = 0
  for (let i = 0; i < text.length; i++) {
    if (text.length - i < sought.length - matched) return false
    const unit = ignoreCase ? foldedUnitAt(text, i) : text.charCodeAt(i)
    while (matched > 0 && sought.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number
    if (sought.charCodeAt(matched) === unit) matched++
    if (matched < sought.length) continue
    const end = i + 1
    if (!splits || (!cutsPair(text, end - sought.length) && !cutsPair(text, end))) return true
    matched = borders[matched - 1] as number
  }
  return false
}

/** For each prefix of the needle, the length of its longest proper prefix that is also its suffix. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length)
  for (let i = 1, border = 0; i < needle.length; i++) {
    while (border > 0 && needle.charCodeAt(border) !== needle.charCodeAt(i)) border = borders[border - 1] as number
    if (needle.charCodeAt(border) === needle.charCodeAt(i)) border++
    borders[i] = border
  }
  return borders
}

function mayCutPairs(needle: string): boolean {
  return isTrail(needle.charCodeAt(0)) || isLead(needle.charCodeAt(needle.length - 1))
}

/** Whether position `at` lies between the two halves of a surrogate pair. */
function cutsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isLead(text.charCodeAt(at - 1)) && isTrail(text.charCodeAt(at))
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
