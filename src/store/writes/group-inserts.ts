/**
 * New rows of a group commit, many to a statement (gathered-inserts.ts): those of documents, and those of their records in
 * the audit trail.
 *
 * A job goes on as if its row was inserted, which nothing refuses then. Any other statement of the transaction comes behind
 * the rows that are gathered, but for the few that read what these do not change (`Database.getApart`). Where a statement
 * that inserts rows fails, the cause may be a row of another job, so none of the transaction is kept.
 */
import { writeJson } from '../../base/json.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { searchRow, type SearchRow } from '../search/search-row.ts'
import type { Database } from '../db/database.ts'
import { twinOf, type Document, type InsertOutcome } from '../documents/document-tables.ts'
import { tableOf } from '../schema/names.ts'
import { gatherInserts, type NewRow } from './gathered-inserts.ts'

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
