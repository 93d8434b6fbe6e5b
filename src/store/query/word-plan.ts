/**
 * Plans by the index of words: the documents that have the words are gathered, and then sorted.
 *
 * That serves words that are rare, and counting. Documents with common words are met soon on the way along an index in the
 * order of the sort.
 */
import type { Model } from '../../models/schema.ts'
import { isTextPath, searchedPaths } from '../../models/text-paths.ts'
import { dotted } from '../../query/ast.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { hasWordIndex, pendingTable, wordTable } from '../schema/search-tables.ts'
import { isIndexedWords } from '../search/pending-rows.ts'
import { countWords, wordsWith } from '../search/word-index.ts'
import type { Conditions } from './conditions.ts'
import { judgedText } from './judged-members.ts'
import {
  DOCUMENT_COST,
  extraConditions,
  listedIn,
  NO_SQL,
  rowsToPage,
  SEEK_COST,
  where,
  type Plan,
  type PlanOption,
  type Range,
  type SqlPart,
  type Task,
  type WordSearch,
} from './plan.ts'

/** What is looked up in the index; the longest come first. */
const SOUGHT_MAX = 8
/** Words that have a text as a part: so many are looked up beside other requests, and in a thread. */
const WORDS_MAX = 64
const WORDS_MAX_IN_THREAD = 512
/** Documents that have them are counted and gathered up to here. */
const GATHERED_MAX = 1_500
const GATHERED_MAX_IN_THREAD = 12_000
/** The guessed share of documents that have a part of many words. */
const COMMON_SHARE = 0.05
/** In rows of an index: to look a document up, and take a key out of it. */
const LOOKED_UP_COST = 4

interface SoughtWord {
  /** `("new" OR "news")`, or `"ne" *` */
  readonly match: string
  readonly count: number
  readonly share: number
}

/**
 * Documents that have several common words are found in one step of SQLite that nothing can end. So beside other requests
 * each word is only probed, and the index is taken where one of them is rare.
 */
export function wordSearchOf(
  database: Database,
  model: Model,
  { words: filter }: Conditions,
  { total, mayTakeLong }: { readonly total: number; readonly mayTakeLong: boolean },
): WordSearch | undefined {
  if (filter === undefined || !hasWordIndex(model)) return undefined
  const wordsMax = mayTakeLong ? WORDS_MAX_IN_THREAD : WORDS_MAX
  const found = filter.sought.slice(0, SOUGHT_MAX).flatMap((sought): SoughtWord[] => {
    const words = wordsWith(database, model, sought, wordsMax)
    const isCommon = words.length >= wordsMax
    if (isCommon && !(mayTakeLong && isBeginning(sought))) return []
    const match = isCommon ? `"${sought.trim()}" *` : anyOf(words.length === 0 ? [sought.trim()] : words)
    return [{ match, ...countWords(database, model, match, GATHERED_MAX) }]
  })
  const probed = found.reduce((sum, { count }) => sum + count, filter.sought.length * wordsMax)
  // The index has the words of all paths together: of a search in some of them, it gives documents that may have them elsewhere.
  const isWhole = found.length === filter.sought.length && filter.paths.length === searchedPaths(model).length
  const rare = found.filter(({ count }) => count < GATHERED_MAX)
  if (rare.length > 0) {
    const matches = Math.min(...rare.map(({ count }) => count))
    return { filter, match: allOf(rare), isWhole: isWhole && rare.length === found.length, matches, counted: probed, isRare: true }
  }
  const share = found.reduce((product, one) => product * one.share, COMMON_SHARE ** (filter.sought.length - found.length))
  const expected = { filter, isWhole, matches: total * share }
  if (found.length === 0) return { ...expected, match: undefined, counted: probed, isRare: false }
  const match = allOf(found)
  const counted = mayTakeLong ? countWords(database, model, match, GATHERED_MAX_IN_THREAD).count : 0
  const isRare = mayTakeLong && counted < GATHERED_MAX_IN_THREAD
  return { ...expected, match, matches: isRare ? counted : Math.max(expected.matches, counted), counted: probed + counted, isRare }
}

/**
 * Two ranges: `SELECT headline.seq, id, NULL, doc ->> '$."updatedAt"' FROM headline_search_words CROSS JOIN "headline" ON
 * headline.seq = headline_search_words.rowid WHERE headline_search_words MATCH ? AND …`, or with what conditions say as a
 * column, and the same `FROM headline_search_pending … WHERE instr(words, ?) > 0 AND …`.
 */
export function wordPlan(task: Task): PlanOption | undefined {
  const { model, query, conditions, words, mayTakeLong } = task
  if (words?.match === undefined || !(words.isRare || query.counts === true)) return undefined
  const { match, isWhole, isRare } = words
  const kept = { known: new Set(conditions.paths), decided: new Set<string>() }
  const extra = extraConditions(task, { ...kept, column: valueAt })
  const isExact = isWhole && conditions.rest.every((one) => one === words.filter)
  const hasKeys = isExact && query.sort.every(({ path }) => isTextPath(model, dotted(path)))
  const isFlagged = extra.sql.length > 0 && !isRare && !mayTakeLong
  const rows = query.counts === true ? rowsToPage(words.matches, task) : words.matches
  const build = (): Plan => {
    const [index, pending, documents] = [wordTable(model), pendingTable(model), tableOf(model)]
    const keys = hasKeys ? query.sort.map(({ path }) => valueAt(dotted(path))) : []
    const flag = isFlagged ? [`(${extra.sql.join(' AND ')})`] : []
    const conditionsHere = isFlagged ? NO_SQL : extra
    const columns = [`${documents}.seq`, 'id', isExact && hasKeys ? 'NULL' : judgedText(query), ...keys, ...flag].join(', ')
    const range = (table: string, seq: string, found: SqlPart): Range => ({
      sql:
        `SELECT ${columns} FROM ${table} CROSS JOIN ${documents} ON ${documents}.seq = ${table}.${seq}` +
        where([...found.sql, ...conditionsHere.sql]),
      values: [...(isFlagged ? extra.values : []), ...found.values, ...conditionsHere.values],
    })
    const sought = words.filter.sought.slice(0, SOUGHT_MAX)
    const ranges = [
      range(index, 'rowid', { sql: [`${index} MATCH ?`, isIndexedWords(model, `${index}.rowid`)], values: [match] }),
      range(pending, 'seq', { sql: sought.map(() => 'instr(words, ?) > 0'), values: sought }),
    ]
    return {
      access: 'search',
      index,
      ranges,
      pages: undefined,
      keyColumns: keys.length,
      sortedBy: 0,
      isExact,
      texts: [],
      isFlagged,
      readsDocuments: !hasKeys,
      expectedRows: rows,
      listed: listedIn(conditions, kept),
    }
  }
  return { build, cost: SEEK_COST + rows * (hasKeys ? LOOKED_UP_COST : LOOKED_UP_COST + DOCUMENT_COST) }
}

/**
 * Whether a text is sought at the beginning of words, as two letters are. For such a text FTS5 finds the words by itself, and
 * merges all that they have in one step, however many they are.
 */
function isBeginning(sought: string): boolean {
  return sought.startsWith(' ') && !sought.endsWith(' ')
}

/** `("new" OR "news")`; words have letters and digits alone. */
function anyOf(words: readonly string[]): string {
  return `(${words.map((word) => `"${word}"`).join(' OR ')})`
}

function allOf(words: readonly SoughtWord[]): string {
  return words.map(({ match }) => match).join(' AND ')
}
