/**
 * The header Accept-Language (RFC 9110 section 12.5.4): which languages the user reads, in their preference.
 *
 * `de-CH, fr;q=0.8, *;q=0.1` becomes `de-CH`, `fr`. Elements that are no language range are ignored, as are `*`, which
 * names no language, and `q=0`, which marks a language as unwanted. No text is an error here.
 */

/** Browsers send up to a dozen languages. */
const HEADER_CHARS_MAX = 1_024
const LANGUAGES_MAX = 10
/** Every implementation must take a language tag of this length (RFC 5646 section 4.4.1). */
const TAG_CHARS_MAX = 35

/** `language-range [ OWS ";" OWS "q=" qvalue ]`, with the range of RFC 4647 section 2.1. */
const ELEMENT = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The language tags as they are written, most preferred first; none without a header. */
export function parseAcceptLanguage(header: string | undefined): readonly string[] {
  if (header === undefined) return []
  // The element that the cut of a long header goes through is left out as well.
  const whole = header.length <= HEADER_CHARS_MAX
  const elements = header.slice(0, HEADER_CHARS_MAX).split(',')
  const ranges = (whole ? elements : elements.slice(0, -1)).flatMap((element) => {
    const [, tag = '', weight = '1'] = ELEMENT.exec(element.trim()) ?? []
    const quality = Number(weight)
    return tag !== '' && tag.length <= TAG_CHARS_MAX && quality > 0 ? [{ tag, quality }] : []
  })
  // Sorting is stable: of two with the same weight, the first named stays first.
  return ranges
    .sort((a, b) => b.quality - a.quality)
    .slice(0, LANGUAGES_MAX)
    .map(({ tag }) => tag)
}
