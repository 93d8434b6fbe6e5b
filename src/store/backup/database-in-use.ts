/** Looks into the database that a restore is about to replace. */
import { existsSync } from 'node:fs'
import { openDatabase, type Database } from '../db/database.ts'

/** What `read` gives; undefined of a database that is missing or damaged, which nothing can be compared with. */
export function readInUse<T>(file: string, read: (database: Database) => T): T | undefined {
  if (!existsSync(file)) return undefined
  let database: Database | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    return read(database)
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}
