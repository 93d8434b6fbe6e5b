/**
 * Text that runs left to right and text that runs right to left, in one line (Unicode Annex 9).
 *
 * A name of one direction inside a sentence of the other drags the marks and numbers beside it along: "Radio 2" or
 * "News+" in an Arabic line shows with its parts swapped. Isolates (U+2068, U+2069) keep it to itself. A code needs
 * none: digits are never swapped among themselves.
 */

const FIRST_STRONG_ISOLATE = '\u2068'
const POP_DIRECTIONAL_ISOLATE = '\u2069'

const RIGHT_TO_LEFT_SCRIPTS = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Samaritan}]/u
/** Nothing but letters and spaces, and so the same in any place of a line that runs its way. */
const RIGHT_TO_LEFT_WORDS = new RegExp(`^(?:${RIGHT_TO_LEFT.source}|\\s)+$`, 'u')

export type Direction = 'ltr' | 'rtl'

/** The direction in which a language is written. The tag must be well-formed. */
export function directionOf(language: string): Direction {
  const { script = '' } = new Intl.Locale(language).maximize()
  return RIGHT_TO_LEFT_SCRIPTS.includes(script) ? 'rtl' : 'ltr'
}

/** The name as it can stand in a plain text of the direction: isolated where it could get mixed up with it. */
export function isolated(name: string, around: Direction): string {
  const fits = around === 'rtl' ? RIGHT_TO_LEFT_WORDS.test(name) : !RIGHT_TO_LEFT.test(name)
  return fits ? name : `${FIRST_STRONG_ISOLATE}${name}${POP_DIRECTIONAL_ISOLATE}`
}
