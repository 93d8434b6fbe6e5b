/**
 * Changes of the search indexes, written together at the end of a transaction.
 *
 * At each savepoint FTS5 writes out what it has gathered, as a segment of its own that has to be merged later
 * (sqlite.org/vtab.html#xsavepoint). Each job of a group commit has a savepoint, and SQLite opens another for each
 * statement that could fail half-way, as an INSERT with triggers can. Row by row, the segments and their merges take
 * longer than all other work of the transaction, and the more the larger the index is.
 *
 * So nothing may search within a transaction for what it has changed.
 */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'
import { putSearchRow, unindexText } from './trigram-index.ts'

interface SearchChange {
  readonly model: Model
  readonly seq: number
  /** What the index keeps of the document from now on; undefined for a document that is gone. */
  readonly row: readonly string[] | undefined
  readonly isNew: boolean
}

export type SearchChanges = ReturnType<typeof createSearchChanges>

export function createSearchChanges(database: Database) {
  let changes: SearchChange[] = []
  return {
    add: (change: SearchChange): void => void changes.push(change),
    /** How many changes there are, to go back to when those after them are rolled back. */
    mark: (): number => changes.length,
    rollBackTo(mark: number): void {
      changes.length = mark
    },
    /** Writes the changes; to be called at the end of their transaction. */
    flush(): void {
      const flushed = changes
      changes = []
      // FTS5 gathers rows in ascending order only. The sort keeps the order of the changes of one document.
      for (const { model, seq, row, isNew } of flushed.sort((a, b) => a.seq - b.seq)) {
        if (!isNew) unindexText(database, model, seq)
        if (row !== undefined) putSearchRow(database, model, seq, row)
      }
    },
    /** Forgets the changes of a transaction that was rolled back. */
    discard(): void {
      changes = []
    },
  }
}
