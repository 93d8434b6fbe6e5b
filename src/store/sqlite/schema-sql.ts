/**
 * The tables of the models, from their declarations.
 *
 * A stored model has one table: `seq` (the order of insertion), `id`, and `doc`, the JSON text that a read sends
 * unchanged. Indexes are on expressions over `doc`, so there are no columns to keep in step.
 */
import type { Index, Model } from '../../models/schema.ts'
import { LISTED_COPY_SCHEMA, listedCopyTriggers } from '../references/reference-schema.ts'
import { GUEST_STORAGE_SCHEMA, guestTriggers } from '../tables/guest-storage.ts'
import { isReviewed } from '../../models/reviewed.ts'
import { isScheduled } from '../../models/scheduled.ts'
import { isOptionalTextPath } from '../../models/text-paths.ts'

/** Of an ISO date: `2026-03-01T12`. */
export const HOUR_CHARS = 13

/** `"headline"`. Names come from declarations, never from input. */
export function tableOf(model: Model): string {
  return `"${model.name}"`
}

/** `doc ->> '$."topic"."id"'`: the SQL value of a declared path (sqlite.org/json1.html#jptr). */
export function valueAt(path: string): string {
  const known = valuesAt.get(path)
  if (known !== undefined) return known
  const steps = path.split('.').map((step) => `"${step}"`)
  const sql = `doc ->> '$.${steps.join('.')}'`
  valuesAt.set(path, sql)
  return sql
}

/** Of declared paths, so there are not many. */
const valuesAt = new Map<string, string>()

export interface IndexColumn {
  readonly path: string
  readonly descending: boolean
}

/** The columns that give an index its order. */
export function indexColumns(index: Index): readonly IndexColumn[] {
  return index
    .filter((entry) => !entry.startsWith('+'))
    .map((entry) => {
      const [path = '', direction] = entry.split(':')
      return { path, descending: direction === 'desc' }
    })
}

/** The paths whose values the index keeps behind them. */
export function keptPaths(index: Index): readonly string[] {
  return index.filter((entry) => entry.startsWith('+')).map((entry) => entry.slice(1))
}

/** What the triggers of all models need. The primary key is the name of a model. */
export const SHARED_SCHEMA: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'model_version',
    sql: 'CREATE TABLE model_version (model TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID',
  },
  LISTED_COPY_SCHEMA,
  ...GUEST_STORAGE_SCHEMA,
]

/** Statements that create what is missing; running them again changes nothing. */
export function modelSchema(model: Model): readonly { readonly name: string; readonly sql: string }[] {
  return [
    { name: model.name, sql: createTable(model) },
    ...model.indexes.map((index) => createIndex(model, index)),
    ...(model.unique === undefined ? [] : [createUniqueIndex(model, model.unique)]),
    ...(model.sought ?? []).map((path) => createSoughtIndex(model, path)),
    ...(model.sparse ?? []).map((path) => createSparseIndex(model, path)),
    ...(isScheduled(model) ? [createDueIndex(model)] : []),
    ...(isReviewed(model) ? [createHandedInIndex(model)] : []),
    ...versionTriggers(model),
    ...listedCopyTriggers(model),
    ...guestTriggers(model),
    ...(model.counted === undefined ? [] : countTriggers(model)),
    ...(model.timeline === undefined ? [] : hourTriggers(model, model.timeline)),
    ...(model.trigrams === undefined ? [] : createTrigrams(model)),
    ...(hasWordIndex(model) ? createWordIndex(model) : []),
  ]
}

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

/**
 * Texts are folded before they are indexed, by the rule of `match`, so the tokenizer must not fold again. Without
 * positions (`detail=none`) the index is a third of the size; it then finds texts that have the trigrams in any order.
 */
function createTrigrams(model: Model): { name: string; sql: string }[] {
  const [trigrams, pending, mark] = [trigramTable(model), pendingTable(model), pendingMark(model)]
  const kept = ['id', ...trigramColumns(model)].map((path) => `"${path}" UNINDEXED`).join(', ')
  return [
    {
      name: trigrams,
      sql: `CREATE VIRTUAL TABLE ${trigrams} USING fts5(
    text, ${kept}, tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0)`,
    },
    { name: pending, sql: `CREATE TABLE ${pending} (seq INTEGER PRIMARY KEY, text TEXT NOT NULL, kept TEXT NOT NULL, words TEXT, unknown TEXT)` },
    { name: mark, sql: `CREATE INDEX "${mark}" ON ${pending} (seq) WHERE seq < 0` },
  ]
}

/**
 * `headline_search_pending`: rows that the search indexes take over later, in place of those that they have
 * (tables/pending-rows.ts). The column `unknown` is of earlier programs.
 */
export function pendingTable(model: Model): string {
  return `${trigramTable(model)}_pending`
}

/**
 * `headline/pending`: an index that never has a row. A program that does not know the pending rows drops it at its start, as
 * no declaration names it: where it is missing, they may be those of earlier documents.
 */
export function pendingMark(model: Model): string {
  return `${model.name}/pending`
}

/** Whether the words of the model's documents are in an index. */
export function hasWordIndex({ trigrams, words }: Model): boolean {
  return trigrams !== undefined && words !== undefined
}

/** `headline_search_words`: which documents have a word. Names that begin as those of the trigram table are derived data. */
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

/**
 * Words are folded before they are indexed (query/words.ts), so the tokenizers only take them apart at spaces: `ascii` takes
 * every other character than letters and digits of ASCII as a part of a word. The table of words keeps no text
 * (sqlite.org/fts5.html#contentless_delete_tables): the documents have it.
 */
function createWordIndex(model: Model): { name: string; sql: string }[] {
  const [words, lexicon, vocabulary] = [wordTable(model), lexiconTable(model), vocabularyTable(model)]
  return [
    {
      name: words,
      sql: `CREATE VIRTUAL TABLE ${words} USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none)`,
    },
    { name: lexicon, sql: `CREATE VIRTUAL TABLE ${lexicon} USING fts5(word, tokenize = 'trigram case_sensitive 1', columnsize = 0)` },
    { name: vocabulary, sql: `CREATE TABLE ${vocabulary} (word TEXT PRIMARY KEY) WITHOUT ROWID` },
  ]
}

/** The FTS5 tables of a model: each has further tables of its own. */
export function searchTables(model: Model): readonly string[] {
  if (model.trigrams === undefined) return []
  return [trigramTable(model), ...(hasWordIndex(model) ? [wordTable(model), lexiconTable(model)] : [])]
}

function createTable(model: Model): string {
  const owner = model.owned === undefined ? '' : ' REFERENCES user (id) ON DELETE CASCADE'
  return `CREATE TABLE ${tableOf(model)} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE${owner}, doc TEXT NOT NULL)`
}

/** `CREATE INDEX "headline/status,updatedAt:desc,+topic.id" ON "headline" (doc ->> '$."status"', … DESC, id, …)` */
function createIndex(model: Model, index: Index): { name: string; sql: string } {
  const name = `${model.name}/${index.join(',')}`
  const columns = indexColumns(index).map(({ path, descending }) => valueAt(path) + (descending ? ' DESC' : ''))
  return {
    name,
    sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${[...columns, 'id', ...keptPaths(index).map(valueAt)].join(', ')})`,
  }
}

function createUniqueIndex(model: Model, path: string): { name: string; sql: string } {
  const name = `${model.name}/${path}!`
  return { name, sql: `CREATE UNIQUE INDEX "${name}" ON ${tableOf(model)} (${valueAt(path)})` }
}

export function soughtIndex(model: Model, path: string): string {
  return `${model.name}/${path}=`
}

/** `CREATE INDEX "headline/url=" ON "headline" (doc ->> '$."url"', id)` */
function createSoughtIndex(model: Model, path: string): { name: string; sql: string } {
  const name = soughtIndex(model, path)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${valueAt(path)}, id)` }
}

export function sparseIndex(model: Model, path: string): string {
  return `${model.name}/${path}?`
}

/** The status is kept beside, which lists of such documents narrow by. */
export function sparseColumns(path: string): Index {
  return [path, '+status']
}

/** `CREATE INDEX "headline/publishAt?" ON "headline" (doc ->> '$."publishAt"', id, doc ->> '$."status"') WHERE … IS NOT NULL` */
function createSparseIndex(model: Model, path: string): { name: string; sql: string } {
  const name = sparseIndex(model, path)
  const kept = keptPaths(sparseColumns(path)).map(valueAt)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${[valueAt(path), 'id', ...kept].join(', ')}) WHERE ${valueAt(path)} IS NOT NULL` }
}

/** `CASE doc ->> '$."status"' WHEN 'draft' THEN doc ->> '$."publishAt"' WHEN 'active' THEN … END`: when the status changes. */
export const DUE_AT = `CASE ${valueAt('status')} WHEN 'draft' THEN ${valueAt('publishAt')} WHEN 'active' THEN ${valueAt('unpublishAt')} END`

export function dueIndex(model: Model): string {
  return `${model.name}/due`
}

export const HANDED_IN_AT = valueAt('handedInAt')
/** A document that clients gave such a member before it meant anything may be published. */
export const IS_HANDED_IN = `${HANDED_IN_AT} IS NOT NULL AND ${valueAt('status')} = 'draft'`

export function handedInIndex(model: Model): string {
  return `${model.name}/handed-in`
}

/** Only of drafts that wait for review. */
function createHandedInIndex(model: Model): { name: string; sql: string } {
  const name = handedInIndex(model)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${HANDED_IN_AT}, id) WHERE ${IS_HANDED_IN}` }
}

/** Only of documents with such a time, which are few. */
function createDueIndex(model: Model): { name: string; sql: string } {
  const name = dueIndex(model)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${DUE_AT}, id) WHERE ${DUE_AT} IS NOT NULL` }
}

/**
 * Three triggers that move the version of the model with each change of a document; see model-versions.ts. As triggers
 * they cannot be forgotten: no write gets past them, whichever function, process or program makes it.
 */
function versionTriggers(model: Model): { name: string; sql: string }[] {
  const move = `INSERT INTO model_version (model, version) VALUES ('${model.name}', 1)
      ON CONFLICT (model) DO UPDATE SET version = version + 1;`
  return ['INSERT', 'UPDATE', 'DELETE'].map((event) => {
    const name = `${model.name}/version ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${tableOf(model)} BEGIN ${move} END` }
  })
}

/**
 * Three triggers that keep the number of documents of each status, and of active documents for each value of the
 * tallied paths, so that counting costs one look-up.
 */
function countTriggers(model: Model): { name: string; sql: string }[] {
  const status = valueAt('status')
  const tallied = model.tallied ?? []
  const add = `INSERT INTO status_count (model, status, n) VALUES ('${model.name}', new.${status}, 1)
      ON CONFLICT (model, status) DO UPDATE SET n = n + 1;
    ${tallied
      .map(
        (path) => `INSERT INTO key_count (model, path, value, n)
      SELECT '${model.name}', '${path}', new.${valueAt(path)}, 1 WHERE new.${status} = 'active'
      ON CONFLICT (model, path, value) DO UPDATE SET n = n + 1;`,
      )
      .join('\n    ')}`
  const subtract = `UPDATE status_count SET n = n - 1 WHERE model = '${model.name}' AND status = old.${status};
    ${tallied
      .map(
        (path) => `UPDATE key_count SET n = n - 1 WHERE model = '${model.name}' AND path = '${path}'
      AND value = old.${valueAt(path)} AND old.${status} = 'active';`,
      )
      .join('\n    ')}`
  const changed = ['status', ...tallied].map((path) => `old.${valueAt(path)} IS NOT new.${valueAt(path)}`).join(' OR ')
  return changeTriggers(model, 'count', { add, subtract, changed })
}

/** `substr(doc ->> '$."createdAt"', 1, 13)`: `2026-03-01T12`, the hour of a stored date; see base/dates.ts. */
export function hourAt(path: string, row = ''): string {
  return `substr(${row}${valueAt(path)}, 1, ${HOUR_CHARS})`
}

/**
 * Three triggers that keep the number of documents of each hour. They are apart from those above, as most changes do not
 * change the hour, and a new timeline must not cause a recount of the statuses.
 */
function hourTriggers(model: Model, path: string): { name: string; sql: string }[] {
  const [before, after] = [hourAt(path, 'old.'), hourAt(path, 'new.')]
  const add = `INSERT INTO hour_count (model, hour, n) SELECT '${model.name}', ${after}, 1 WHERE ${after} IS NOT NULL
      ON CONFLICT (model, hour) DO UPDATE SET n = n + 1;`
  const subtract = `UPDATE hour_count SET n = n - 1 WHERE model = '${model.name}' AND hour = ${before};
    DELETE FROM hour_count WHERE model = '${model.name}' AND hour = ${before} AND n = 0;`
  return changeTriggers(model, 'hours', { add, subtract, changed: `${before} IS NOT ${after}` })
}

interface Changes {
  readonly add: string
  readonly subtract: string
  /** Whether a changed document has to be recounted. */
  readonly changed: string
}

/** `CREATE TRIGGER "headline/count UPDATE" AFTER UPDATE ON "headline" WHEN … BEGIN … END` */
function changeTriggers(
  model: Model,
  purpose: string,
  { add, subtract, changed }: Changes,
): { name: string; sql: string }[] {
  const trigger = (event: string, when: string, body: string): { name: string; sql: string } => {
    const name = `${model.name}/${purpose} ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${tableOf(model)} ${when} BEGIN ${body} END` }
  }
  return [
    trigger('INSERT', '', add),
    trigger('UPDATE', `WHEN ${changed}`, subtract + add),
    trigger('DELETE', '', subtract),
  ]
}
