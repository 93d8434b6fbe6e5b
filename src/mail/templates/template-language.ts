/**
 * The language of a mail: which one is chosen, its direction, and names of the other direction (Unicode Annex 9):
 * without isolates (U+2068, U+2069), "Radio 2" in an Arabic line shows with its parts swapped.
 */

/** The list may come from an untrusted client. */
const RANGES_MAX = 20
const RANGE_CHARS_MAX = 35

const FIRST_STRONG_ISOLATE = '\u2068'
const POP_DIRECTIONAL_ISOLATE = '\u2069'

const RIGHT_TO_LEFT_SCRIPTS = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Samaritan}]/u
/** Only letters and spaces: they need no isolate in a line of their direction. */
const RIGHT_TO_LEFT_WORDS = new RegExp(`^(?:${RIGHT_TO_LEFT.source}|\\s)+$`, 'u')

/** Lookup (RFC 4647 section 3.4): the first available tag for a range of the list. `de-AT` finds `de`. */
export function lookUpLanguage(ranges: readonly string[], available: readonly string[]): string | undefined {
  const known = new Map(available.map((tag) => [tag.toLowerCase(), tag]))
  for (const range of ranges.slice(0, RANGES_MAX)) {
    if (range.length > RANGE_CHARS_MAX) continue
    let subtags = range.toLowerCase().split('-')
    while (subtags.length > 0) {
      const found = known.get(subtags.join('-'))
      if (found !== undefined) return found
      subtags = subtags.slice(0, -1)
      // A single letter belongs to the subtag after it: `zh-x-private`.
      if (subtags.at(-1)?.length === 1) subtags = subtags.slice(0, -1)
    }
  }
  return undefined
}

export type Direction = 'ltr' | 'rtl'

/** The tag must be well-formed. */
export function directionOf(language: string): Direction {
  const { script = '' } = new Intl.Locale(language).maximize()
  return RIGHT_TO_LEFT_SCRIPTS.includes(script) ? 'rtl' : 'ltr'
}

/** The name for a plain text of that direction, isolated where that is needed. */
export function isolated(name: string, around: Direction): string {
  const fits = around === 'rtl' ? RIGHT_TO_LEFT_WORDS.test(name) : !RIGHT_TO_LEFT.test(name)
  return fits ? name : `${FIRST_STRONG_ISOLATE}${name}${POP_DIRECTIONAL_ISOLATE}`
}
