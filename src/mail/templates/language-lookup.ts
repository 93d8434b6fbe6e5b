/** Choosing a language by lookup (RFC 4647 section 3.4): the most wanted one that is there, or its nearest parent. */

/** Wishes and characters of one that are looked at; the list may come from a stranger. */
const RANGES_MAX = 20
const RANGE_CHARS_MAX = 35

/** The first available tag that a range of the list leads to: `de-AT` finds `de`; undefined where none is there. */
export function lookUpLanguage(ranges: readonly string[], available: readonly string[]): string | undefined {
  const known = new Map(available.map((tag) => [tag.toLowerCase(), tag]))
  for (const range of ranges.slice(0, RANGES_MAX)) {
    if (range.length > RANGE_CHARS_MAX) continue
    let subtags = range.toLowerCase().split('-')
    while (subtags.length > 0) {
      const found = known.get(subtags.join('-'))
      if (found !== undefined) return found
      subtags = subtags.slice(0, -1)
      // A single letter only introduces the subtag after it: `zh-x-private`.
      if (subtags.at(-1)?.length === 1) subtags = subtags.slice(0, -1)
    }
  }
  return undefined
}
