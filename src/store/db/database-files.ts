/** The files of a database, by the names that SQLite gives them (sqlite.org/tempfiles.html). */
import { rmSync } from 'node:fs'

/** The files that SQLite may keep beside a database. */
export function filesBeside(database: string): readonly string[] {
  return ['-wal', '-shm', '-journal'].map((suffix) => database + suffix)
}

export function removeFilesBeside(database: string): void {
  for (const file of filesBeside(database)) rmSync(file, { force: true })
}

/** Removes a database that no connection has open, also one of which only a part is there. */
export function removeDatabase(database: string): void {
  rmSync(database, { force: true })
  removeFilesBeside(database)
}
