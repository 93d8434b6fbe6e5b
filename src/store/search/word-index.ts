/**
 * The index of words, for searches: which documents have a word, and a lexicon that finds words by their parts.
 *
 * A trigram index over whole texts would find every trigram of a language in most documents. Over the lexicon, of which
 * each word is a row, it tells the few words that a text is a part of (Manning, Raghavan, Schütze, Introduction to
 * Information Retrieval, section 3.2.2: k-gram indexes for wildcard queries), and those are looked up in the index of words.
 *
 * A word stays in the lexicon when its last document goes. Housekeeping takes it out (search/word-erasure.ts).
 */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'
import { hasWordIndex, lexiconTable, pendingTable, vocabularyTable, wordTable } from '../schema/search-tables.ts'
import { sampleMatches } from './trigram-index.ts'
import { isIndexedWords, searchedWords, type SearchRow } from './pending-rows.ts'

/** Words that are known to be in the lexicon; some megabytes. */
const KNOWN_MAX = 50_000

export function createWordIndex(database: Database) {
  const known = new Map<Model, Set<string>>()
  let dataVersion: unknown
  const knownOf = (model: Model): Set<string> => {
    const words = known.get(model) ?? new Set<string>()
    known.set(model, words)
    return words
  }
  /** Adds what the lexicon lacks. What is looked up here was there before this transaction, or it is not remembered. */
  const extendLexicon = (model: Model, words: ReadonlySet<string>): void => {
    const [vocabulary, remembered, found] = [vocabularyTable(model), knownOf(model), new Set(words)]
    const sql = `SELECT value AS word FROM json_each(?) WHERE value NOT IN (SELECT word FROM ${vocabulary})`
    for (const { word } of database.all(sql, JSON.stringify([...words]))) {
      found.delete(String(word))
      database.run(`INSERT INTO ${vocabulary} (word) VALUES (?)`, String(word))
      database.run(`INSERT INTO ${lexiconTable(model)} (word) VALUES (?)`, ` ${String(word)} `)
    }
    for (const word of found) if (remembered.size < KNOWN_MAX) remembered.add(word)
  }

  /** Forgets what is known where another process, such as an import, may have changed the lexicon. */
  const refresh = (): void => {
    const now = database.get('PRAGMA data_version')?.['data_version']
    if (now !== dataVersion) known.clear()
    dataVersion = now
  }
  /** The words that the lexicon may lack. */
  const unknownOf = (model: Model, rows: readonly (SearchRow | undefined)[]): ReadonlySet<string> => {
    refresh()
    const [remembered, unknown] = [knownOf(model), new Set<string>()]
    for (const row of rows) for (const word of splitWords(row?.words ?? '')) if (!remembered.has(word)) unknown.add(word)
    return unknown
  }

  return {
    /**
     * Writes rows, in ascending order of their seq. A document that is gone keeps an empty one: a DELETE would leave the key
     * of an internal row as the last rowid of the connection, and node cannot represent those of deletions as a number.
     */
    write(model: Model, rows: readonly { readonly seq: number; readonly row: SearchRow | undefined }[]): void {
      const unknown = unknownOf(model, rows.map(({ row }) => row))
      if (unknown.size > 0) extendLexicon(model, unknown)
      const sql = `INSERT OR REPLACE INTO ${wordTable(model)} (rowid, words) VALUES (?, ?)`
      for (const { seq, row } of rows) {
        if (row === undefined) database.run(sql, seq, '')
        else if (row.words !== undefined) database.run(sql, seq, row.words)
      }
    },
    /** Takes words without a document out of the lexicon and the vocabulary; the others stay. */
    forget(model: Model, words: readonly string[]): void {
      const [lexicon, vocabulary] = [lexiconTable(model), vocabularyTable(model)]
      // Entries of a deleted row are removed immediately (sqlite.org/fts5.html#the_secure_delete_configuration_option).
      database.run(`INSERT INTO ${lexicon} (${lexicon}, rank) VALUES ('secure-delete', 1)`)
      for (const word of words.filter((one) => !hasDocument(database, model, one))) {
        const rows = database.all(`SELECT rowid FROM ${lexicon} WHERE ${lexicon} MATCH ? AND word = ?`, `" ${word} "`, ` ${word} `)
        for (const { rowid } of rows) database.run(`DELETE FROM ${lexicon} WHERE rowid = ?`, Number(rowid))
        database.run(`DELETE FROM ${vocabulary} WHERE word = ?`, word)
        knownOf(model).delete(word)
      }
    },
  }
}

function splitWords(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

/** The words that have a text as a part, up to a limit. `sought` is of soughtWords(). */
export function wordsWith(database: Database, model: Model, sought: string, limit: number): readonly string[] {
  const table = lexiconTable(model)
  return database
    .all(`SELECT DISTINCT trim(word) AS word FROM ${table} WHERE ${table} MATCH ? LIMIT ?`, `"${sought}"`, limit)
    .map(({ word }) => String(word))
}

/** Those among some words of the vocabulary that no document has, and the word to go on behind; undefined at the end. */
export function wordsWithoutDocument(database: Database, model: Model, after: string, limit: number) {
  const sql = `SELECT word FROM ${vocabularyTable(model)} WHERE word > ? ORDER BY word LIMIT ?`
  const some = database.all(sql, after, limit).map(({ word }) => String(word))
  return { words: some.filter((word) => !hasDocument(database, model, word)), next: some.length < limit ? undefined : some.at(-1) }
}

function hasDocument(database: Database, model: Model, word: string): boolean {
  const [table, pending] = [wordTable(model), pendingTable(model)]
  if (database.get(`SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`, `"${word}"`) !== undefined) return true
  return database.get(`SELECT 1 FROM ${pending} WHERE instr(words, ?) > 0 LIMIT 1`, ` ${word} `) !== undefined
}

/** How many documents an FTS5 query for words finds, up to a limit, and in which share of the rows up to the last of them. */
export function countWords(database: Database, model: Model, match: string, limit: number) {
  return sampleMatches(database, wordTable(model), match, limit)
}

/**
 * What is wrong with the indexes of words of some models, a sentence for each: none where they have the words of the
 * documents and no others, and the lexicon has all words. Reads everything.
 */
export function wordFaults(database: Database, models: readonly Model[]): readonly string[] {
  return models
    .filter((model) => hasWordIndex(model))
    .filter((model) => markOfDocuments(database, model) !== markOfIndex(database, model) || lacksWords(database, model))
    .map(({ name }) => `the search index of ${name} differs from its documents`)
}

/** The same for the same words of the same documents, in whatever order, and hardly ever for others. */
function createMark() {
  let [count, first, second] = [0, 0, 0]
  return {
    add(word: string, seq: number): void {
      let [a, b] = [seq | 0, ~seq]
      for (let i = 0; i < word.length; i++) {
        a = Math.imul(a ^ word.charCodeAt(i), 0x01000193)
        b = Math.imul(b + word.charCodeAt(i), 0x85ebca6b)
        b ^= b >>> 13
      }
      count++
      first = (first + a) | 0
      second = (second + b) | 0
    },
    text: () => `${count} ${first} ${second}`,
  }
}

function markOfDocuments(database: Database, model: Model): string {
  const mark = createMark()
  for (const { seq, words } of storedWords(database, model)) for (const word of new Set(splitWords(words))) mark.add(word, seq)
  return mark.text()
}

function markOfIndex(database: Database, model: Model): string {
  const mark = createMark()
  withTerms(database, model, 'instance', (terms) => {
    const sql = `SELECT term, doc FROM ${terms} WHERE ${isIndexedWords(model, 'doc')}`
    for (const { term, doc } of database.iterate(sql)) mark.add(String(term), Number(doc))
  })
  const pending = database.all(`SELECT seq, words FROM ${pendingTable(model)} WHERE words IS NOT NULL`)
  for (const { seq, words } of pending) for (const word of new Set(splitWords(String(words)))) mark.add(word, Number(seq))
  return mark.text()
}

/** Whether the lexicon lacks a word of the index, or one that the vocabulary says it has. */
function lacksWords(database: Database, model: Model): boolean {
  const lacks = (words: string): boolean =>
    database.get(`${words} EXCEPT SELECT trim(word) FROM ${lexiconTable(model)} LIMIT 1`) !== undefined
  if (lacks(`SELECT word FROM ${vocabularyTable(model)}`)) return true
  return withTerms(database, model, 'row', (terms) => lacks(`SELECT term FROM ${terms}`))
}

/** The words of all documents. */
function* storedWords(database: Database, model: Model): Iterable<{ readonly seq: number; readonly words: string }> {
  for (const { seq, doc } of database.iterate(`SELECT seq, doc FROM ${tableOf(model)}`)) {
    yield { seq: Number(seq), words: searchedWords(model, parseJson(String(doc)) as JsonObject) }
  }
}

/** Runs work on a table of the terms of the index (sqlite.org/fts5.html#the_fts5vocab_virtual_table_module). */
function withTerms<T>(database: Database, model: Model, kind: 'row' | 'instance', work: (terms: string) => T): T {
  const terms = `temp.${wordTable(model)}_terms`
  database.exec(`CREATE VIRTUAL TABLE ${terms} USING fts5vocab(main, ${wordTable(model)}, ${kind})`)
  try {
    return work(terms)
  } finally {
    database.exec(`DROP TABLE ${terms}`)
  }
}
