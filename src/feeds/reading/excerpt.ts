/** Cuts a text for readers: at the end of a sentence where one is near enough, else between words with an ellipsis. */

export const EXCERPT_CHARS_MAX = 400
/** A sentence that ends before this leaves too little. */
const SENTENCE_CHARS_MIN = 100
const MARKS = '.!?…؟۔।'
/** These end a sentence without a space behind them. */
const WIDE_MARKS = '。！？｡'
const CLOSING = '"\'”’»›)]」』'

/** Text whose white space is folded, of at most `charsMax` UTF-16 units; no surrogate pair is cut in two. */
export function cutText(text: string, charsMax = EXCERPT_CHARS_MAX): string {
  if (text.length <= charsMax) return text
  const end = endOfSentence(text, charsMax)
  if (end >= Math.min(SENTENCE_CHARS_MIN, charsMax)) return text.slice(0, end)
  const space = text.lastIndexOf(' ', charsMax - 1)
  const cut = space > charsMax / 2 ? space : charsMax - 1
  return `${text.slice(0, cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`
}

/** Where the last sentence ends that fits; 0 where none does. */
function endOfSentence(text: string, charsMax: number): number {
  for (let at = charsMax - 1; at >= 0; at--) {
    const code = text.charCodeAt(at)
    // Between `?` and the marks of other scripts are nearly all characters of most texts.
    if ((code > 0x3f && code < 0x61f) || code === 0x20) continue
    const mark = text[at] ?? ''
    if (WIDE_MARKS.includes(mark)) return at + 1
    if (!MARKS.includes(mark)) continue
    let end = at + 1
    while (end < charsMax && CLOSING.includes(text[end] ?? ' ')) end++
    if (text[end] === ' ' && (mark !== '.' || !isAbbreviation(text, at, end + 1))) return end
  }
  return 0
}

/** `J. Smith`, `U.S. troops`, `e.g. this`: one letter before the full stop, or a small letter behind it. */
function isAbbreviation(text: string, at: number, next: number): boolean {
  const isOneLetter = /\p{L}/u.test(text[at - 1] ?? '') && !/[\p{L}\p{N}]/u.test(text[at - 2] ?? ' ')
  return isOneLetter || /\p{Ll}/u.test(text[next] ?? '')
}
