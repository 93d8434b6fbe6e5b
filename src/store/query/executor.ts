/**
 * Runs a plan: merges its ranges, evaluates what SQL has not decided, and keeps the items of one page.
 *
 * Rows come in the order of the first keys of the sort; among rows with equal first keys any order is possible. So the
 * scan ends when the page is full and the next row differs from the last item in those first keys. Nothing grows with
 * the table: at most one row of each range and one page (page-documents.ts) are held.
 */
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import type { ValueTest } from '../../query/candidates.ts'
import { filterTest } from '../../query/match.ts'
import { comparePositions, sortKeys, type Position, type Sort } from '../../query/order.ts'
import { bytesOfEach, patternTest } from '../../query/pattern.ts'
import { StepsExceeded, takeSteps, unlimitedSteps, type Steps } from '../../query/steps.ts'
import type { TextTest } from '../../query/text-search.ts'
import type { Database, RawRow, RowCursor } from '../db/database.ts'
import type { Answer, FindQuery, Found, MatchCount } from './find-query.ts'
import { judgedLength } from './judged-members.ts'
import { createPageItems, type PageItem } from './page-items.ts'
import { readPage, readRange } from './page-documents.ts'
import { AT, type PageRange, type Plan } from './plan.ts'

export interface Effort {
  /** The cost of reading and testing documents; past its limit the scan ends in the middle of a document. */
  readonly steps: Steps
  /** Rows that were read. */
  rowsRead: number
}

export function noEffort(steps = unlimitedSteps()): Effort {
  return { steps, rowsRead: 0 }
}

/** Decides after each row, before its document is tested, whether to go on. */
export type Allowance = (effort: Effort) => boolean

export interface ScanTask {
  readonly plan: Plan
  readonly query: FindQuery
  /** Counted up on the way. */
  readonly effort: Effort
}

/**
 * Runs a scan to its end, in the state of the database in which it begins. Returns the page or the count, or undefined
 * where the allowance or the steps ran out.
 */
export function execute<Query extends FindQuery>(
  database: Database,
  model: Model,
  { mayGoOn, ...task }: ScanTask & { readonly query: Query; readonly mayGoOn: Allowance },
): Answer<Query> | undefined {
  const rows = task.query.counts === true ? countRows(database, task) : scanRows(database, model, task)
  try {
    for (let row = rows.next(); ; row = rows.next()) {
      if (row.done === true) return row.value as Answer<Query>
      if (!mayGoOn(task.effort)) return undefined
    }
  } catch (error) {
    if (error instanceof StepsExceeded) return undefined
    throw error
  } finally {
    rows.return(undefined as never)
  }
}

/** Steps of SQLite and of the parser, in those of the interpreter: about 10 ns each. */
const RANGE_STEPS = 1_000
const ROW_STEPS = 60
const CHARS_PER_STEP_PARSED = 2
/** The same for what is read at once: for each value that is sought, and for each row. */
const VALUE_STEPS = 150
const PAGE_ROW_STEPS = 25
/** And for each value of a list. */
export const LISTED_STEPS = 20

/** Yields after each row that was read, or after all that SQL gives at once, and then after documents of the page. */
function* scanRows(database: Database, model: Model, task: ScanTask): Generator<void, Found> {
  const { plan, query, effort } = task
  takeSteps(effort.steps, plan.listed * LISTED_STEPS)
  const whole = wholePage(database, model, task)
  if (whole !== undefined) {
    yield
    return whole
  }
  const atOnce = plan.pages === undefined ? undefined : itemsAtOnce(database, plan.pages, task)
  const found = atOnce ?? (yield* itemsOf(database, task))
  yield
  return yield* readPage({ database, model, found, limit: query.limit, steps: effort.steps })
}

/** The page of a plan with a single range, where SQL can give it whole. */
function wholePage(database: Database, model: Model, { plan, query, effort }: ScanTask): Found | undefined {
  const [range, ...more] = plan.pages ?? []
  // The limit stands in the text of the statement, of which there are to be few.
  if (range === undefined || more.length > 0 || plan.isFlagged || range.rowsMax - 1 !== query.limit) return undefined
  takeSteps(effort.steps, range.values.length * VALUE_STEPS + range.rowsMax * PAGE_ROW_STEPS)
  const page = readRange({ database, model, range, keyColumns: plan.keyColumns, steps: effort.steps })
  effort.rowsRead += page?.rowsRead ?? 0
  return page?.found
}

/**
 * What SQL gives in order, and with nothing left to decide. Of rows with a flag some more are read than the page needs;
 * undefined where they were too few.
 */
function itemsAtOnce(
  database: Database,
  pages: readonly PageRange[],
  { plan, query, effort }: ScanTask,
): readonly PageItem[] | undefined {
  const wanted = (query.limit ?? 0) + 1
  const items: PageItem[] = []
  for (const { sql, values, rowsMax } of pages) {
    const rows = database.rows(sql, values)
    takeSteps(effort.steps, values.length * VALUE_STEPS + rows.length * PAGE_ROW_STEPS)
    effort.rowsRead += rows.length
    for (const row of rows) {
      if (plan.isFlagged && row.at(-1) !== 1) continue
      const keys = row.slice(AT.keys, AT.keys + plan.keyColumns) as Json[]
      items.push({ seq: Number(row[AT.seq]), id: String(row[AT.id]), bytes: 0, keys })
      if (items.length === wanted) return items
    }
    if (plan.isFlagged && rows.length === rowsMax) return undefined
  }
  return items
}

/** What counting may cost: about 0.2 s. A count that takes more is a floor. */
const COUNT_STEPS_MAX = 20_000_000

/** How many rows match. A document that takes longer than the whole count may ends it, too. Yields after each row that was read. */
function* countRows(database: Database, { plan, query, effort }: ScanTask): Generator<void, MatchCount> {
  takeSteps(effort.steps, plan.listed * LISTED_STEPS)
  const { filter, limit = Infinity } = query
  const begun = effort.steps.taken
  const steps: Steps = { taken: 0, max: Math.min(COUNT_STEPS_MAX, effort.steps.max - begun) }
  const tests = plan.texts.map((pattern) => patternTest(pattern, steps, bytesOfEach(plan.texts.length)))
  const holds = plan.isExact ? undefined : filterTest(filter, steps)
  const count = { total: 0, isFloor: false }
  const lengthOf = judgedLength(query)
  const rows = mergedRows(database, plan, [])
  try {
    takeSteps(steps, plan.ranges.length * RANGE_STEPS)
    for (let row = rows.next(); row !== undefined && !count.isFloor; row = rows.next()) {
      effort.rowsRead++
      const bytes = lengthOf(row[AT.doc])
      takeSteps(steps, ROW_STEPS + bytes / CHARS_PER_STEP_PARSED)
      effort.steps.taken = begun + steps.taken
      yield
      if (plan.isFlagged && row.at(-1) !== 1) continue
      if (itemOf(row, bytes, { plan, sort: [], holds, tests, steps }) === undefined) continue
      if (count.total < limit) count.total++
      else count.isFloor = true
    }
  } catch (error) {
    // Work for a thread, which has no other limit than the one of counting.
    if (!(error instanceof StepsExceeded) || steps.taken <= COUNT_STEPS_MAX) throw error
    count.isFloor = true
  } finally {
    effort.steps.taken = begun + steps.taken
    rows.close()
  }
  return count
}

/** The items of a page among the rows of all ranges, read one by one. */
function* itemsOf(database: Database, { plan, query, effort }: ScanTask): Generator<void, readonly PageItem[]> {
  const { sort, after, filter } = query
  const { steps } = effort
  const page = createPageItems(query)
  const tests = plan.texts.map((pattern) => patternTest(pattern, steps, bytesOfEach(plan.texts.length)))
  const holds = plan.isExact ? undefined : filterTest(filter, steps)
  takeSteps(steps, plan.ranges.length * RANGE_STEPS)
  const lengthOf = judgedLength(query)
  const rows = mergedRows(database, plan, sort)
  try {
    for (let row = rows.next(); row !== undefined; row = rows.next()) {
      effort.rowsRead++
      const bytes = lengthOf(row[AT.doc])
      takeSteps(steps, ROW_STEPS + bytes / CHARS_PER_STEP_PARSED)
      yield
      if (isBeyond(row, page.end, plan, sort)) break
      if (plan.isFlagged && row.at(-1) !== 1) continue
      const item = itemOf(row, bytes, { plan, sort, holds, tests, steps })
      if (item === undefined || (after !== undefined && comparePositions(sort, item, after) <= 0)) continue
      page.add(item)
      if (page.end !== undefined && plan.sortedBy > sort.length) break
    }
  } finally {
    rows.close()
  }
  return page.found
}

interface RowTests {
  readonly plan: Plan
  readonly sort: Sort
  /** Undefined where SQL has decided. */
  readonly holds: ValueTest | undefined
  readonly tests: readonly TextTest[]
  readonly steps: Steps
}

/** The item of a row, or undefined where its document does not match. */
function itemOf(row: RawRow, bytes: number, { plan, sort, holds, tests, steps }: RowTests): PageItem | undefined {
  const [seq, id, doc] = [Number(row[AT.seq]), String(row[AT.id]), row[AT.doc]]
  if (doc === null || doc === undefined) {
    const textsAt = AT.keys + plan.keyColumns
    if (!tests.every((test, i) => test(String(row[textsAt + i])))) return undefined
    return { seq, id, bytes: 0, keys: row.slice(AT.keys, textsAt) as Json[] }
  }
  const document = parseJson(String(doc)) as JsonObject
  if (holds !== undefined && !holds(document)) return undefined
  return { seq, id, bytes, keys: sortKeys(document, sort, steps) }
}

/** Whether this row, and so every later one, comes after the last item in the keys in whose order rows come. */
function isBeyond(row: RawRow, last: PageItem | undefined, { sortedBy, keyColumns }: Plan, sort: Sort): boolean {
  const known = Math.min(sortedBy, keyColumns, sort.length)
  if (last === undefined || known === 0) return false
  return compareFirst(row, last.keys, sort.slice(0, known)) > 0
}

function compareFirst(row: RawRow, keys: readonly Json[], sort: Sort): number {
  const at = (values: readonly Json[]): Position => ({ keys: values, id: '' })
  return comparePositions(sort, at(row.slice(AT.keys, AT.keys + sort.length) as Json[]), at(keys.slice(0, sort.length)))
}

/** One cursor as it is, several merged by the keys that their rows bring along. */
function mergedRows(database: Database, { ranges, keyColumns }: Plan, sort: Sort): RowCursor {
  const cursors: RowCursor[] = []
  const close = (): void => cursors.forEach((cursor) => cursor.close())
  try {
    for (const { sql, values } of ranges) cursors.push(database.cursor(sql, values))
  } catch (error) {
    close()
    throw error
  }
  const [only, ...more] = cursors
  if (only === undefined) return { next: () => undefined, close }
  if (more.length === 0) return only
  const known = sort.slice(0, keyColumns)
  const positionOf = (row: RawRow): Position => ({
    keys: row.slice(AT.keys, AT.keys + known.length) as Json[],
    id: String(row[AT.id]),
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
