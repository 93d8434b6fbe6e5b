/** The database of a data directory for a command that only reads: it creates and changes nothing. */
import { existsSync } from 'node:fs'
import { VERSION } from '../../base/version.ts'
import type { Config } from '../../config/settings.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { databaseFile, DataDirError } from '../../store/sqlite/data-dir.ts'
import { openDatabase, type Database } from '../../store/sqlite/database.ts'
import { fileFacts, MIGRATIONS, needsMigration } from '../../store/sqlite/migrations.ts'

/** Throws DataDirError where there is no database, or one of an older program. */
export function openForReading({ dataDir }: Pick<Config, 'dataDir'>, { needsTriggers = true } = {}): Database {
  const file = databaseFile(dataDir)
  if (!existsSync(file)) throw new DataDirError(`Cannot read the data directory "${dataDir}": it has no dateline.db`)
  const database = openDatabase(file, { readOnly: true })
  try {
    const isCurrent = needsTriggers
      ? !needsMigration(database, { models: STORED_MODELS, version: VERSION, backup: '' })
      : fileFacts(database).schema === MIGRATIONS.length
    if (isCurrent) return database
    throw new DataDirError(`Cannot read "${file}": its schema is older than this program; start the service once`)
  } catch (error) {
    database.close()
    throw error
  }
}
