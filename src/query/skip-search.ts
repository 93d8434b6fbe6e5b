/**
 * Whether one of some texts stands in another, by looking at few of its characters (Horspool, and Wu and Manber for
 * several texts): the character at the end of a window says how far the window may move at once.
 *
 * That is fastest for words in prose. On a text that is made for it each window is nearly a match, so the search gives
 * up when it has compared about as many characters as there are; the caller has another way, in linear time.
 */
import { fold, foldedUnitAt } from './fold.ts'
import { caseVariants } from './regex/case-variants.ts'

/** Compared characters: these, and one for each that the text has. */
const COMPARED_MIN = 64
const LOW_BYTE = 0xff

export type SkipSearch = (text: string) => 'found' | 'absent' | 'gave up'

export interface SoughtText {
  /** Not empty. Units are compared, so where case is ignored it must have no half of a surrogate pair at an end. */
  readonly text: string
  readonly ignoreCase: boolean
}

/** Makes the search for any of the texts. */
export function createSkipSearch(sought: readonly SoughtText[]): SkipSearch {
  const width = Math.min(...sought.map(({ text }) => text.length))
  const shifts = shiftTable(sought, width)
  const wanted = sought.map(({ text, ignoreCase }) => ({ ignoreCase, text: ignoreCase ? fold(text) : text }))
  return (text) => {
    const end = text.length
    let comparable = COMPARED_MIN + end
    for (let last = width - 1; last < end; last++) {
      let shift = shifts[text.charCodeAt(last) & LOW_BYTE] as number
      while (shift > 0) {
        last += shift
        if (last >= end) return 'absent'
        shift = shifts[text.charCodeAt(last) & LOW_BYTE] as number
      }
      for (let i = 0; i < wanted.length; i++) {
        const one = wanted[i] as SoughtText
        const same = sameUnits(text, last - width + 1, one)
        if (same === one.text.length) return 'found'
        comparable -= 1 + same
      }
      if (comparable < 0) return 'gave up'
    }
    return 'absent'
  }
}

/** How many units of the wanted text stand at an offset. */
function sameUnits(text: string, from: number, { text: wanted, ignoreCase }: SoughtText): number {
  let same = 0
  while (
    same < wanted.length &&
    wanted.charCodeAt(same) === (ignoreCase ? foldedUnitAt(text, from + same) : text.charCodeAt(from + same))
  ) {
    same++
  }
  return same
}

/** For the low byte of the unit at the end of a window: how far the next offset is where a text could stand. */
function shiftTable(sought: readonly SoughtText[], width: number): Uint16Array {
  const shifts = new Uint16Array(LOW_BYTE + 1).fill(Math.min(width, 0xffff))
  for (const { text, ignoreCase } of sought) {
    let at = 0
    for (const char of text) {
      const variants = caseVariants(char.codePointAt(0) as number, ignoreCase ? 'folded' : 'exact')
      for (const variant of variants) {
        // All variants of a character have as many units.
        for (const [i, unit] of unitsOf(String.fromCodePoint(variant)).entries()) {
          const shift = width - 1 - at - i
          const byte = unit & LOW_BYTE
          if (shift >= 0) shifts[byte] = Math.min(shifts[byte] as number, shift)
        }
      }
      at += char.length
    }
  }
  return shifts
}

function unitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
}
