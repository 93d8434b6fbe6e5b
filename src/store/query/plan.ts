/**
 * Plans, and the pieces of SQL that they are built from.
 *
 * A plan is a list of ranges: SQL statements whose rows together are a superset of the answer. Each range delivers its
 * rows in the order of the first keys of the sort (`sortedBy`), so that the executor can merge them and stop when the
 * page is full.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Model } from '../../models/schema.ts'
import { isTextPath } from '../../models/text-paths.ts'
import { dotted, type CompareOperator, type Filter } from '../../query/ast.ts'
import type { Sort } from '../../query/order.ts'
import type { Pattern } from '../../query/pattern.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import type { Bound, Conditions, WordsFilter } from './conditions.ts'
import type { FindQuery } from './find-query.ts'
import { judgedText } from './judged-members.ts'
import type { Statistics } from './statistics.ts'

/** Rows are `[seq, id, judged text (judged-members.ts) or NULL, …keys, …texts, flag]`, with the first `keyColumns` keys of the sort. */
export interface Range {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export interface PageRange extends Range {
  /** At most so many rows come. */
  readonly rowsMax: number
  /** The same statement without its limit; undefined for a merge of ranges, which takes long to be run twice. */
  readonly unlimited: string | undefined
}

export interface Plan {
  readonly access: 'nothing' | 'index' | 'search' | 'ids' | 'table'
  /** The index, as the database names it; undefined for the table. */
  readonly index: string | undefined
  readonly ranges: readonly Range[]
  /**
   * Statements whose rows, one after the other, are the page in order, where SQL decides everything and all keys are at
   * hand; with a flag, those without it are left out.
   */
  readonly pages: readonly PageRange[] | undefined
  readonly keyColumns: number
  /** Rows of a range come in the order of so many keys; one more than the sort has when ids are in order too. */
  readonly sortedBy: number
  /** SQL has decided: every row is a match. */
  readonly isExact: boolean
  /** Patterns that the texts of a row have to meet, one for each; all that is left where documents are not read. */
  readonly texts: readonly Pattern[]
  /**
   * The last column says whether a row meets what SQL decides; the others come as well, so that each of them counts.
   */
  readonly isFlagged: boolean
  /** Rows include their documents, to be tested or for keys that SQL cannot compute. */
  readonly readsDocuments: boolean
  /** Rows that are expected to be read. */
  readonly expectedRows: number
  /** Values of lists that SQLite gathers before it reads, each range its own. */
  readonly listed: number
}

/** The plan that was taken. */
export interface ChosenPlan extends Plan {
  /** The cost of planning, in steps of the interpreter. */
  readonly stepsToPlan: number
}

/** A plan that would answer the query: its cost decides whether it is built. */
export interface PlanOption {
  /** In rows of an index. */
  readonly cost: number
  readonly build: () => Plan
}

export interface PricedPlan {
  readonly plan: Plan
  readonly cost: number
}

/** The expected result of a search for words. */
export interface WordSearch {
  readonly filter: WordsFilter
  /** The query for the index of words; undefined where too many words have what is looked for. */
  readonly match: string | undefined
  /** The query asks for all that the filter does. */
  readonly isWhole: boolean
  /** Documents that are expected to have the words. */
  readonly matches: number
  /** All that were counted to know that. */
  readonly counted: number
  /** They are few enough to gather all of them. */
  readonly isRare: boolean
}

/** The expected result of a search by trigrams. */
export interface Search {
  readonly match: string
  /** Texts as the index holds them, of which one must stand in the field. */
  readonly texts: readonly string[]
  /** The condition that it serves. */
  readonly condition: Conditions['searches'][number]
  /** Documents that have the trigrams, as far as they were counted. */
  readonly trigramMatches: number
  /** All that were counted to know that. */
  readonly counted: number
  /** They are few enough to gather all of them. */
  readonly isRare: boolean
}

export interface Task {
  readonly model: Model
  readonly query: FindQuery
  readonly conditions: Conditions
  readonly statistics: Statistics
  readonly search: Search | undefined
  readonly words: WordSearch | undefined
  /** The plan runs in a thread of its own. */
  readonly mayTakeLong: boolean
  /** Documents that are expected to match. */
  readonly matches: number
}

/** Costs in rows of an index: to start a range, to read and test a document, to test a text in the row. */
export const SEEK_COST = 2
export const DOCUMENT_COST = 5
const TEXT_COST = 1
/** The same for a value of a list. */
export const LISTED_COST = 1 / 3

/** Rows that are read until a page is full, when the matches lie evenly among them. */
export function rowsToPage(rows: number, { query: { limit }, matches }: Task): number {
  return limit === undefined ? rows : Math.min(rows, ((limit + 1) * rows) / Math.max(matches, 0.5))
}

/**
 * A statement that gives so many rows at once, or a few more. The number stands in its text: SQLite plans with the number,
 * and prepares a statement again whose limit is bound. There are few numbers, so that there are few texts.
 */
export function pageRange(sql: string, values: readonly SQLInputValue[], rows: number, isMerge = false): PageRange {
  const rowsMax = ROWS_AT_ONCE.find((one) => one >= rows) ?? ROWS_AT_ONCE_MAX
  return { sql: `${sql} LIMIT ${rowsMax}`, values, rowsMax, unlimited: isMerge ? undefined : sql }
}

const ROWS_AT_ONCE_MAX = 201
const ROWS_AT_ONCE = [2, 6, 11, 21, 26, 32, 51, 101, ROWS_AT_ONCE_MAX]

/** The rows that a page needs; undefined where they are too many to be read at once. */
export function rowsOfPage({ limit }: FindQuery): number | undefined {
  return limit !== undefined && limit < ROWS_AT_ONCE_MAX ? limit + 1 : undefined
}

/** The conditions that SQL does not decide (the residual), and the columns that they need. */
export interface Residual {
  readonly isExact: boolean
  readonly keyColumns: number
  readonly tests: readonly PatternFilter[]
  readonly readsDocuments: boolean
}

type PatternFilter = Extract<Filter, { kind: 'pattern' }>

/**
 * `known` are the paths whose values are at hand, `isAll` says that SQL decides all conditions that are no patterns,
 * `merged` how many keys the merge of the ranges needs.
 */
export function residualOf(
  { model, query: { sort }, conditions: { rest } }: Task,
  { known, isAll, merged }: { readonly known: ReadonlySet<string>; readonly isAll: boolean; readonly merged: number },
): Residual {
  const tests = rest.length === 0 ? NO_TESTS : rest.filter((one) => isKnownPattern(one, known))
  const isDecided = isAll && tests.length === rest.length
  const keyColumns = isDecided && (merged === sort.length || hasTextKeys(model, sort)) ? sort.length : merged
  const readsDocuments = !isDecided || keyColumns < sort.length
  return { isExact: isDecided && tests.length === 0, keyColumns, tests: readsDocuments ? [] : tests, readsDocuments }
}

const NO_TESTS: readonly PatternFilter[] = []

function isKnownPattern(one: Filter, known: ReadonlySet<string>): one is PatternFilter {
  return one.kind === 'pattern' && known.has(dotted(one.path))
}

function hasTextKeys(model: Model, sort: Sort): boolean {
  return sort.every(({ path }) => isTextPath(model, dotted(path)))
}

/** The cost of reading one row. */
export function rowCost({ readsDocuments, tests }: Residual): number {
  return readsDocuments ? DOCUMENT_COST : 1 + tests.length * TEXT_COST
}

/** Where the columns of selectRows() stand in a row: the keys of the sort come last, and behind them the texts to be tested. */
export const AT = { seq: 0, id: 1, doc: 2, keys: 3 } as const

/** A column as ORDER BY counts them, from 1 (sqlite.org/lang_select.html#orderby). */
export function ordinalOf(at: number): number {
  return at + 1
}

/** `SELECT seq, id, NULL, doc ->> '$."updatedAt"' FROM "headline" INDEXED BY "…"`, with a `flag` as the last column. */
export function selectRows(
  { model, query }: Task,
  { keyColumns, tests, readsDocuments }: Residual,
  { index, flag }: { readonly index?: string; readonly flag?: string } = {},
): string {
  const paths = [...query.sort.slice(0, keyColumns), ...tests].map(({ path }) => valueAt(dotted(path)))
  const columns = ['seq', 'id', readsDocuments ? judgedText(query) : 'NULL', ...paths, ...(flag === undefined ? [] : [flag])]
  const by = index === undefined ? '' : ` INDEXED BY "${index}"`
  return `SELECT ${columns.join(', ')} FROM ${tableOf(model)}${by}`
}

export interface SqlPart {
  readonly sql: readonly string[]
  readonly values: readonly SQLInputValue[]
}

export const NO_SQL: SqlPart = { sql: [], values: [] }

export function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

export function ordering(terms: readonly string[]): string {
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`
}

const OPERATORS: Readonly<Record<CompareOperator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Conditions on columns that are at hand anyway, but for paths whose conditions the range has `decided` already. */
export function extraConditions(
  { conditions }: Task,
  {
    known,
    decided,
    column,
  }: { known: ReadonlySet<string>; decided: ReadonlySet<string>; column: (path: string) => string },
): SqlPart {
  const sql: string[] = []
  const values: SQLInputValue[] = []
  const columnOf = (path: string): string => (path === 'id' ? 'id' : column(path))
  const add = (path: string, condition: string, value: SQLInputValue): void => {
    if (!known.has(path)) return
    sql.push(condition)
    values.push(value)
  }
  for (const [path, wanted] of conditions.texts) {
    // A list of any length is one value, so that the text of the statement stays the same.
    if (!decided.has(path)) add(path, `${columnOf(path)} IN (SELECT value FROM json_each(?))`, JSON.stringify(wanted))
  }
  for (const [path, unwanted] of conditions.excluded) {
    const [only, ...more] = unwanted
    if (only !== undefined && more.length === 0) add(path, `${columnOf(path)} <> ?`, only)
    else add(path, `${columnOf(path)} NOT IN (SELECT value FROM json_each(?))`, JSON.stringify(unwanted))
  }
  for (const bound of conditions.bounds) {
    if (!decided.has(bound.path)) add(bound.path, boundSql(bound, columnOf), bound.value)
  }
  return { sql, values }
}

/** Values in the lists among the extra conditions of one range. */
export function listedIn(
  { texts, excluded }: Conditions,
  { known, decided }: { readonly known: ReadonlySet<string>; readonly decided: ReadonlySet<string> },
): number {
  let listed = 0
  for (const [path, wanted] of texts) if (known.has(path) && !decided.has(path)) listed += wanted.length
  for (const [path, unwanted] of excluded) if (known.has(path) && unwanted.length > 1) listed += unwanted.length
  return listed
}

/** `doc ->> '$."updatedAt"' < ?` */
export function boundSql({ path, operator }: Bound, column: (path: string) => string): string {
  return `${column(path)} ${OPERATORS[operator]} ?`
}
