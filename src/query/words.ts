/**
 * Words, as searches for words compare them: without accents and case, so that `alegraes` finds `Ålegræsset`. One function
 * folds stored texts and what is looked for.
 *
 * Unicode NFKD takes letters apart (UAX #15), combining marks are dropped, case is folded, and letters that NFKD leaves whole
 * get their plain spelling. What is neither a letter nor a digit ends a word; an apostrophe does not: `don't` is one word.
 *
 * Each of these steps looks at one character: NFKD moves nothing but marks, which are dropped. So the forms of characters are
 * remembered, and a text is read once from its beginning to its end. No string is made for each word: looking them up in a
 * table would take longer than all else.
 */
import { isObject, type Json } from '../base/json.ts'
import type { Path } from './ast.ts'
import { fold } from './fold.ts'

/** UTF-16 units of a text that are looked at; what is behind them is not found. */
const TEXT_CHARS_MAX = 10_000
/** Characters of a word. A longer run of letters is taken as several. */
const WORD_CHARS_MAX = 64
/** Units that a character becomes at most, with spaces that end words: U+FDFA becomes four words of 18 letters. */
const FORM_UNITS_MAX = 24
/** Characters whose forms are kept beside the table; a language has some. */
const LONG_FORMS_MAX = 20_000

const SPACE = 0x20
/** The forms of the units of the basic plane: a unit, or one of two numbers that are less than that of any letter; 0 is "not met yet". */
const forms = new Uint16Array(0x10000)
const [DROPPED, LONG] = [1, 2]
/** Of characters that become several units, and of those beyond the basic plane. */
const longForms = new Map<number, string>()

/** What is folded of the texts at hand: words, each with a space behind it. */
const folded = { units: new Uint16Array(2 * TEXT_CHARS_MAX), length: 0, wordChars: 0, bits: 0 }
/** The same as bytes. */
let bytes = Buffer.alloc(2 * folded.units.length)

/** The words of some texts in their order, as often as they come, with a space between two. */
export function foldWords(texts: readonly string[]): string {
  folded.length = folded.bits = 0
  for (const text of texts) {
    const end = Math.min(text.length, TEXT_CHARS_MAX)
    if (folded.units.length < folded.length + FORM_UNITS_MAX * end) enlarge(folded.length + FORM_UNITS_MAX * end)
    for (let i = 0; i < end; i++) {
      const unit = text.charCodeAt(i)
      const form = forms[unit] || remember(unit)
      if (form >= SPACE) put(form)
      else if (form === LONG) {
        const point = i + 1 < end ? (text.codePointAt(i) as number) : unit
        if (point > 0xffff) i++
        const long = longForm(point)
        for (let j = 0; j < long.length; j++) put(long.charCodeAt(j))
      }
    }
    put(SPACE)
  }
  return foldedText()
}

/** A space ends a word, and so does the unit that would make it too long. */
function put(unit: number): void {
  const begins = (unit & 0xfc00) !== 0xdc00
  if (folded.wordChars > 0 && (unit === SPACE || (begins && folded.wordChars === WORD_CHARS_MAX))) {
    folded.units[folded.length++] = SPACE
    folded.wordChars = 0
  }
  if (unit === SPACE) return
  folded.units[folded.length++] = unit
  folded.bits |= unit
  if (begins) folded.wordChars++
}

function enlarge(length: number): void {
  const units = new Uint16Array(length)
  units.set(folded.units)
  folded.units = units
  bytes = Buffer.alloc(2 * length)
}

function foldedText(): string {
  const { units, bits } = folded
  const length = Math.max(folded.length - 1, 0)
  if (bits < 0x80) {
    for (let i = 0; i < length; i++) bytes[i] = units[i] as number
    return bytes.toString('latin1', 0, length)
  }
  for (let i = 0; i < length; i++) {
    const unit = units[i] as number
    bytes[2 * i] = unit & 0xff
    bytes[2 * i + 1] = unit >> 8
  }
  return bytes.toString('utf16le', 0, 2 * length)
}

function remember(unit: number): number {
  return (forms[unit] = shortForm(unit))
}

function shortForm(unit: number): number {
  if (unit >= 0xd800 && unit < 0xdc00) return LONG
  const form = formOf(unit)
  return form.length > 1 ? LONG : form === '' ? DROPPED : form.charCodeAt(0)
}

function longForm(point: number): string {
  const known = longForms.get(point)
  if (known !== undefined) return known
  if (longForms.size >= LONG_FORMS_MAX) longForms.clear()
  const form = formOf(point)
  longForms.set(point, form)
  return form
}

/** What a character becomes; a space ends a word. */
function formOf(point: number): string {
  const character = String.fromCodePoint(point)
  if (!WITHIN_WORDS.test(character)) return ' '
  return fold(character.normalize('NFKD').replace(MARKS, ''))
    .replace(WHOLE_LETTER, (letter) => PLAIN.get(letter) ?? letter)
    .replace(BETWEEN_WORDS, ' ')
}

const WITHIN_WORDS = /[\p{L}\p{N}\p{M}\u0640'\u2019\u02bc]/u
const BETWEEN_WORDS = /[^\p{L}\p{N}]/gu
/** Combining marks, the stroke that lengthens Arabic words, and apostrophes. */
const MARKS = /[\p{M}\u0640'\u2019\u02bc]+/gu

/** Letters that NFKD leaves whole, after case is folded. Of Arabic, spellings that writers exchange. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ß', 'ss'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['ŋ', 'n'],
  ['\u0671', '\u0627'],
  ['\u0649', '\u064a'],
  ['\u0629', '\u0647'],
])
const WHOLE_LETTER = new RegExp(`[${[...PLAIN.keys()].join('')}]`, 'gu')

/** UTF-16 units of a search. It has at most half as many words. */
export const SEARCH_CHARS_MAX = 200

/** The words of some texts, each once. */
export function wordsOf(texts: readonly string[]): readonly string[] {
  const words = foldWords(texts)
  return words === '' ? [] : [...new Set(words.split(' '))]
}

/** What a search looks for. Long texts come first, and what is a part of another is left out. */
export function soughtWords(search: string): readonly string[] {
  const sought = wordsOf([search]).map((word) => spaced(word, [...word].length))
  const longest = [...new Set(sought)].sort((a, b) => b.length - a.length)
  return longest.filter((one, i) => !longest.slice(0, i).some((longer) => longer.includes(one)))
}

/**
 * Two letters are looked for at the beginning of words, and one as a word: as a part they are in most texts. So what is
 * sought has three characters or more, as many as the lexicon of the index needs.
 */
function spaced(word: string, length: number): string {
  return length === 1 ? ` ${word} ` : length === 2 ? ` ${word}` : word
}

/** Whether words of foldWords() have all that is sought. */
export function haveWords(words: string, sought: readonly string[]): boolean {
  const text = ` ${words} `
  return sought.every((one) => text.includes(one))
}

/** The texts at some paths of a document, each of which leads through objects only. What is no text is left out. */
export function textsAt(document: Json, paths: readonly Path[]): readonly string[] {
  return paths.flatMap((path) => {
    let value: Json | undefined = document
    for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    return typeof value === 'string' ? [value] : []
  })
}
