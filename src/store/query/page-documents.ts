/**
 * Reads the documents of a page: many in one statement, as bytes, where they are short, and one by one where they are
 * long, so that no step takes long and the page ends before PAGE_BYTES_MAX.
 */
import type { Json } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { takeSteps, type Steps } from '../../query/steps.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'
import { foundBytes, type Found, type JoinedDocuments } from './find-query.ts'
import { PAGE_BYTES_MAX, type PageItem } from './page-items.ts'
import { AT, type PageRange, type Range } from './plan.ts'

/** Documents that one statement joins, and how long each of them may be: 2 MB together, in about two milliseconds. */
const JOINED_MAX = 100
const JOINED_BYTES_MAX = 20_000
/** In steps of 10 ns: to find a row and to copy a document. */
const DOCUMENT_STEPS = 25
const BYTES_PER_STEP = 64
/** What of a document is not on the page of its row is read page by page, each maybe from the disk's cache. */
const PAGE_BYTES = 4_096
const BYTES_PER_STEP_BEYOND = 12

interface PageTask {
  readonly database: Database
  readonly model: Model
  /** The items in order, and one more where others follow. */
  readonly found: readonly PageItem[]
  readonly limit: number | undefined
  readonly steps: Steps
}

/** Yields after each statement. */
export function* readPage({ database, model, found, limit, steps }: PageTask): Generator<void, Found> {
  const items = found.length > (limit ?? Infinity) ? found.slice(0, limit) : found
  const parts: JoinedDocuments[] = []
  let [count, bytes] = [0, 0]
  const add = (part: JoinedDocuments): void => {
    parts.push(part)
    count += part.count
    bytes += part.bytes.length
    takeSteps(steps, stepsOf(part))
  }
  const hasRoom = (part: JoinedDocuments): boolean => count === 0 || bytes + part.bytes.length <= PAGE_BYTES_MAX
  let isFull = false
  for (let from = 0; from < items.length && !isFull; from += JOINED_MAX) {
    const some = items.slice(from, from + JOINED_MAX)
    const joined = joinedDocuments(database, model, some)
    if (joined !== undefined && hasRoom(joined)) {
      add(joined)
      yield
      continue
    }
    for (const { seq } of some) {
      const single = longDocument(database, model, seq)
      isFull = !hasRoom(single)
      if (isFull) break
      add(single)
      yield
    }
  }
  const last = items[count - 1]
  return foundBytes(parts, count === found.length || last === undefined ? undefined : { keys: last.keys, id: last.id })
}

interface WholePageTask {
  readonly database: Database
  readonly model: Model
  readonly range: PageRange
  /** Keys of the sort in a row. */
  readonly keyColumns: number
  readonly steps: Steps
}

interface WholePage {
  readonly found: Found
  /** With the row that shows that another page follows. */
  readonly rowsRead: number
}

/**
 * The page of a single range, whose rows never become values: one statement joins its documents, and another gives the row
 * that the next page begins after. Undefined where that gives no page: none is there, or more or longer ones than are joined.
 */
export function readRange({ database, model, range, keyColumns, steps }: WholePageTask): WholePage | undefined {
  const { unlimited, values, rowsMax } = range
  const limit = rowsMax - 1
  if (unlimited === undefined || limit > JOINED_MAX) return undefined
  const part = joinedFrom(database, model, { sql: `${unlimited} LIMIT ${limit}`, values })
  if (part === undefined) return undefined
  takeSteps(steps, stepsOf(part))
  const rowsRead = part.count
  if (rowsRead < limit) return { found: foundBytes([part], undefined), rowsRead }
  const [last, further] = database.rows(`${unlimited} LIMIT 2 OFFSET ${limit - 1}`, values)
  if (last === undefined || further === undefined) return { found: foundBytes([part], undefined), rowsRead }
  const keys = last.slice(AT.keys, AT.keys + keyColumns) as Json[]
  return { found: foundBytes([part], { keys, id: String(last[AT.id]) }), rowsRead: rowsRead + 1 }
}

function stepsOf(part: JoinedDocuments): number {
  let beyond = 0
  if (part.longest > PAGE_BYTES) for (const length of part.lengths()) beyond += Math.max(0, length - PAGE_BYTES)
  return part.count * DOCUMENT_STEPS + part.bytes.length / BYTES_PER_STEP + beyond / BYTES_PER_STEP_BEYOND
}

/** Undefined where one of them is long. */
function joinedDocuments(database: Database, model: Model, items: readonly PageItem[]): JoinedDocuments | undefined {
  if (items.some(({ bytes }) => bytes > JOINED_BYTES_MAX)) return undefined
  const list = { sql: 'SELECT value AS seq FROM json_each(?)', values: [`[${items.map(({ seq }) => seq).join()}]`] }
  return joinedFrom(database, model, list)
}

/** The documents that a statement names in the column `seq`, in its order. */
function joinedFrom(database: Database, model: Model, { sql: named, values }: Range): JoinedDocuments | undefined {
  // CROSS JOIN keeps the order of the list (sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join).
  // The length of a column is in the header of its row: of a long document no more is read.
  const sql = `SELECT CAST(group_concat(CASE WHEN octet_length(doc) <= ${JOINED_BYTES_MAX} THEN doc END) AS BLOB),
    group_concat(octet_length(doc)), max(octet_length(doc)), count(*) FROM (${named}) AS named
    CROSS JOIN ${tableOf(model)} AS document ON document.seq = named.seq`
  const [row] = database.rows(sql, values)
  const [bytes, lengthsText, longest, count] = row ?? []
  if (!(bytes instanceof Uint8Array) || Number(longest) > JOINED_BYTES_MAX) return undefined
  return {
    bytes,
    count: Number(count),
    longest: Number(longest),
    lengths: () => String(lengthsText).split(',').map(Number),
  }
}

/** As bytes: as a text it would take several times as long. */
function longDocument(database: Database, model: Model, seq: number): JoinedDocuments {
  const [row] = database.rows(`SELECT CAST(doc AS BLOB) FROM ${tableOf(model)} WHERE seq = ?`, [seq])
  const [bytes] = row ?? []
  if (!(bytes instanceof Uint8Array)) throw new Error(`There is no document ${seq} of ${model.name}`)
  return { bytes, count: 1, longest: bytes.length, lengths: () => [bytes.length] }
}
