/**
 * One pass over a JSON text before it is parsed: how deep it nests, how many tokens it has, and whether a double holds
 * every number in it. JSON.parse is several times faster than any reader in JavaScript, so decimal-reader.ts is for
 * texts with a number that JSON.parse would round. Nothing is validated here: JSON.parse does that afterwards.
 */
import { isDouble } from './decimal.ts'

export interface JsonLimits {
  /** Objects and arrays within one another. */
  readonly depthMax: number
  /** Names, texts, numbers, literals, objects and arrays. */
  readonly tokensMax: number
}

export interface Survey {
  /** `exact`: a number needs decimal-reader.ts. */
  readonly kind: 'plain' | 'exact' | 'too deep' | 'too many tokens'
  readonly tokens: number
}

/** Stops where the text exceeds a limit. Looks at each character at most twice. */
export function surveyJson(text: string, { depthMax, tokensMax }: JsonLimits): Survey {
  const { length } = text
  let [at, depth, tokens, isExact] = [0, 0, 0, false]
  while (at < length) {
    const unit = text.charCodeAt(at++)
    if (unit === QUOTE) {
      tokens++
      at = endOfString(text, at)
    } else if (unit >= MINUS && unit <= DIGIT_9) {
      tokens++
      const start = at - 1
      let hasExponent = false
      while (isOfNumber(text.charCodeAt(at))) if ((text.charCodeAt(at++) | LOWER_CASE) === E) hasExponent = true
      if (at - start > (hasExponent ? SHORT_EXPONENT_CHARS : DOUBLE_DIGITS) && !isExact) {
        isExact = !isDouble(text.slice(start, at))
      }
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      tokens++
      if (++depth > depthMax) return { kind: 'too deep', tokens }
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      depth--
    } else if (isLetter(unit)) {
      tokens++
      while (isLetter(text.charCodeAt(at))) at++
    }
    if (tokens > tokensMax) return { kind: 'too many tokens', tokens }
  }
  return { kind: isExact ? 'exact' : 'plain', tokens }
}

export function isOfNumber(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2d || unit === 0x2e || (unit | LOWER_CASE) === E
}

/** Of `true`, `false` and `null`. */
function isLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** The position after the closing quote of a string that starts at `from`; the end of the text where it has none. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote + 1
}

/** A quote is escaped by an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (quote - before) % 2 === 0
}

/** Decimal digits that a double always keeps (IEEE 754, DBL_DIG), and `1e99`, which is far from its limits. */
const [DOUBLE_DIGITS, SHORT_EXPONENT_CHARS] = [15, 4]
const [LOWER_CASE, E] = [0x20, 0x65]
const [QUOTE, MINUS, DIGIT_9, BACKSLASH] = [0x22, 0x2d, 0x39, 0x5c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
