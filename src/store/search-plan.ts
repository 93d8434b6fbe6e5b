/**
 * Plans by the trigram index of a search field: all texts that have the trigrams are gathered.
 *
 * That serves a text that is rare. One that is common is met soon on the way along an index in the order of the sort.
 */
import type { Model } from '../models/schema.ts'
import type { Conditions } from './conditions.ts'
import type { Database } from './database.ts'
import { DOCUMENT_COST, extraConditions, SEEK_COST, where, type Candidate, type Search, type Task } from './plan.ts'
import { tableOf, trigramColumns, trigramTable } from './schema-sql.ts'
import { countTexts, indexedText, rarestTrigrams, searchPath, trigramQuery, trigramsOf } from './trigram-index.ts'

/** A trigram in so many texts is common. */
const PROBED_MAX = 1_500
/** Candidates that are counted and gathered. */
const CANDIDATES_MAX = 8_000
/** In rows of an index: to take a row out of the search index. */
const CANDIDATE_COST = 2

/**
 * Looking for trigrams that are all common takes as long as they are common, in one step of SQLite that nothing can
 * end. So beside other requests each trigram is only probed, and the search is taken where one of them is rare.
 */
export function searchOf(
  database: Database,
  model: Model,
  { searches }: Conditions,
  mayTakeLong: boolean,
): Search | undefined {
  if (model.trigrams === undefined) return undefined
  const condition = searches.find(({ path }) => path === searchPath(model))
  const text = condition === undefined ? '' : indexedText(condition.pattern.text)
  const trigrams = trigramsOf(text)
  if (condition === undefined || trigrams.length === 0) return undefined
  const rarest = rarestTrigrams(database, model, trigrams, PROBED_MAX)
  if (rarest.count < PROBED_MAX) {
    const { trigrams: few, count, counted } = rarest
    return { match: trigramQuery(few), text, condition, candidates: count, counted, isRare: true }
  }
  const match = trigramQuery(trigrams)
  const candidates = mayTakeLong ? countTexts(database, model, match, CANDIDATES_MAX) : PROBED_MAX
  const counted = rarest.counted + candidates
  return { match, text, condition, candidates, counted, isRare: mayTakeLong && candidates < CANDIDATES_MAX }
}

/**
 * `SELECT rowid, id, NULL, "updatedAt" FROM headline_search WHERE headline_search MATCH ? AND instr(text, ?) > 0 AND …`
 */
export function searchPlan(task: Task): Candidate | undefined {
  const { model, query, conditions, search } = task
  if (search?.isRare !== true) return undefined
  const [table, columns] = [trigramTable(model), trigramColumns(model)]
  const quoted = (path: string): string => `"${path}"`
  const extra = extraConditions(task, { known: new Set(['id', ...columns]), fixed: new Set(), column: quoted })
  const { condition, text } = search
  // The index holds folded texts in which NUL is another character.
  const isFound = condition.pattern.ignoreCase && !text.includes('\uFFFD')
  const isExact = isFound && extra.isAll && conditions.rest.every((one) => one === condition.filter)
  const hasKeys = isExact && query.sort.every(({ path }) => columns.includes(path.join('.')) || path.join('.') === 'id')
  const keys = hasKeys ? query.sort.map(({ path }) => quoted(path.join('.'))) : []
  const doc = hasKeys ? 'NULL' : `(SELECT doc FROM ${tableOf(model)} WHERE seq = ${table}.rowid)`
  const sql =
    `SELECT ${['rowid', 'id', doc, ...keys].join(', ')} FROM ${table}` +
    where([`${table} MATCH ?`, 'instr(text, ?) > 0', ...extra.sql])
  const rows = search.candidates
  const plan = {
    access: 'search',
    index: table,
    ranges: [{ sql, values: [search.match, text, ...extra.values] }],
    keyColumns: keys.length,
    sortedBy: 0,
    isExact,
    texts: [],
    isFlagged: false,
    readsDocuments: !hasKeys,
    expectedRows: rows,
  } as const
  return { plan, cost: SEEK_COST + rows * (hasKeys ? CANDIDATE_COST : CANDIDATE_COST + DOCUMENT_COST) }
}
