/**
 * Plans by the trigram index of a search field: all texts that have the trigrams are gathered.
 *
 * That serves a text that is rare. One that is common is met soon on the way along an index in the order of the sort.
 */
import type { Model } from '../../models/schema.ts'
import { dotted } from '../../query/ast.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { pendingTable, trigramColumns, trigramTable } from '../schema/search-tables.ts'
import { isIndexedText } from '../search/pending-rows.ts'
import {
  countTexts,
  indexedText,
  rarestTrigrams,
  searchPath,
  trigramQuery,
  TRIGRAMS_MAX,
  trigramsOf,
} from '../search/trigram-index.ts'
import type { Conditions, TextSearch } from './conditions.ts'
import { judgedText } from './judged-members.ts'
import {
  DOCUMENT_COST,
  extraConditions,
  listedIn,
  NO_SQL,
  SEEK_COST,
  where,
  type Plan,
  type PlanOption,
  type Range,
  type Search,
  type SqlPart,
  type Task,
} from './plan.ts'

/** A trigram in so many texts is common. */
const PROBED_MAX = 1_500
/** Of the texts that have the rarest trigram of a longer text, so many are guessed to have all of it. */
const LONGER_SHARE = 0.5
/** Documents with the trigrams that are counted and gathered. */
const TRIGRAM_MATCHES_MAX = 8_000
/** In rows of an index: to take a row out of the search index. */
const TRIGRAM_MATCH_COST = 2

/**
 * Looking for trigrams that are all common takes as long as they are common, in one step of SQLite that nothing can
 * end. So beside other requests each trigram is only probed, and the search is taken where one of them is rare.
 */
export function searchOf(
  database: Database,
  model: Model,
  { searches }: Conditions,
  { total, mayTakeLong }: { readonly total: number; readonly mayTakeLong: boolean },
): Search | undefined {
  if (model.trigrams === undefined) return undefined
  const best = bestSearch(searches.filter(({ path }) => path === searchPath(model)))
  if (best === undefined) return undefined
  const trigrams = best.texts.map((text) => trigramsOf(text).slice(0, Math.floor(TRIGRAMS_MAX / best.texts.length)))
  const rarest = trigrams.map((some) => rarestTrigrams(database, model, some, PROBED_MAX))
  const [probed, count] = [sum(rarest.map((one) => one.counted)), sum(rarest.map((one) => one.count))]
  if (count < PROBED_MAX) {
    const match = anyQuery(rarest.map((one) => one.trigrams))
    return { ...best, match, trigramMatches: count, counted: probed, isRare: true }
  }
  const match = anyQuery(trigrams)
  const counted = mayTakeLong ? countTexts(database, model, match, TRIGRAM_MATCHES_MAX) : 0
  if (mayTakeLong && counted < TRIGRAM_MATCHES_MAX) {
    return { ...best, match, trigramMatches: counted, counted: probed + counted, isRare: true }
  }
  // A count that ends at its limit does not tell a word of every third text from one of every hundredth.
  const shares = rarest.map(({ share }, i) => share * (trigrams[i]?.length === 1 ? 1 : LONGER_SHARE))
  const trigramMatches = Math.max(total * Math.min(1, sum(shares)), mayTakeLong ? TRIGRAM_MATCHES_MAX : PROBED_MAX)
  return { ...best, match, trigramMatches, counted: probed + counted, isRare: false }
}

/** The most selective list of all texts that conditions require: long texts, and few alternatives. */
function bestSearch(searches: readonly TextSearch[]): Pick<Search, 'condition' | 'texts'> | undefined {
  const lists = searches.flatMap((condition) =>
    condition.clauses.map((clause) => ({ condition, texts: clause.map(indexedText) })),
  )
  const usable = lists.filter(({ texts }) => texts.every((text) => trigramsOf(text).length > 0))
  return usable.toSorted((a, b) => worthOf(b.texts) - worthOf(a.texts))[0]
}

function worthOf(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length)) / texts.length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** An FTS5 query for texts that have all trigrams of one of the lists: `("fer" AND "err") OR ("boa" AND "oat")`. */
function anyQuery(lists: readonly (readonly string[])[]): string {
  const queries = lists.map(trigramQuery)
  return queries.length === 1 ? queries.join() : queries.map((query) => `(${query})`).join(' OR ')
}

/**
 * Two ranges: `SELECT rowid, id, NULL, "updatedAt" FROM headline_search WHERE headline_search MATCH ? AND instr(text, ?) > 0
 * AND …`, and `SELECT headline.seq, id, NULL, doc ->> '$."updatedAt"' FROM headline_search_pending CROSS JOIN "headline" ON …
 * WHERE instr(text, ?) > 0 AND …` for what the index does not have yet.
 */
export function searchPlan(task: Task): PlanOption | undefined {
  const { model, query, conditions, search } = task
  if (search?.isRare !== true) return undefined
  const columns = trigramColumns(model)
  const quoted = (path: string): string => `"${path}"`
  const kept = { known: new Set(['id', ...columns]), decided: new Set<string>() }
  const isAll = conditions.paths.every((path) => path === 'id' || columns.includes(path))
  const { condition, texts } = search
  // The index holds folded texts in which NUL is another character.
  const isFound = condition.isWhole && !texts.some((text) => text.includes('\uFFFD'))
  const isExact = isFound && isAll && conditions.rest.every((one) => one === condition.filter)
  const hasKeys = isExact && query.sort.every(({ path }) => columns.includes(dotted(path)) || dotted(path) === 'id')
  const rows = search.trigramMatches
  const build = (): Plan => {
    const [table, pending, documents] = [trigramTable(model), pendingTable(model), tableOf(model)]
    const range = (from: string, column: (path: string) => string, { seq, doc, found }: { seq: string; doc: string; found: SqlPart }): Range => {
      const extra = extraConditions(task, { ...kept, column })
      const keys = hasKeys ? query.sort.map(({ path }) => column(dotted(path))) : []
      return {
        sql: `SELECT ${[seq, 'id', hasKeys ? 'NULL' : doc, ...keys].join(', ')} FROM ${from}` + where([...found.sql, containsOne(texts), ...extra.sql]),
        values: [...found.values, ...texts, ...extra.values],
      }
    }
    const judged = judgedText(query)
    const ranges = [
      range(table, quoted, {
        seq: 'rowid',
        doc: `(SELECT ${judged} FROM ${documents} WHERE seq = ${table}.rowid)`,
        found: { sql: [`${table} MATCH ?`, isIndexedText(model)], values: [search.match] },
      }),
      range(`${pending} CROSS JOIN ${documents} USING (seq)`, valueAt, { seq: 'seq', doc: judged, found: NO_SQL }),
    ]
    return {
      access: 'search',
      index: table,
      ranges,
      pages: undefined,
      keyColumns: hasKeys ? query.sort.length : 0,
      sortedBy: 0,
      isExact,
      texts: [],
      isFlagged: false,
      readsDocuments: !hasKeys,
      expectedRows: rows,
      listed: listedIn(conditions, kept),
    }
  }
  return { build, cost: SEEK_COST + rows * (hasKeys ? TRIGRAM_MATCH_COST : TRIGRAM_MATCH_COST + DOCUMENT_COST) }
}

/** `instr(text, ?) > 0`, or of several texts `(instr(text, ?) > 0 OR instr(text, ?) > 0)`. */
function containsOne(texts: readonly string[]): string {
  const found = texts.map(() => 'instr(text, ?) > 0')
  return found.length === 1 ? found.join() : `(${found.join(' OR ')})`
}
