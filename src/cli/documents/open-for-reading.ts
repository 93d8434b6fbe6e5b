/** The database of a data directory for a command that only reads: it creates and changes nothing. */
import { VERSION } from '../../base/version.ts'
import type { Config } from '../../config/settings.ts'
import { databaseFile, DataDirError, requireDatabaseFile } from '../../store/db/data-dir.ts'
import { openDatabase, type Database } from '../../store/db/database.ts'
import { SCHEMA, schemaVersion } from '../../store/schema/migrate.ts'

/**
 * Throws DataDirError where there is no database, or one of an earlier schema, and SchemaError for one that this program
 * cannot read.
 */
export function openForReading({ dataDir }: Pick<Config, 'dataDir'>): Database {
  requireDatabaseFile(dataDir)
  const file = databaseFile(dataDir)
  const database = openDatabase(file, { readOnly: true })
  try {
    if (schemaVersion(database, { version: VERSION }) === SCHEMA) return database
    throw new DataDirError(`Cannot read "${file}": its schema is older than this program; start the service once`)
  } catch (error) {
    database.close()
    throw error
  }
}
