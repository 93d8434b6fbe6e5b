/** The database of a data directory beside its service, for what no request tells. */
import { databaseFile } from '../../src/store/db/data-dir.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'

export function readDatabase<T>(data: string, work: (database: Database) => T): T {
  const database = openDatabase(databaseFile(data), { readOnly: true })
  try {
    return work(database)
  } finally {
    database.close()
  }
}
