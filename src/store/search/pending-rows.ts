/**
 * Rows that the search indexes take over later, many at once, as the memtable of a log-structured merge-tree does (O'Neil
 * and others, The Log-Structured Merge-Tree). An FTS5 table writes a segment of its own for each transaction, and merges
 * it with others later: for a single document that takes longer than all other work of its transaction.
 *
 * A row here takes the place of those that the indexes have of the same document. Searches look at each, so that they find
 * what is committed; there are few. The rows are in the transaction of their documents, so that a crash loses none. What a
 * deletion removes leaves the indexes with it, and is never pending.
 */
import type { JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { searchedPaths } from '../../models/text-paths.ts'
import { foldWords, textsAt } from '../../query/words.ts'
import type { Database } from '../db/database.ts'
import { hasWordIndex, pendingTable } from '../schema/search-tables.ts'
import { trigramRow } from './trigram-index.ts'

/** What is left to take over after two changes of a document; undefined for one that is gone. */
export function laterRow(earlier: SearchRow | undefined, later: SearchRow | undefined): SearchRow | undefined {
  if (later === undefined || later.words !== undefined || earlier === undefined) return later
  return { ...later, words: earlier.words }
}

export function countPending(database: Database, model: Model): number {
  return Number(database.get(`SELECT count(*) AS n FROM ${pendingTable(model)}`)?.['n'])
}

export function putPending(database: Database, model: Model, seq: number, { trigrams, words }: SearchRow): void {
  const [text = '', ...kept] = trigrams
  database.run(
    `INSERT INTO ${pendingTable(model)} (seq, text, kept, words) VALUES (?, ?, ?, ?) ON CONFLICT (seq) DO UPDATE
      SET text = excluded.text, kept = excluded.kept, words = coalesce(excluded.words, words)`,
    ...[seq, text, JSON.stringify(kept), words === undefined ? null : ` ${words} `],
  )
}

/** Takes all rows out, by the seq of their documents. */
export function takePending(database: Database, model: Model): Map<number, SearchRow> {
  const rows = database.all(`SELECT seq, text, kept, words FROM ${pendingTable(model)}`)
  if (rows.length > 0) database.run(`DELETE FROM ${pendingTable(model)}`)
  return new Map(
    rows.map(({ seq, text, kept, words }) => {
      const trigrams = [String(text), ...(JSON.parse(String(kept)) as string[])]
      return [Number(seq), { trigrams, words: words === null ? undefined : String(words).trim() }]
    }),
  )
}

/** `rowid NOT IN (SELECT seq FROM headline_search_pending)`: a condition on rows of the trigram index. */
export function isIndexedText(model: Model): string {
  return `rowid NOT IN (SELECT seq FROM ${pendingTable(model)})`
}

/** The same for those of the index of words, which change less often; `seq` is the column with the seq of the document. */
export function isIndexedWords(model: Model, seq: string): string {
  return `${seq} NOT IN (SELECT seq FROM ${pendingTable(model)} WHERE words IS NOT NULL)`
}

// What the search indexes keep of a document. May be computed before a transaction begins.

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
