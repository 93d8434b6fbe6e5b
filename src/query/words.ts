/**
 * Words, as searches for words compare them: without accents and case, so that `alegraes` finds `Ålegræsset`.
 *
 * One function folds stored texts and what is looked for. Unicode NFKD takes letters apart (UAX #15), combining marks are
 * dropped, case is folded, and letters that NFKD leaves whole get their plain spelling. What is neither a letter nor a
 * digit ends a word; an apostrophe does not: `don't` is one word.
 */
import { isObject, type Json } from '../base/json.ts'
import type { Path } from './field-path.ts'
import { fold } from './fold.ts'

/** UTF-16 units of a search. It has at most half as many words. */
export const SEARCH_CHARS_MAX = 200
/** UTF-16 units of a stored text that are looked at; what is behind them is not found. */
const TEXT_CHARS_MAX = 10_000
/** Characters of a word. A longer run of letters is taken as several. */
const WORD_CHARS_MAX = 64

/** The words of some texts, each once. */
export function wordsOf(texts: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const whole of texts) {
    const text = whole.length > TEXT_CHARS_MAX ? whole.slice(0, TEXT_CHARS_MAX) : whole
    if (PLAIN_TEXT.test(text)) for (const word of plainWords(text)) found.add(word)
    else for (const run of text.match(RUN) ?? []) for (const word of PLAIN_TEXT.test(run) ? plainWords(run) : foldedRun(run)) found.add(word)
  }
  return [...found]
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

/** Whether words have all that is sought. */
export function haveWords(words: readonly string[], sought: readonly string[]): boolean {
  const text = ` ${words.join(' ')} `
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

/** The words of a text in ASCII, which folds to its lower case: in a tenth of the time that others take. */
function plainWords(text: string): readonly string[] {
  const small = text.toLowerCase()
  return (small.includes("'") ? small.replaceAll("'", '') : small).match(PLAIN_WORD) ?? []
}

const PLAIN_TEXT = /^[\x00-\x7f]*$/
const PLAIN_WORD = new RegExp(`[a-z0-9]{1,${WORD_CHARS_MAX}}`, 'g')

/** Runs beyond ASCII that were folded, as a language has few words that come often. */
const folded = new Map<string, readonly string[]>()
const FOLDED_MAX = 20_000

/** The words of a run of letters: mostly one. */
function foldedRun(run: string): readonly string[] {
  const known = folded.get(run)
  if (known !== undefined) return known
  const words = fold(run.normalize('NFKD').replace(DROPPED, ''))
    .replace(WHOLE_LETTER, (letter) => PLAIN.get(letter) ?? letter)
    .match(WORD)
  if (folded.size >= FOLDED_MAX) folded.clear()
  if (run.length <= WORD_CHARS_MAX) folded.set(run, words ?? [])
  return words ?? []
}

/** Letters and digits, with what may stand between them. */
const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u0640'\u2019\u02bc]*/gu
const WORD = new RegExp(`[\\p{L}\\p{N}]{1,${WORD_CHARS_MAX}}`, 'gu')
/** Combining marks, the stroke that lengthens Arabic words, and apostrophes. */
const DROPPED = /[\p{M}\u0640'\u2019\u02bc]+/gu

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
