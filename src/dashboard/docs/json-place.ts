/**
 * Where a text stops being JSON, and what should stand there (RFC 8259).
 *
 * Browsers word the errors of JSON.parse() each in their own way, and some tell no place. Whoever writes a filter by
 * hand wants the line and the column.
 */

export interface JsonMistake {
  /** An index into the text. */
  readonly at: number
  /** Both begin with 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Deeper values are refused by the service as well, and this one calls itself. */
const DEPTH_MAX = 200
const SPACE = /[ \t\n\r]*/y
const WORD = /[\w.+$-]+/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y
const STRING_PART = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
const LITERALS = new Set(['true', 'false', 'null'])

/** The first mistake; undefined where the text is JSON. */
export function jsonMistake(text: string): JsonMistake | undefined {
  try {
    const end = value(text, skip(text, 0), 0)
    if (end < text.length) fault(text, end, 'the end')
    return undefined
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    const before = text.slice(0, error.at).split('\n')
    return { at: error.at, line: before.length, column: (before.at(-1) ?? '').length + 1, message: error.message }
  }
}

class Mistake extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Reads a value that begins here and gives where the next thing stands, behind white space. */
function value(text: string, at: number, depth: number): number {
  if (depth > DEPTH_MAX) throw new Mistake(at, `nested deeper than ${DEPTH_MAX}`)
  switch (text[at]) {
    case '{':
      return inside(text, at, { close: '}', one: (from) => member(text, from, depth + 1), wanted: 'a name in quotes' })
    case '[':
      return inside(text, at, { close: ']', one: (from) => value(text, from, depth + 1), wanted: 'a value' })
    case '"':
      return string(text, at)
    default:
      return plain(text, at)
  }
}

interface Inside {
  readonly close: string
  readonly wanted: string
  one(from: number): number
}

function inside(text: string, open: number, { close, wanted, one }: Inside): number {
  let at = skip(text, open + 1)
  if (text[at] === close) return skip(text, at + 1)
  for (;;) {
    if (text[at] === close) fault(text, at, `${wanted} after the comma`)
    at = one(at)
    if (text[at] === close) return skip(text, at + 1)
    if (text[at] !== ',') fault(text, at, `"," or "${close}"`)
    at = skip(text, at + 1)
  }
}

function member(text: string, from: number, depth: number): number {
  if (text[from] !== '"') fault(text, from, 'a name in double quotes')
  const at = string(text, from)
  if (text[at] !== ':') fault(text, at, '":"')
  return value(text, skip(text, at + 1), depth)
}

function string(text: string, open: number): number {
  const end = open + 1 + matched(STRING_PART, text, open + 1).length
  if (text[end] === '"') return skip(text, end + 1)
  if (text[end] === '\\') throw new Mistake(end, 'expected an escape such as \\n, \\" or \\u00e9')
  throw new Mistake(end, 'expected the closing quote of a text')
}

function plain(text: string, at: number): number {
  const number = matched(NUMBER, text, at)
  if (number !== '') return skip(text, at + number.length)
  const word = matched(WORD, text, at)
  if (LITERALS.has(word)) return skip(text, at + word.length)
  return fault(text, at, 'a value')
}

function fault(text: string, at: number, wanted: string): never {
  const word = matched(WORD, text, at) || text.slice(at, at + 1)
  throw new Mistake(at, `expected ${wanted}, found ${word === '' ? 'the end' : `\`${word.slice(0, 20)}\``}`)
}

function skip(text: string, at: number): number {
  return at + matched(SPACE, text, at).length
}

function matched(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
