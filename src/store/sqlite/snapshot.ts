/**
 * All reads of one turn of the event loop see one snapshot of the database.
 *
 * A statement outside a transaction takes and gives back SQLite's read lock by itself
 * (sqlite.org/wal.html#concurrency), which costs twice as much as finding a row by its id. A read transaction around
 * the turn pays that once for all requests that arrived together. It ends with the turn, or when a write begins, so it
 * never delays a checkpoint.
 */
import type { Database } from './database.ts'

export type Snapshot = ReturnType<typeof createSnapshot>

export function createSnapshot(database: Database) {
  let isOpen = false
  let serial = 0
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    try {
      database.run('COMMIT')
    } catch {
      // After an error of the disk or of the file, there may be nothing to commit, and nothing was changed.
      if (database.inTransaction) database.exec('ROLLBACK')
    }
  }
  return {
    /** Opens the snapshot of this turn, if it is not open, and returns its number: no two have the same. */
    begin(): number {
      if (isOpen) return serial
      database.run('BEGIN')
      isOpen = true
      setImmediate(end)
      return ++serial
    },
    end,
  }
}
