/**
 * The search index of a text field: an FTS5 table of trigrams (sqlite.org/fts5.html#the_trigram_tokenizer).
 *
 * It holds each text folded as `match` folds it, so that it can never hide what `match` would find, whatever the
 * alphabet. Rows have the `seq` of their document. A search asks for all trigrams of the text; `instr` then makes sure
 * that they stand together.
 */
import type { Json, JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { fold } from '../../query/fold.ts'
import type { Database } from '../db/database.ts'
import { trigramColumns, trigramTable, wordTable } from '../schema/search-tables.ts'

const TRIGRAM_POINTS = 3
/** A long text is found by some of its trigrams; more would cost more than they narrow. */
export const TRIGRAMS_MAX = 12
/** Trigrams are taken of the beginning of a text, which may repeat a few of them to its end. */
const SEARCHED_CHARS_MAX = 1_000
/** A query requires so many of the rarest of the counted trigrams. */
const RAREST = 3
/** A trigram in fewer texts is rare, whatever the others are. */
const FEW = 32

/** The row of the index for a document of a model that has one. May be computed before a transaction begins. */
export function trigramRow(model: Model, document: JsonObject): readonly string[] {
  const { pathSteps, textSteps } = preparedIndex(model)
  return [
    indexedText(String(valueOf(document, textSteps))),
    ...pathSteps.map((steps) => String(valueOf(document, steps))),
  ]
}

/** Replaces rows, in ascending order of their seq; `row` is undefined for a document that is gone. */
export function replaceTrigramRows(
  database: Database,
  model: Model,
  rows: readonly { readonly seq: number; readonly row: readonly string[] | undefined }[],
): void {
  const table = trigramTable(model)
  const last = Number(database.get(`SELECT max(rowid) AS last FROM ${table}`)?.['last'] ?? 0)
  for (const { seq, row } of rows) {
    if (seq <= last) database.run(`DELETE FROM ${table} WHERE rowid = ?`, seq)
    if (row !== undefined) database.run(preparedIndex(model).insert, seq, ...row)
  }
}

interface PreparedIndex {
  readonly insert: string
  readonly textSteps: readonly string[]
  readonly pathSteps: readonly (readonly string[])[]
}

/** Computed once per model: it takes longer than the insertion of a row. */
const preparedIndexes = new WeakMap<Model, PreparedIndex>()

function preparedIndex(model: Model): PreparedIndex {
  const known = preparedIndexes.get(model)
  if (known !== undefined) return known
  const kept = ['id', ...trigramColumns(model)]
  const columns = kept.map((path) => `"${path}"`).join(', ')
  const prepared = {
    insert: `INSERT INTO ${trigramTable(model)} (rowid, text, ${columns}) VALUES (?, ?, ${kept.map(() => '?').join(', ')})`,
    textSteps: searchPath(model).split('.'),
    pathSteps: kept.map((path) => path.split('.')),
  }
  preparedIndexes.set(model, prepared)
  return prepared
}

/** The only path that the model's search looks at. */
export function searchPath(model: Model): string {
  const [path, ...more] = model.search
  if (path === undefined || more.length > 0) throw new Error(`${model.name} needs one search path for its trigrams`)
  return path
}

/** The form in which a text is indexed and looked for. FTS5 ends a text at NUL, so that becomes another character. */
export function indexedText(text: string): string {
  return fold(text).replaceAll('\0', '\uFFFD')
}

/** The trigrams to look for a text by, in the form of indexedText(); none where it is shorter than one. */
export function trigramsOf(text: string): readonly string[] {
  const found = new Set<string>()
  const last: string[] = []
  for (const point of text.slice(0, SEARCHED_CHARS_MAX)) {
    if (last.push(point) < TRIGRAM_POINTS) continue
    found.add(last.join(''))
    if (found.size === TRIGRAMS_MAX) break
    last.shift()
  }
  return [...found]
}

/** An FTS5 query for texts that have all of these: `"fer" AND "err" AND "rry"`. */
export function trigramQuery(trigrams: readonly string[]): string {
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}

/** How many texts an FTS5 query finds, counted up to a limit. */
export function countTexts(database: Database, model: Model, match: string, limit: number): number {
  return sampleMatches(database, trigramTable(model), match, limit).count
}

/**
 * The rarest of some trigrams, in how many texts the rarest of all is, up to a limit, and in which share of texts, and how
 * many were counted for it. Bounded, whatever the text. All are looked at in a few texts first: where one is in fewer, how
 * common the others are does not matter; else those are counted whose first texts lie farthest apart.
 */
export function rarestTrigrams(database: Database, model: Model, trigrams: readonly string[], limit: number) {
  const countIn = (some: readonly string[], max: number) =>
    some.map((trigram) => ({ trigram, ...sampleMatches(database, trigramTable(model), trigramQuery([trigram]), max) }))
  const few = countIn(trigrams, FEW).sort((a, b) => a.share - b.share)
  const rare = few.filter(({ count }) => count < FEW)
  const seldom = few.slice(0, RAREST).map(({ trigram }) => trigram)
  const counted = (rare.length > 0 ? rare : countIn(seldom, limit)).sort((a, b) => a.count - b.count).slice(0, RAREST)
  const looked = rare.length > 0 ? few : [...few, ...counted]
  return {
    trigrams: counted.map(({ trigram }) => trigram),
    count: counted[0]?.count ?? 0,
    share: Math.min(...counted.map(({ share }) => share)),
    counted: looked.reduce((sum, { count }) => sum + count, 0),
  }
}

function valueOf(document: JsonObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = document
  for (const step of steps) value = (value as JsonObject | undefined)?.[step]
  return value
}

/*
 * Merges the segments of a full-text index into one, in steps.
 *
 * FTS5 appends what is deleted as a mark, and drops it with what it marks when segments are merged
 * (sqlite.org/fts5.html#the_merge_command): until then the terms of a deleted document stay in the file.
 */

/** Of 4 KB: a step writes them in some milliseconds. */
const PAGES_PER_STEP = 64

/** The tables that hold what documents have, a row for each. */
export function documentIndexes(model: Model): readonly string[] {
  return [wordTable(model), trigramTable(model)]
}

/**
 * Takes a step; returns whether there may be more. The first one begins to merge all segments that there are, the others go
 * on with that: segments that are written meanwhile wait for the next time.
 */
export function mergeSegments(database: Database, table: string, isFirst: boolean): boolean {
  const changes = (): number => Number(database.get('SELECT total_changes() AS n')?.['n'])
  const before = changes()
  // By exec: run() would read the last rowid, and that of an internal row may be beyond what a number holds.
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${isFirst ? -PAGES_PER_STEP : PAGES_PER_STEP})`)
  // The statement itself counts as one.
  return isFirst || changes() - before > 1
}

// A sample of the rows of a full-text index that match.

/**
 * How many rows of an FTS5 table match, up to a limit, and how close together they are: the share of rows that match among
 * those from the first to the last that was counted. Matches come in the order of rows.
 */
export function sampleMatches(database: Database, table: string, match: string, limit: number) {
  const row = database.get(
    `SELECT count(*) AS n, min(rowid) AS first, max(rowid) AS last
      FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ${limit})`,
    match,
  )
  const count = Number(row?.['n'])
  return { count, share: count === 0 ? 0 : count / (Number(row?.['last']) - Number(row?.['first']) + 1) }
}
