/** One tag of XML or HTML with its attributes, in whatever form feeds and pages write them. */
import { decodeReferences } from './character-references.ts'
import type { TextFinder } from './text-finder.ts'

/** Names are looked for one by one, which is faster than a map for as few as tags have. */
const ATTRIBUTES_MAX = 50
/** A value with `<` that is longer than this has lost its closing quote. */
const MARKUP_VALUE_CHARS_MAX = 2_000
const [QUOTE, APOSTROPHE, SLASH, LESS, EQUALS, GREATER] = [0x22, 0x27, 0x2f, 0x3c, 0x3d, 0x3e]

/** Values by lower-case names; of two with one name, the first. */
export class TagAttributes {
  readonly names: string[] = []
  readonly values: string[] = []

  get(name: string): string | undefined {
    const at = this.names.indexOf(name)
    return at === -1 ? undefined : this.values[at]
  }

  has(name: string): boolean {
    return this.names.includes(name)
  }
}

const NO_ATTRIBUTES = new TagAttributes()

export interface MarkupTag {
  /** As it is written. */
  readonly name: string
  readonly attributes: TagAttributes
  /** Behind the tag. */
  readonly end: number
  /** `<br/>` */
  readonly isEmpty: boolean
  /** What XML does not allow in it. */
  readonly fault: string | undefined
}

/** Reads the tag whose name begins at a position. Never fails: what is no attribute is skipped. */
export function readTag(source: string, at: number, finder: TextFinder): MarkupTag {
  const nameEnd = endOfName(source, at)
  const name = source.slice(at, nameEnd)
  // Most tags have no attributes.
  if (source.charCodeAt(nameEnd) === GREATER) {
    return { name, attributes: NO_ATTRIBUTES, end: nameEnd + 1, isEmpty: false, fault: undefined }
  }
  const attributes = new TagAttributes()
  let [position, fault] = [nameEnd, undefined as string | undefined]
  for (;;) {
    position = skipSpace(source, position)
    const code = source.charCodeAt(position)
    if (code === GREATER) return { name, attributes, end: position + 1, isEmpty: false, fault }
    if (code === SLASH && source.charCodeAt(position + 1) === GREATER) {
      return { name, attributes, end: position + 2, isEmpty: true, fault }
    }
    if (code === LESS || position >= source.length) {
      return { name, attributes, end: position, isEmpty: false, fault: fault ?? 'has no ">"' }
    }
    const keyEnd = endOfName(source, position)
    if (keyEnd === position) {
      fault ??= 'has a character that is no attribute'
      position++
      continue
    }
    const key = source.slice(position, keyEnd).toLowerCase()
    const value = readValue(source, keyEnd, finder)
    const isKnown = attributes.has(key)
    fault ??= isKnown ? 'has an attribute twice' : value.fault
    if (!isKnown && attributes.names.length < ATTRIBUTES_MAX) {
      attributes.names.push(key)
      attributes.values.push(decodeReferences(value.text, () => (fault ??= 'has an unknown reference in an attribute')))
    }
    position = value.end
    if (value.isQuoted && isName(source.charCodeAt(position))) fault ??= 'has no space between attributes'
  }
}

interface Value {
  readonly text: string
  readonly end: number
  readonly fault: string | undefined
  readonly isQuoted?: boolean
}

function readValue(source: string, keyEnd: number, finder: TextFinder): Value {
  const equals = skipSpace(source, keyEnd)
  if (source.charCodeAt(equals) !== EQUALS) return { text: '', end: keyEnd, fault: 'has an attribute without a value' }
  const start = skipSpace(source, equals + 1)
  const code = source.charCodeAt(start)
  if (code === QUOTE || code === APOSTROPHE) {
    const close = finder.find(code === QUOTE ? '"' : "'", start + 1)
    const less = finder.find('<', start + 1)
    const hasMarkup = less !== -1 && less < close
    if (close !== -1 && (!hasMarkup || close - start < MARKUP_VALUE_CHARS_MAX)) {
      return { text: source.slice(start + 1, close), end: close + 1, fault: hasMarkup ? 'has "<" in an attribute' : undefined, isQuoted: true }
    }
    return { ...readBare(source, start + 1), fault: 'has an attribute without its closing quote' }
  }
  return { ...readBare(source, start), fault: 'has an attribute without quotes' }
}

function readBare(source: string, start: number): { text: string; end: number } {
  let end = start
  for (; end < source.length; end++) {
    const code = source.charCodeAt(end)
    if (code === GREATER || code === LESS || isSpace(code)) break
  }
  return { text: source.slice(start, end), end }
}

function endOfName(source: string, start: number): number {
  let end = start
  for (; end < source.length; end++) {
    const code = source.charCodeAt(end)
    if (code <= GREATER && (code === GREATER || code === SLASH || code === EQUALS || code === LESS || isSpace(code))) break
    if (code === QUOTE || code === APOSTROPHE) break
  }
  return end
}

/** Neither the end of a tag nor space. */
function isName(code: number): boolean {
  return code > SLASH && code !== GREATER && code !== LESS && !isSpace(code)
}

export function skipSpace(source: string, start: number): number {
  let at = start
  while (at < source.length && isSpace(source.charCodeAt(at))) at++
  return at
}

export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 9 && code <= 13)
}
