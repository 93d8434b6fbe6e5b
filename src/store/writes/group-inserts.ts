/**
 * New rows of a group commit, many to a statement: those of documents, and those of their records in
 * the audit trail.
 *
 * A job goes on as if its row was inserted, which nothing refuses then. Any other statement of the transaction comes behind
 * the rows that are gathered, but for the few that read what these do not change (`Database.getApart`). Where a statement
 * that inserts rows fails, the cause may be a row of another job, so none of the transaction is kept.
 */
import { writeJson, type JsonObject } from '../../base/json.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { twinOf, type Document, type DocumentTables, type InsertOutcome } from '../documents/document-tables.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { tableOf } from '../schema/names.ts'
import { searchRow, type SearchRow } from '../search/pending-rows.ts'
import type { SearchChanges } from '../search/search-changes.ts'

/** More rows to a statement take hardly less time, and statements of more sizes more memory. */
const ROWS_MAX = 16
/** Of the documents of a statement. A longer one is inserted immediately. */
const CHARS_MAX = 1024 * 1024

interface NewDocument extends NewRow {
  readonly search: SearchRow | undefined
}

export interface GroupInsertParts {
  readonly search: SearchChanges
  readonly capture: Pick<ChangeCapture, 'gatherCause' | 'forgetGathered'>
}

export type GroupInserts = ReturnType<typeof createGroupInserts>

export function createGroupInserts(database: Database, { search, capture }: GroupInsertParts) {
  let [isGathering, isInserting, hasFailed, gathered] = [false, false, false, 0]
  let [place, chars] = [undefined as Model | undefined, 0]
  /** What the statements that inserted rows have changed. */
  let [changes, searchRows] = [0, 0]
  const documents = gatherInserts<NewDocument>(database, Infinity, (model, row, seq) => {
    if (row.search === undefined) return
    search.add({ model, seq, row: row.search })
    searchRows++
  })
  const records = gatherInserts<NewRow>(database, Infinity, () => {})

  /** Runs work that inserts rows. Throws what SQLite throws. */
  const inserting = (work: () => void): void => {
    if (isInserting) return
    isInserting = true
    const before = totalChanges(database)
    try {
      work()
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      changes += totalChanges(database) - before
      isInserting = false
    }
  }
  const flush = (): void => {
    if (documents.size() + records.size() === 0) return
    chars = 0
    inserting(() => {
      documents.flush()
      records.flush()
    })
  }

  const takes = ({ owned, unique, distinct }: Model, text: string): boolean =>
    isGathering && owned === undefined && unique === undefined && distinct === undefined && text.length <= CHARS_MAX
  const isThere = (model: Model, id: string): boolean =>
    documents.has(model, id) || database.getApart(`SELECT 1 FROM ${tableOf(model)} WHERE id = ?`, id) !== undefined

  return {
    /** Gathers rows from now on, in the transaction that has begun. */
    begin(): void {
      ;[isGathering, hasFailed, gathered, changes, searchRows] = [true, false, 0, 0, 0]
      database.setAhead(flush)
    },
    /** Gathers no more, and forgets what is gathered. */
    end(): void {
      isGathering = false
      database.setAhead(undefined)
      documents.discard()
      records.discard()
      chars = 0
      capture.forgetGathered()
    },
    /** Inserts what is gathered. Throws what SQLite throws. */
    flush,
    /** Whether rows could not be inserted. */
    hasFailed: (): boolean => hasFailed,
    /** Differs where jobs have changed anything or had rows gathered since; not where rows were inserted meanwhile. */
    mark: (): string => `${totalChanges(database) - changes} ${search.mark() - searchRows} ${gathered}`,
    /**
     * Gathers a document that is inserted whatever is stored, but for its id; undefined for any other, which is to be inserted
     * immediately.
     */
    insert(model: Model, { id, value, text = writeJson(value) }: Document): InsertOutcome | undefined {
      if (!takes(model, text)) return undefined
      const twin = twinOf(model)
      if ((twin === undefined ? [model] : [model, twin]).some((one) => isThere(one, id))) return 'exists'
      if (model !== place || documents.size() >= ROWS_MAX || chars + text.length > CHARS_MAX) flush()
      place = model
      chars += text.length
      gathered++
      capture.gatherCause()
      const row = { id, doc: text, search: model.trigrams === undefined ? undefined : searchRow(model, value) }
      documents.add(model, row)
      return 'inserted'
    },
    /** Whether the row of an audit record was taken; otherwise it is to be inserted immediately. */
    addRecord(id: string, doc: string): boolean {
      if (!isGathering) return false
      if (records.size() >= ROWS_MAX) flush()
      gathered++
      records.add(audit, { id, doc })
      return true
    },
  }
}

/** Rows that this connection has changed so far, by triggers and cascades as well. */
function totalChanges(database: Database): number {
  return Number(database.getApart('SELECT total_changes() AS n')?.['n'])
}

/*
 * New documents of a bulk load, many to a statement.
 *
 * A statement that could fail half-way keeps what each page was before it, to be able to undo itself, and an INSERT with
 * triggers can. Row by row, the pages of the indexes are copied again and again; many rows share one copy of each.
 */

/** Of one statement. Each row changes some twenty pages of 4 KB, of which copies are held: 40 MiB at most. */
export const GATHERED_ROWS_MAX = 512
const GATHERED_CHARS_MAX = 8 * 1024 * 1024

export interface NewRow {
  readonly id: string
  readonly doc: string
}

/** `onInserted` gets each row with its seq. What is gathered has to be written with `flush` before the transaction ends. */
export function gatherInserts<Row extends NewRow>(
  database: Database,
  rowsMax: number,
  onInserted: (place: Model, row: Row, seq: number) => void,
) {
  let place: Model | undefined
  let rows = new Map<string, Row>()
  let chars = 0

  const flush = (): void => {
    const [to, some] = [place, [...rows.values()]]
    discard()
    if (to === undefined) return
    for (let at = 0; at < some.length; ) {
      // Powers of two: so only some statements are prepared.
      const part = some.slice(at, at + 2 ** Math.floor(Math.log2(some.length - at)))
      // Each row gets the seq behind that of the one before (sqlite.org/autoinc.html).
      const last = Number(database.insert(insertOf(to, part.length), ...part.flatMap(({ id, doc }) => [id, doc])))
      for (const [i, row] of part.entries()) onInserted(to, row, last - part.length + 1 + i)
      at += part.length
    }
  }
  const discard = (): void => {
    rows = new Map()
    chars = 0
  }
  return {
    /** For a row whose id is neither stored nor gathered. */
    add(to: Model, row: Row): void {
      if (to !== place) flush()
      place = to
      rows.set(row.id, row)
      chars += row.doc.length
      if (rows.size >= rowsMax || chars >= GATHERED_CHARS_MAX) flush()
    },
    has: (model: Model, id: string): boolean => model === place && rows.has(id),
    size: (): number => rows.size,
    flush,
    /** Forgets the rows of a transaction that was rolled back. */
    discard,
  }
}

/** A document, and the model in whose table it is to be. */
export interface PlacedDocument extends Document {
  readonly model: Model
}

/** Inserts documents whose ids are new, of models without other conditions on what is stored. */
export function insertTogether({ database, search }: DocumentTables, placed: readonly PlacedDocument[]): void {
  const gathered = gatherInserts<NewRow & { readonly value: JsonObject }>(database, Infinity, (model, { value }, seq) => {
    if (model.trigrams !== undefined) search.add({ model, seq, row: searchRow(model, value) })
  })
  for (const { model, id, value, text = writeJson(value) } of placed) gathered.add(model, { id, doc: text, value })
  gathered.flush()
}

function insertOf(model: Model, rows: number): string {
  return `INSERT INTO ${tableOf(model)} (id, doc) VALUES ${Array(rows).fill('(?, ?)').join(', ')}`
}
