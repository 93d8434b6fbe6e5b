/**
 * The header Accept-Language (RFC 9110 section 12.5.4): which languages somebody reads, and which rather.
 *
 * `de-CH, fr;q=0.8, *;q=0.1` becomes `de-CH`, `fr`. What is no language range is passed over, as are `*`, which names
 * no language, and those with `q=0`, which are the ones not wanted. Nothing that a client writes here is an error.
 */

/** Bounds for what strangers send; browsers send up to a dozen languages. */
const HEADER_CHARS_MAX = 1_024
const LANGUAGES_MAX = 10
/** A language tag of this length must be taken by everybody (RFC 5646 section 4.4.1). */
const TAG_CHARS_MAX = 35

/** `language-range [ OWS ";" OWS "q=" qvalue ]`, with the range of RFC 4647 section 2.1. */
const ELEMENT = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The language tags, most wanted first, as they are written; none without a header. */
export function parseAcceptLanguage(header: string | undefined): readonly string[] {
  if (header === undefined) return []
  // Of what is too long, the element that the cut would go through is left out, too.
  const whole = header.length <= HEADER_CHARS_MAX
  const elements = header.slice(0, HEADER_CHARS_MAX).split(',')
  const ranges = (whole ? elements : elements.slice(0, -1)).flatMap((element) => {
    const [, tag = '', weight = '1'] = ELEMENT.exec(element.trim()) ?? []
    const quality = Number(weight)
    return tag !== '' && tag.length <= TAG_CHARS_MAX && quality > 0 ? [{ tag, quality }] : []
  })
  // Sorting is stable: of two that are wanted alike, the one that was named first stays first.
  return ranges
    .sort((a, b) => b.quality - a.quality)
    .slice(0, LANGUAGES_MAX)
    .map(({ tag }) => tag)
}
