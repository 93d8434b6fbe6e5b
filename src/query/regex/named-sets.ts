/** The sets of characters that escapes and assertions name (ECMA-262, CharacterClassEscape, LineTerminator). */
import type { Casing } from './case-variants.ts'
import { complement, type CharRange } from './char-set.ts'

export const LINE_TERMINATORS: readonly CharRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

export const WORD_CHARS: readonly CharRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]

/** With the flags `iu` also what folds to `s` and `k`: long s and the Kelvin sign. */
export const FOLDED_WORD_CHARS: readonly CharRange[] = [...WORD_CHARS, [0x017f, 0x017f], [0x212a, 0x212a]]

const DIGITS: readonly CharRange[] = [[0x30, 0x39]]

/** WhiteSpace and LineTerminator: the category Zs, the controls of ASCII, and U+FEFF. */
const WHITE_SPACE: readonly CharRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

/** What `\d`, `\D`, `\s`, `\S`, `\w` and `\W` stand for; undefined for other letters. */
export function escapedRanges(letter: string, casing: Casing): readonly CharRange[] | undefined {
  const lower = letter.toLowerCase()
  const word = casing === 'folded' ? FOLDED_WORD_CHARS : WORD_CHARS
  const ranges = lower === 'd' ? DIGITS : lower === 's' ? WHITE_SPACE : lower === 'w' ? word : undefined
  return ranges === undefined || letter === lower ? ranges : complement(ranges)
}
