/**
 * Reads a JSON text with every number as it is (see decimal.ts), where JSON.parse would round some.
 *
 * JSON.parse gives the text of a number to a reviver only, which it calls for each member and element of the document:
 * a body at the limit of its size would block the event loop for more than a second. This reader looks at each character
 * once and accepts what JSON.parse accepts (RFC 8259). Its recursion is bounded by the depth that json-survey.ts found.
 */
import { isNumberText, parseNumber } from './decimal.ts'
import { isOfNumber } from './json-survey.ts'

/** Gives what JSON.parse gives, but for the numbers. Throws SyntaxError, without a position, for a malformed text. */
export function readExactly(text: string): unknown {
  let at = 0

  /** The character after white space; NaN at the end of the text. */
  const next = (): number => {
    let unit = text.charCodeAt(at)
    while (unit === SPACE || unit === LINE_FEED || unit === RETURN || unit === TAB) unit = text.charCodeAt(++at)
    return unit
  }

  const expect = (wanted: number): void => {
    if (next() !== wanted) throw new SyntaxError('Unexpected character')
    at++
  }

  const readValue = (): unknown => {
    switch (next()) {
      case OPEN_BRACE:
        return readObject()
      case OPEN_BRACKET:
        return readArray()
      case QUOTE:
        return readString()
      case T:
        return readWord('true', true)
      case F:
        return readWord('false', false)
      case N:
        return readWord('null', null)
      default:
        return readNumber()
    }
  }

  const readObject = (): unknown => {
    const object: Record<string, unknown> = {}
    at++
    if (next() !== CLOSE_BRACE) {
      for (;;) {
        expect(QUOTE)
        at--
        const name = readString()
        expect(COLON)
        const value = readValue()
        // An assignment would change the prototype; for JSON.parse it is a name like any other.
        if (name !== '__proto__') object[name] = value
        else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
        if (next() !== COMMA) break
        at++
      }
    }
    expect(CLOSE_BRACE)
    return object
  }

  const readArray = (): unknown => {
    const array: unknown[] = []
    at++
    if (next() !== CLOSE_BRACKET) {
      for (;;) {
        array.push(readValue())
        if (next() !== COMMA) break
        at++
      }
    }
    expect(CLOSE_BRACKET)
    return array
  }

  const readString = (): string => {
    const start = at
    let isPlain = true
    for (let unit = text.charCodeAt(++at); unit !== QUOTE; unit = text.charCodeAt(++at)) {
      // Also at the end of the text.
      if (!(unit >= SPACE)) throw new SyntaxError('Unexpected character in a string')
      if (unit !== BACKSLASH) continue
      isPlain = false
      at++
    }
    at++
    return isPlain ? text.slice(start + 1, at - 1) : (JSON.parse(text.slice(start, at)) as string)
  }

  const readWord = (word: string, value: unknown): unknown => {
    if (!text.startsWith(word, at)) throw new SyntaxError('Unexpected word')
    at += word.length
    return value
  }

  /** Short whole numbers without a sign, the usual ones, need no text of their own. */
  const readNumber = (): unknown => {
    const start = at
    let whole = 0
    for (let digit = text.charCodeAt(at) - DIGIT_0; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - DIGIT_0) {
      whole = whole * 10 + digit
      at++
    }
    const digits = at - start
    const isZeroFirst = digits > 1 && text.charCodeAt(start) === DIGIT_0
    if (digits > 0 && digits <= SAFE_DIGITS && !isZeroFirst && !isOfNumber(text.charCodeAt(at))) return whole
    while (isOfNumber(text.charCodeAt(at))) at++
    const source = text.slice(start, at)
    if (!isNumberText(source)) throw new SyntaxError('Unexpected number')
    return parseNumber(source)
  }

  const value = readValue()
  if (!Number.isNaN(next())) throw new SyntaxError('Unexpected text after the value')
  return value
}

/** Digits of which every whole number is one that a double holds. */
const SAFE_DIGITS = 15
const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, COMMA, DIGIT_0, COLON, BACKSLASH, T, F, N] = [0x22, 0x2c, 0x30, 0x3a, 0x5c, 0x74, 0x66, 0x6e]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
