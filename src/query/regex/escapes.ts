/**
 * Escapes of single characters (ECMA-262, CharacterEscape and annex B.1.2), in the two dialects.
 *
 * The reader stands behind the backslash.
 */
import { accept, INVALID_PATTERN, peek, takeChar, takeMatch, type PatternReader } from './pattern-reader.ts'

const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d }
const SYNTAX_CHARACTERS = '^$\\.*+?()[]{}|/'
const LETTER = /[A-Za-z]/y
const CLASS_CONTROL = /[A-Za-z0-9_]/y
const TWO_HEX = /[0-9A-Fa-f]{2}/y
const FOUR_HEX = /[0-9A-Fa-f]{4}/y
const CODE_POINT = /\{([0-9A-Fa-f]+)\}/y
const TRAIL = /\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y
/** Up to three octal digits with a value below 256. */
const OCTAL = /[0-3][0-7]{0,2}|[4-7][0-7]?/y
const POINT_MAX = 0x10ffff

/**
 * Reads an escape that is no class, assertion or reference. `inClass` allows `\c0` and `\c_` in the older dialect,
 * `hasNames` says that `\k` is none there either.
 */
export function readCharacterEscape(
  reader: PatternReader,
  { inClass, hasNames }: { readonly inClass: boolean; readonly hasNames: boolean },
): number {
  const { unicode } = reader
  const letter = peek(reader)
  if (letter === '') throw INVALID_PATTERN
  const control = CONTROLS[letter]
  if (control !== undefined) {
    reader.at++
    return control
  }
  switch (letter) {
    case 'c':
      return readControl(reader, inClass)
    case 'x':
      return readHex(reader, TWO_HEX)
    case 'u':
      return readUnicodeEscape(reader)
    case '0':
      if (!/\d/.test(peek(reader, 1))) {
        reader.at++
        return 0
      }
      break
    case 'k':
      if (hasNames) throw INVALID_PATTERN
      break
    default:
  }
  if (!unicode) {
    const octal = takeMatch(reader, OCTAL)
    return octal === undefined ? takeChar(reader) : Number.parseInt(octal[0], 8)
  }
  if (!SYNTAX_CHARACTERS.includes(letter) && !(inClass && letter === '-')) throw INVALID_PATTERN
  return takeChar(reader)
}

/** `\cJ`. Where no letter follows, the older dialect takes the backslash for itself. */
function readControl(reader: PatternReader, inClass: boolean): number {
  const after = { ...reader, at: reader.at + 1 }
  const found = takeMatch(after, inClass && !reader.unicode ? CLASS_CONTROL : LETTER)
  if (found !== undefined) {
    reader.at = after.at
    return found[0].charCodeAt(0) & 0x1f
  }
  if (reader.unicode) throw INVALID_PATTERN
  return 0x5c
}

function readUnicodeEscape(reader: PatternReader): number {
  const point = readCodePoint({ reader, braces: reader.unicode, pairs: reader.unicode })
  if (point !== undefined) return point
  if (reader.unicode) throw INVALID_PATTERN
  return takeChar(reader)
}

/**
 * Reads `u0041`, with `braces` also `u{41}`, with `pairs` the escape of a trail surrogate after one of a lead as well.
 * Undefined, and nothing taken, where there is none.
 */
export function readCodePoint({
  reader,
  braces,
  pairs,
}: {
  readonly reader: PatternReader
  readonly braces: boolean
  readonly pairs: boolean
}): number | undefined {
  const start = reader.at
  if (!accept(reader, 'u')) return undefined
  const braced = braces ? takeMatch(reader, CODE_POINT) : undefined
  if (braced !== undefined) {
    const point = Number.parseInt(braced[1] as string, 16)
    if (point <= POINT_MAX) return point
    reader.at = start
    return undefined
  }
  const found = takeMatch(reader, FOUR_HEX)
  if (found === undefined) {
    reader.at = start
    return undefined
  }
  const unit = Number.parseInt(found[0], 16)
  const trail = pairs && unit >= 0xd800 && unit < 0xdc00 ? takeMatch(reader, TRAIL) : undefined
  if (trail === undefined) return unit
  return 0x10000 + ((unit - 0xd800) << 10) + (Number.parseInt(trail[1] as string, 16) - 0xdc00)
}

/** `\x41`. The older dialect takes the letter for itself where the digits are missing. */
function readHex(reader: PatternReader, digits: RegExp): number {
  const letter = takeChar(reader)
  const found = takeMatch(reader, digits)
  if (found !== undefined) return Number.parseInt(found[0], 16)
  if (reader.unicode) throw INVALID_PATTERN
  return letter
}
