/** What the search indexes keep of a document. May be computed before a transaction begins. */
import type { JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { searchedPaths } from '../../models/searched-paths.ts'
import { foldWords } from '../../query/word-folding.ts'
import { textsAt } from '../../query/words.ts'
import { hasWordIndex } from '../schema/search-tables.ts'
import { trigramRow } from './trigram-index.ts'

export interface SearchRow {
  readonly trigrams: readonly string[]
  /** As foldWords() gives them. Undefined where they are those that the index has, or the model has no such index. */
  readonly words: string | undefined
}

/** The row for a document of a model that has indexes. */
export function searchRow(model: Model, document: JsonObject): SearchRow {
  return { trigrams: trigramRow(model, document), words: hasWordIndex(model) ? searchedWords(model, document) : undefined }
}

/** The row for a document that replaces another: most changes leave the words as they were. */
export function changedSearchRow(model: Model, before: JsonObject, document: JsonObject): SearchRow {
  const [old, texts] = [before, document].map((one) => textsAt(one, searchedPaths(model)).join('\n'))
  return old === texts ? { trigrams: trigramRow(model, document), words: undefined } : searchRow(model, document)
}

/** The words of a document that searches look at, as foldWords() gives them. */
export function searchedWords(model: Model, document: JsonObject): string {
  return foldWords(textsAt(document, searchedPaths(model)))
}
