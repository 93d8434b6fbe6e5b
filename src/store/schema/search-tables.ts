/**
 * The FTS5 tables of a model (sqlite.org/fts5.html), and the tables beside them. Names that begin as those of the trigram
 * table are derived data.
 */
import type { Model } from '../../models/schema.ts'
import { isOptionalTextPath } from '../../models/text-paths.ts'
import { indexColumns, keptPaths } from './indexes.ts'
import type { SchemaPart } from './names.ts'

/** `headline_search` */
export function trigramTable(model: Model): string {
  return `${model.name}_search`
}

/**
 * The paths that the trigram table keeps beside the text: all that an index knows of every document, so that a search reads
 * none.
 */
export function trigramColumns(model: Model): readonly string[] {
  const paths = model.indexes.flatMap((index) => [...indexColumns(index).map(({ path }) => path), ...keptPaths(index)])
  return [...new Set(paths)].filter((path) => !isOptionalTextPath(model, path))
}

/** `headline_search_pending`: rows that the indexes take over later, in place of those that they have: see pending-rows.ts. */
export function pendingTable(model: Model): string {
  return `${trigramTable(model)}_pending`
}

/** Whether the words of the model's documents are in an index. */
export function hasWordIndex({ trigrams, words }: Model): boolean {
  return trigrams !== undefined && words !== undefined
}

/** `headline_search_words`: which documents have a word. */
export function wordTable(model: Model): string {
  return `${trigramTable(model)}_words`
}

/** `headline_search_lexicon`: every word that any document has had, found by each part of it. */
export function lexiconTable(model: Model): string {
  return `${trigramTable(model)}_lexicon`
}

/** `headline_search_vocabulary`: the words of the lexicon. An FTS5 table takes ten times as long to tell whether it has one. */
export function vocabularyTable(model: Model): string {
  return `${trigramTable(model)}_vocabulary`
}

/** The FTS5 tables of a model: each has further tables of its own. */
export function searchTables(model: Model): readonly string[] {
  if (model.trigrams === undefined) return []
  return [trigramTable(model), ...(hasWordIndex(model) ? [wordTable(model), lexiconTable(model)] : [])]
}

export function searchParts(model: Model): readonly SchemaPart[] {
  if (model.trigrams === undefined) return []
  return [...trigramParts(model), ...(hasWordIndex(model) ? wordParts(model) : [])]
}

/**
 * Texts are folded before they are indexed, by the rule of `match`, so the tokenizer must not fold again. Without
 * positions (`detail=none`) the index is a third of the size; it then finds texts that have the trigrams in any order.
 */
function trigramParts(model: Model): readonly SchemaPart[] {
  const [trigrams, pending] = [trigramTable(model), pendingTable(model)]
  const kept = ['id', ...trigramColumns(model)].map((path) => `"${path}" UNINDEXED`).join(', ')
  return [
    {
      name: trigrams,
      sql: `CREATE VIRTUAL TABLE ${trigrams} USING fts5(
    text, ${kept}, tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0)`,
    },
    {
      name: pending,
      sql: `CREATE TABLE ${pending} (seq INTEGER PRIMARY KEY, text TEXT NOT NULL, kept TEXT NOT NULL, words TEXT) STRICT`,
    },
  ]
}

/**
 * Words are folded before they are indexed (query/words.ts), so the tokenizers only take them apart at spaces: `ascii` takes
 * every other character than letters and digits of ASCII as a part of a word. The table of words keeps no text
 * (sqlite.org/fts5.html#contentless_delete_tables): the documents have it.
 */
function wordParts(model: Model): readonly SchemaPart[] {
  const [words, lexicon, vocabulary] = [wordTable(model), lexiconTable(model), vocabularyTable(model)]
  return [
    {
      name: words,
      sql: `CREATE VIRTUAL TABLE ${words} USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none)`,
    },
    {
      name: lexicon,
      sql: `CREATE VIRTUAL TABLE ${lexicon} USING fts5(word, tokenize = 'trigram case_sensitive 1', columnsize = 0)`,
    },
    { name: vocabulary, sql: `CREATE TABLE ${vocabulary} (word TEXT PRIMARY KEY) WITHOUT ROWID, STRICT` },
  ]
}
