/**
 * Words, as searches for words compare them: without accents and case, so that `alegraes` finds `Ålegræsset`.
 *
 * One function folds stored texts and what is looked for (word-folding.ts).
 */
import { isObject, type Json } from '../base/json.ts'
import type { Path } from './field-path.ts'
import { foldWords } from './word-folding.ts'

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
