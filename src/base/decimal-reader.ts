/**
 * Reads a JSON text with every number as it is (see decimal.ts), where JSON.parse would round some.
 *
 * JSON.parse gives the text of a number to a reviver only, which it then calls for each member and element of the
 * document: for a body at the limit of its size that takes more than a second, in which nobody else is served. Here
 * each sign is looked at once. JSON.parse has taken the text before, so that nothing is checked again, and the depth
 * of its nesting is bounded.
 */
import { parseNumber } from './decimal.ts'

/** Gives what JSON.parse gives, but for the numbers. The text must be one that JSON.parse has taken. */
export function readExactly(text: string): unknown {
  let at = 0

  /** The sign that comes next, behind white space. */
  const next = (): number => {
    while (text.charCodeAt(at) <= SPACE) at++
    return text.charCodeAt(at)
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
        at += 'true'.length
        return true
      case F:
        at += 'false'.length
        return false
      case N:
        at += 'null'.length
        return null
      default: {
        const start = at
        while (isOfNumber(text.charCodeAt(at))) at++
        return parseNumber(text.slice(start, at))
      }
    }
  }

  const readObject = (): unknown => {
    const object: Record<string, unknown> = {}
    at++
    while (next() !== CLOSE_BRACE) {
      if (text.charCodeAt(at) === COMMA) at++
      next()
      const name = readString()
      next()
      at++ // The colon.
      const value = readValue()
      // An assignment would change the prototype; for JSON.parse it is a name like any other.
      if (name !== '__proto__') object[name] = value
      else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    }
    at++
    return object
  }

  const readArray = (): unknown => {
    const array: unknown[] = []
    at++
    while (next() !== CLOSE_BRACKET) {
      if (text.charCodeAt(at) === COMMA) at++
      array.push(readValue())
    }
    at++
    return array
  }

  const readString = (): string => {
    const start = at++
    for (let sign = text.charCodeAt(at); sign !== QUOTE; sign = text.charCodeAt(at)) at += sign === BACKSLASH ? 2 : 1
    at++
    return JSON.parse(text.slice(start, at)) as string
  }

  return readValue()
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
function isOfNumber(sign: number): boolean {
  return (sign >= 0x30 && sign <= 0x39) || sign === 0x2b || sign === 0x2d || sign === 0x2e || (sign | 0x20) === 0x65
}

const [SPACE, QUOTE, COMMA, BACKSLASH, T, F, N] = [0x20, 0x22, 0x2c, 0x5c, 0x74, 0x66, 0x6e]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
