/**
 * A database file that is no longer at its path. SQLite goes on writing to a file that was moved, removed or replaced
 * (sqlite.org/howtocorrupt.html, section 2.3), and the next start finds nothing of that. With its other journal modes SQLite compares
 * inodes ahead of a transaction (SQLITE_READONLY_DBMOVED); with a WAL it does not.
 */
import { statSync } from 'node:fs'

/** Call it when the database is open. Returns whether its path leads to another file by now, or to none. */
export function watchPath(file: string): () => boolean {
  const { ino } = statSync(file)
  return () => statSync(file, { throwIfNoEntry: false })?.ino !== ino
}
