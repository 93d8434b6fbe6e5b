/**
 * What the planner knows of the data: counts that triggers keep, so that each costs one look-up.
 *
 * They only steer the choice between plans that are all correct. A share without a count is a fixed guess, so the same
 * filter on the same data always gives the same plan.
 */
import { setNewest } from '../../base/bounded-map.ts'
import type { Model } from '../../models/schema.ts'
import { isMatchAll, type Filter } from '../../query/ast.ts'
import type { Database } from '../db/database.ts'

/** Shares of the documents that conditions are guessed to leave. */
const EQUALITY_SHARE = 0.05
const COMPARISON_SHARE = 0.5
const NEGATION_SHARE = 0.9
/** Of a longer list, so many values are looked up, and the others assumed to be like them. */
const VALUES_SAMPLED_MAX = 50
/** Counts that are remembered, of values that are not longer. */
const KNOWN_MAX = 1_000
const KNOWN_CHARS_MAX = 100

/** Counts that were looked up, by what was counted: true for as long as nothing in the database changes. */
export type KnownCounts = Map<string, number>

/** Returns the function that gives the counts of now. `changes` gives a number that differs when rows may have changed. */
export function createKnownCounts(changes: () => number): () => KnownCounts {
  const known: KnownCounts = new Map()
  let at: number | undefined
  return () => {
    const now = changes()
    if (now !== at) known.clear()
    at = now
    return known
  }
}

const OF_STATUS = 'SELECT n FROM status_count WHERE model = ? AND status = ?'

export type Statistics = ReturnType<typeof statisticsOf>

export function statisticsOf(database: Database, model: Model, counts?: KnownCounts) {
  const count = (sql: string, ...values: readonly string[]): number => {
    const key = `${sql} ${values.join(' ')}`
    const known = counts?.get(key)
    if (known !== undefined) return known
    const found = Number(database.get(sql, ...values)?.['n'] ?? 0)
    if (counts !== undefined && key.length <= sql.length + KNOWN_CHARS_MAX) setNewest(counts, key, found, KNOWN_MAX)
    return found
  }
  const total = count('SELECT documents AS n FROM model_version WHERE model = ?', model.name)
  const sum = (sql: string, keys: readonly string[], values: readonly string[]): number => {
    const sampled = values.slice(0, VALUES_SAMPLED_MAX)
    const found = sampled.reduce((sumSoFar, value) => sumSoFar + count(sql, ...keys, value), 0)
    return Math.min(total, (found * values.length) / Math.max(1, sampled.length))
  }
  const shareAt = (path: string, values: readonly string[]): number => {
    if (total === 0) return 0
    if (path === 'status' && model.counted !== undefined) {
      return sum(OF_STATUS, [model.name], values) / total
    }
    if (model.tallied?.includes(path) === true) {
      const sql = 'SELECT n FROM key_count WHERE model = ? AND path = ? AND value = ?'
      return sum(sql, [model.name, path], values) / total
    }
    return path === 'id' || path === model.unique || model.sought?.includes(path) === true
      ? values.length / total
      : Math.min(1, values.length * EQUALITY_SHARE)
  }
  const shares = new Map<readonly string[], number>()
  return {
    /** Documents of the model. */
    total,
    /** The share, from 0 to 1, of documents whose value at a path is one of these. Each list has one path. */
    shareOf(path: string, values: readonly string[]): number {
      const known = shares.get(values)
      if (known !== undefined) return known
      const share = shareAt(path, values)
      shares.set(values, share)
      return share
    },
  }
}

/**
 * How many documents a filter names that takes all of a model, or all of one status: what triggers count, exact however many
 * there are. Undefined for any other filter.
 */
export function keptCount(database: Database, model: Model, filter: Filter): number | undefined {
  if (isMatchAll(filter)) return statisticsOf(database, model).total
  const isStatus = filter.kind === 'eq' && filter.path.length === 1 && filter.path[0] === 'status'
  if (!isStatus || model.counted === undefined || typeof filter.value !== 'string') return undefined
  return Number(database.get(OF_STATUS, model.name, filter.value)?.['n'] ?? 0)
}

/** The guessed share of documents that meet a condition which no index serves. */
export function guessShare(filter: Filter): number {
  switch (filter.kind) {
    case 'not':
      return NEGATION_SHARE
    case 'compare':
    case 'exists':
      return COMPARISON_SHARE
    case 'or':
      return Math.min(1, filter.filters.length * EQUALITY_SHARE)
    case 'and':
      return filter.filters.reduce((share, one) => share * guessShare(one), 1)
    default:
      return EQUALITY_SHARE
  }
}
