/**
 * Runs a plan: merges its ranges, lets the interpreter decide where SQL has not, and keeps the best *limit + 1*.
 *
 * Rows come in the order of the first keys of the sort; among rows with equal first keys any order is possible. So the
 * page is full when it has enough items and the next row differs from the last of them in those first keys. Nothing
 * grows with the table: at most one row of each range and one page are held.
 */
import type { SQLOutputValue } from 'node:sqlite'
import { parseJson, type Json, type JsonObject } from '../base/json.ts'
import type { Model } from '../models/schema.ts'
import type { ValueTest } from '../query/candidates.ts'
import { filterTest } from '../query/match.ts'
import { comparePositions, sortKeys, type Position, type Sort } from '../query/order.ts'
import type { Database, RowCursor } from './database.ts'
import { patternTest } from '../query/pattern.ts'
import { StepsExceeded, unlimitedSteps, type Steps } from '../query/steps.ts'
import type { TextTest } from '../query/text-search.ts'
import type { Plan } from './plan.ts'
import { tableOf } from './schema-sql.ts'
import type { FindQuery, Found } from './store.ts'

export interface Effort {
  /** What judging documents takes; past its limit the scan is given up in the middle of a document. */
  readonly steps: Steps
  /** Rows that were read. */
  rowsRead: number
  /** Characters of the longest document, or text beside it, that was read. */
  charsMax: number
}

export function noEffort(steps = unlimitedSteps()): Effort {
  return { steps, rowsRead: 0, charsMax: 0 }
}

/** Says after each row, before its document is judged, whether to go on; a scan that may not is given up. */
export type Allowance = (effort: Effort) => boolean

interface Item extends Position {
  readonly seq: number
  readonly doc: string | undefined
}

/** The page, or undefined where the allowance ran out. `effort` is counted up on the way. */
export function execute(
  database: Database,
  model: Model,
  { plan, query, effort, mayGoOn }: { plan: Plan; query: FindQuery; effort: Effort; mayGoOn: Allowance },
): Found | undefined {
  const { sort, after, filter, limit } = query
  const wanted = limit === undefined ? Number.POSITIVE_INFINITY : limit + 1
  const best: Item[] = []
  const tests = plan.texts.map((pattern) => patternTest(pattern, effort.steps))
  const holds = plan.isExact ? undefined : filterTest(filter, effort.steps)
  const rows = mergedRows(database, plan, sort)
  try {
    for (let row = rows.next(); row !== undefined; row = rows.next()) {
      effort.rowsRead++
      effort.charsMax = Math.max(effort.charsMax, charsOf(row))
      if (!mayGoOn(effort)) return undefined
      if (best.length === wanted && isBeyond(row, best.at(-1), plan, sort)) break
      if (plan.isFlagged && row.at(-1) !== 1) continue
      const item = itemOf(row, { plan, sort, holds, tests })
      if (item === undefined || (after !== undefined && comparePositions(sort, item, after) <= 0)) continue
      insertSorted(best, item, sort)
      if (best.length > wanted) best.length = wanted
      if (best.length === wanted && plan.sortedBy > sort.length) break
    }
  } catch (error) {
    if (error instanceof StepsExceeded) return undefined
    throw error
  } finally {
    rows.close()
  }
  const items = best.slice(0, limit)
  const last = items.at(-1)
  const next = items.length < best.length && last !== undefined ? { keys: last.keys, id: last.id } : undefined
  return { items: items.map((item) => item.doc ?? documentAt(database, model, item.seq)), next }
}

type RawRow = readonly SQLOutputValue[]

/** Columns before the keys: seq, id, doc. */
const KEYS_AT = 3

interface Judge {
  readonly plan: Plan
  readonly sort: Sort
  /** Undefined where SQL has decided. */
  readonly holds: ValueTest | undefined
  readonly tests: readonly TextTest[]
}

/** The item of a row, or undefined where its document does not match. */
function itemOf(row: RawRow, { plan, sort, holds, tests }: Judge): Item | undefined {
  const [seq, id, doc] = [Number(row[0]), String(row[1]), row[2]]
  if (doc === null || doc === undefined) {
    const textsAt = KEYS_AT + plan.keyColumns
    if (!tests.every((test, i) => test(String(row[textsAt + i])))) return undefined
    return { seq, id, doc: undefined, keys: row.slice(KEYS_AT, textsAt) as Json[] }
  }
  const document = parseJson(String(doc)) as JsonObject
  if (holds !== undefined && !holds(document)) return undefined
  return { seq, id, doc: String(doc), keys: sortKeys(document, sort) }
}

/** The longest text of a row: its document, a key, or what a pattern is looked for in. */
function charsOf(row: RawRow): number {
  let longest = 0
  for (const value of row) if (typeof value === 'string' && value.length > longest) longest = value.length
  return longest
}

function documentAt(database: Database, model: Model, seq: number): string {
  return String(database.get(`SELECT doc FROM ${tableOf(model)} WHERE seq = ?`, seq)?.['doc'])
}

/** Whether this row, and so every later one, comes after the last item in the keys in whose order rows come. */
function isBeyond(row: RawRow, last: Item | undefined, { sortedBy, keyColumns }: Plan, sort: Sort): boolean {
  const known = Math.min(sortedBy, keyColumns, sort.length)
  if (last === undefined || known === 0) return false
  return compareFirst(row, last.keys, sort.slice(0, known)) > 0
}

function compareFirst(row: RawRow, keys: readonly Json[], sort: Sort): number {
  const at = (values: readonly Json[]): Position => ({ keys: values, id: '' })
  return comparePositions(sort, at(row.slice(KEYS_AT, KEYS_AT + sort.length) as Json[]), at(keys.slice(0, sort.length)))
}

/** Binary insertion: the list is short, and most rows of a long scan fall off its end at the first comparison. */
function insertSorted(items: Item[], item: Item, sort: Sort): void {
  const last = items.at(-1)
  if (last === undefined || comparePositions(sort, last, item) <= 0) {
    items.push(item)
    return
  }
  let [low, high] = [0, items.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePositions(sort, items[middle] as Item, item) <= 0) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
}

/** One cursor as it is, several merged by the keys that their rows bring along. */
function mergedRows(database: Database, { ranges, keyColumns }: Plan, sort: Sort): RowCursor {
  const cursors = ranges.map(({ sql, values }) => database.cursor(sql, values))
  const close = (): void => cursors.forEach((cursor) => cursor.close())
  const [only, ...more] = cursors
  if (only === undefined) return { next: () => undefined, close }
  if (more.length === 0) return only
  const known = sort.slice(0, keyColumns)
  const positionOf = (row: RawRow): Position => ({
    keys: row.slice(KEYS_AT, KEYS_AT + known.length) as Json[],
    id: String(row[1]),
  })
  // The heads of all ranges, the last of them the next to come out.
  const heads: { position: Position; row: RawRow; cursor: RowCursor }[] = []
  const advance = (cursor: RowCursor): void => {
    const row = cursor.next()
    if (row === undefined) return
    const head = { position: positionOf(row), row, cursor }
    let [low, high] = [0, heads.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (comparePositions(known, (heads[middle] as typeof head).position, head.position) > 0) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, head)
  }
  try {
    cursors.forEach(advance)
  } catch (error) {
    close()
    throw error
  }
  return {
    next() {
      const head = heads.pop()
      if (head === undefined) return undefined
      advance(head.cursor)
      return head.row
    },
    close,
  }
}
