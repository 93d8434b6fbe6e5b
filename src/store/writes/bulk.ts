/** Many documents at once: what a bulk load writes, and the transactions in which it writes them. */
import type { AuditRecord } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import type { SearchRow } from '../search/search-row.ts'

export interface BulkRow {
  readonly id: string
  /** The document as it is to be stored. */
  readonly doc: string
  /** What the search index keeps of it; undefined where the model has none. */
  readonly search: SearchRow | undefined
  /** The name of the table for it, where that is not the one of the model: see models/incomplete.ts. */
  readonly place?: string | undefined
  /** The same of the document that it replaces. */
  readonly from?: string | undefined
  /** The document that it replaces, as `stored` gave it in this transaction; undefined where there was none. */
  readonly basis: string | undefined
}

/** 'taken': another document has its unique value, or its code. 'orphan': the user that it belongs to does not exist. */
export type BulkOutcome = 'inserted' | 'replaced' | 'unchanged' | 'taken' | 'orphan' | 'last-admin'

/** What work in a transaction may do. */
export interface BulkTables {
  /** The JSON text of a stored document. */
  stored(model: Model, id: string): string | undefined
  write(model: Model, row: BulkRow): BulkOutcome
  /** Adds a record to the audit trail, or replaces the one with the same id. */
  record(record: AuditRecord): void
  /** Keeps a note under a name, or deletes it. */
  note(name: string, text: string | undefined): void
}

/**
 * A note can be written in the same transaction as documents, so that what is noted as done is done, whatever happens to
 * the process.
 */
export interface BulkWriter {
  /**
   * Runs the work in one transaction and returns its result when that is durable. With `keep` false everything is rolled
   * back. `prepared` gets the result of work that is kept: ahead of the commit, or behind it where the work may run several
   * times, as over the log of a cluster. Throws networkError where nothing can be written now.
   */
  transact<T>(work: (tables: BulkTables) => T, keep: boolean, prepared?: (result: T) => void): Promise<T>
  /** The notes whose name begins so, by their names. */
  notes(prefix: string): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}
