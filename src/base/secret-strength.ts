/**
 * Whether a text can be a signing secret: at least 32 bytes (RFC 7518 section 3.2) that do not look typed. Only what no
 * random generator produces is rejected: few distinct characters, a short text repeated, a run such as `abcdef…`. A
 * random secret of 32 hexadecimal digits is rejected with a chance below 1 in 10 million.
 */

const SECRET_BYTES_MIN = 32
const DISTINCT_CHARS_MIN = 8
/** Of the steps from one character to the next, in a run: `aaa`, `abc` or `cba`. */
const RUN_SHARE_MAX = 3 / 4
/** A text that repeats after less than this share of its length. */
const PERIOD_SHARE_MAX = 2 / 3

/** Why the text is too weak, without quoting it; undefined for a text that can be used. */
export function secretWeakness(secret: string): string | undefined {
  const bytes = Buffer.byteLength(secret)
  if (bytes < SECRET_BYTES_MIN) return `expected a secret of at least ${SECRET_BYTES_MIN} bytes, found ${bytes}`
  const chars = [...secret]
  const distinct = new Set(chars).size
  if (distinct === 1) return 'expected a random secret, found one character over and over'
  if (distinct < DISTINCT_CHARS_MIN) {
    return `expected a random secret of at least ${DISTINCT_CHARS_MIN} different characters, found ${distinct}`
  }
  if (isRepetition(chars)) return 'expected a random secret, found a short text over and over'
  if (isRun(chars)) return 'expected a random secret, found characters in a row, as in "abcdef"'
  return undefined
}

function isRepetition(chars: readonly string[]): boolean {
  for (let period = 1; period <= chars.length * PERIOD_SHARE_MAX; period++) {
    if (chars.every((char, i) => i < period || char === chars[i - period])) return true
  }
  return false
}

function isRun(chars: readonly string[]): boolean {
  const codes = chars.map((char) => char.codePointAt(0) ?? 0)
  const steps = codes.filter((code, i) => i > 0 && Math.abs(code - (codes[i - 1] ?? 0)) <= 1).length
  return steps > (chars.length - 1) * RUN_SHARE_MAX
}
