/**
 * From a query to the SQL that narrows it.
 *
 * There are five ways in: an index whose leading columns the filter fixes, one range for each combination of their
 * values; the trigram index of the search field; the index of words; the ids in order; the whole table. The cheapest by the counts of
 * statistics.ts is taken, of equals the first named, so the same query on the same data has the same plan.
 */
import type { Model } from '../../models/schema.ts'
import { dotted } from '../../query/ast.ts'
import type { Database } from '../db/database.ts'
import { conditionsOf } from './conditions.ts'
import type { FindQuery } from './find-query.ts'
import { indexPlans } from './index-plan.ts'
import {
  DOCUMENT_COST,
  NO_SQL,
  ordering,
  pageRange,
  residualOf,
  rowCost,
  rowsOfPage,
  rowsToPage,
  SEEK_COST,
  selectRows,
  where,
  type ChosenPlan,
  type Plan,
  type PlanOption,
  type PricedPlan,
  type SqlPart,
  type Task,
} from './plan.ts'
import { searchOf, searchPlan } from './search-plan.ts'
import { guessShare, statisticsOf, type KnownCounts } from './statistics.ts'
import { wordPlan, wordSearchOf } from './word-plan.ts'

/** For each text of the search index that is counted. */
const COUNT_STEPS = 5

interface PlanningOptions {
  /** Plans for a thread: more may be counted before, and more passed over in one step. */
  readonly mayTakeLong?: boolean
  /** What was counted before, where the database is as it was then. */
  readonly counts?: KnownCounts
}

export function planQuery(database: Database, model: Model, query: FindQuery, options: PlanningOptions = {}): ChosenPlan {
  const { options: all, counted } = weigh(database, model, query, options)
  const { build } = all.reduce((best, one) => (one.cost < best.cost ? one : best))
  return Object.assign(build(), { stepsToPlan: counted * COUNT_STEPS })
}

/** Every plan that would answer the query, with its cost; of plans that cost the same the first is taken. */
export function possiblePlans(
  database: Database,
  model: Model,
  query: FindQuery,
  mayTakeLong = false,
): readonly PricedPlan[] {
  const { options } = weigh(database, model, query, { mayTakeLong })
  return options.map(({ build, cost }) => ({ plan: build(), cost }))
}

interface Weighed {
  readonly options: readonly PlanOption[]
  readonly counted: number
}

function weigh(database: Database, model: Model, query: FindQuery, { mayTakeLong = false, counts }: PlanningOptions): Weighed {
  const conditions = conditionsOf(model, query.filter)
  if (conditions.never) return { options: [{ cost: 0, build: () => ({ ...NOTHING }) }], counted: 0 }
  const statistics = statisticsOf(database, model, counts)
  const search = searchOf(database, model, conditions, { total: statistics.total, mayTakeLong })
  const words = wordSearchOf(database, model, conditions, { total: statistics.total, mayTakeLong })
  const task: Task = {
    model,
    query,
    conditions,
    statistics,
    search,
    words,
    mayTakeLong,
    matches: expectedMatches({ conditions, statistics, search, words }),
  }
  const options = [...indexPlans(task), searchPlan(task), wordPlan(task), idPlan(task), tablePlan(task)]
  return { options: options.filter((one) => one !== undefined), counted: (search?.counted ?? 0) + (words?.counted ?? 0) }
}

const NOTHING: Plan = {
  access: 'nothing',
  index: undefined,
  ranges: [],
  pages: [],
  keyColumns: 0,
  sortedBy: 0,
  isExact: true,
  texts: [],
  isFlagged: false,
  readsDocuments: false,
  expectedRows: 0,
  listed: 0,
}

function expectedMatches({ conditions, statistics, search, words }: Pick<Task, 'conditions' | 'statistics' | 'search' | 'words'>): number {
  let share = 1
  for (const [path, values] of conditions.texts) share *= statistics.shareOf(path, values)
  for (const [path, values] of conditions.excluded) share *= 1 - statistics.shareOf(path, values)
  for (const filter of conditions.rest) {
    const found = filter === search?.condition.filter ? search.trigramMatches : filter === words?.filter ? words.matches : undefined
    share *= found === undefined ? guessShare(filter) : found / Math.max(1, statistics.total)
  }
  return statistics.total * share
}

/** Ids that the filter names, or all of them in order: `SELECT seq, id, doc FROM "topic" WHERE id > ? ORDER BY id` */
function idPlan(task: Task): PlanOption | undefined {
  const { query, conditions, statistics, mayTakeLong } = task
  const named = conditions.texts.get('id')
  const [key, ...more] = query.sort
  const inOrder = key === undefined || (dotted(key.path) === 'id' && more.length === 0)
  const direction =
    key?.descending === true ? { beyond: 'id < ?', order: 'id DESC' } : { beyond: 'id > ?', order: 'id' }
  if (named === undefined && !inOrder) return undefined
  const isAll =
    conditions.bounds.length + conditions.excluded.size === 0 && conditions.texts.size === (named === undefined ? 0 : 1)
  const residual = residualOf(task, { known: new Set(), isAll, merged: 0 })
  const rows = named === undefined ? rowsToPage(statistics.total, task) : named.length
  const build = (): Plan => {
    // A cursor may hold any key beside any id; the condition is only there where they are one.
    const isIdPosition = query.after !== undefined && query.after.keys.every((one) => one === query.after?.id)
    const after: SqlPart =
      inOrder && isIdPosition ? { sql: [direction.beyond], values: [query.after?.id ?? ''] } : NO_SQL
    const list: SqlPart =
      named === undefined ? NO_SQL : { sql: ['id IN (SELECT value FROM json_each(?))'], values: [JSON.stringify(named)] }
    const sql =
      selectRows(task, residual) + where([...list.sql, ...after.sql]) + ordering(inOrder ? [direction.order] : [])
    const values = [...list.values, ...after.values]
    const { isExact, keyColumns, readsDocuments } = residual
    const isPrecise = query.after === undefined || isIdPosition
    const isAtOnce = isExact && !readsDocuments && inOrder && isPrecise && named === undefined && !mayTakeLong
    const rowsAtOnce = isAtOnce ? rowsOfPage(query) : undefined
    return {
      access: 'ids',
      index: undefined,
      ranges: [{ sql, values }],
      pages: rowsAtOnce === undefined ? undefined : [pageRange(sql, values, rowsAtOnce)],
      keyColumns,
      sortedBy: inOrder ? query.sort.length + 1 : 0,
      isExact,
      texts: [],
      isFlagged: false,
      readsDocuments,
      expectedRows: rows,
      listed: named?.length ?? 0,
    }
  }
  return { build, cost: (named === undefined ? 1 : SEEK_COST) * rows * rowCost(residual) + SEEK_COST }
}

function tablePlan(task: Task): PlanOption {
  const { conditions, statistics } = task
  const { rest, bounds, excluded, texts } = conditions
  const isExact = rest.length === 0 && bounds.length === 0 && excluded.size === 0 && texts.size === 0
  const build = (): Plan => ({
    access: 'table',
    index: undefined,
    ranges: [
      { sql: selectRows(task, { isExact, keyColumns: 0, tests: [], readsDocuments: true }), values: [] },
    ],
    pages: undefined,
    keyColumns: 0,
    sortedBy: 0,
    isExact,
    texts: [],
    isFlagged: false,
    readsDocuments: true,
    expectedRows: statistics.total,
    listed: 0,
  })
  return { build, cost: SEEK_COST + statistics.total * DOCUMENT_COST }
}
