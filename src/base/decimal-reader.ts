/**
 * Reads a JSON text with the exact value of every number (see decimal.ts), and in slices. JSON.parse with a reviver,
 * which it calls for each member, would take more than a second for a body at the limit of its size. Accepts what
 * JSON.parse accepts (RFC 8259). It has its own stack, so that it can stop after any token and continue.
 */
import { isNumberText, isOfNumber, parseNumber } from './decimal.ts'

/** Returns what JSON.parse returns, but for the numbers. Throws SyntaxError with the position for a malformed text. */
export function readExactly(text: string): unknown {
  const reader = decimalReader(text)
  reader.read(Infinity)
  return reader.value
}

type Container = unknown[] | Record<string, unknown>

export function decimalReader(text: string) {
  const scanner = createScanner(text)
  const { next, skip, unexpected } = scanner
  let root: unknown
  let isDone = false
  /** The containers that are open, outermost first; `inside` is the last of them, and `name` that of its next member. */
  const open: Container[] = []
  let inside: Container | undefined
  let name = ''

  const add = (value: unknown): void => {
    if (inside === undefined) root = value
    else if (Array.isArray(inside)) inside.push(value)
    else if (name !== '__proto__') inside[name] = value
    // An assignment would change the prototype; for JSON.parse it is a name like any other.
    else Object.defineProperty(inside, name, { value, writable: true, enumerable: true, configurable: true })
  }

  const readName = (): void => {
    if (next() !== QUOTE) throw unexpected()
    name = scanner.readString()
    if (next() !== COLON) throw unexpected()
    skip()
  }

  /** Reads one value, or the beginning of an object or array, and the ends of containers after it. */
  const step = (): void => {
    const unit = next()
    if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      const container: Container = unit === OPEN_BRACKET ? [] : {}
      skip()
      add(container)
      if (next() !== (unit === OPEN_BRACKET ? CLOSE_BRACKET : CLOSE_BRACE)) {
        open.push(container)
        inside = container
        if (unit === OPEN_BRACE) readName()
        return
      }
      skip()
    } else add(scanner.readScalar(unit))
    while (inside !== undefined) {
      const isArray = Array.isArray(inside)
      const after = next()
      skip()
      if (after === COMMA) {
        if (!isArray) readName()
        return
      }
      if (after !== (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) throw unexpected()
      open.pop()
      inside = open.at(-1)
    }
    if (!Number.isNaN(next())) throw unexpected()
    isDone = true
  }

  return {
    read(values: number): boolean {
      for (let left = values; left > 0 && !isDone; left--) step()
      return isDone
    },
    get value() {
      return root
    },
  }
}

/** The tokens of a JSON text and the position in it. */
function createScanner(text: string) {
  let at = 0

  const unexpected = (): SyntaxError => new SyntaxError(`Unexpected text at position ${at}`)

  const readString = (): string => {
    const start = at
    let isPlain = true
    for (let unit = text.charCodeAt(++at); unit !== QUOTE; unit = text.charCodeAt(++at)) {
      // Also at the end of the text.
      if (!(unit >= SPACE)) throw unexpected()
      if (unit !== BACKSLASH) continue
      isPlain = false
      at++
    }
    at++
    return isPlain ? detached(text.slice(start + 1, at - 1)) : unescaped(text.slice(start, at))
  }

  const unescaped = (quoted: string): string => {
    try {
      return JSON.parse(quoted) as string
    } catch {
      throw unexpected()
    }
  }

  const readWord = (word: string, value: unknown): unknown => {
    if (!text.startsWith(word, at)) throw unexpected()
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
    const source = detached(text.slice(start, at))
    if (!isNumberText(source)) throw unexpected()
    return parseNumber(source)
  }

  return {
    unexpected,
    /** The character after white space; NaN at the end of the text. */
    next(): number {
      let unit = text.charCodeAt(at)
      while (unit === SPACE || unit === LINE_FEED || unit === RETURN || unit === TAB) unit = text.charCodeAt(++at)
      return unit
    },
    skip(): void {
      at++
    },
    readString,
    /** Reads a value that is no container and begins with this character. */
    readScalar(unit: number): unknown {
      switch (unit) {
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
    },
  }
}

/** V8 keeps the whole text in memory for a slice of this length; a concatenation is a text of its own. */
function detached(slice: string): string {
  return slice.length < SLICE_CHARS_MIN ? slice : ` ${slice}`.slice(1)
}

const SLICE_CHARS_MIN = 13
/** A double holds every whole number of so many digits. */
const SAFE_DIGITS = 15
const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, COMMA, DIGIT_0, COLON, BACKSLASH, T, F, N] = [0x22, 0x2c, 0x30, 0x3a, 0x5c, 0x74, 0x66, 0x6e]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
