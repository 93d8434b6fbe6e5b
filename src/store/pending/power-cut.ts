/** What the owner of a file does where a power cut may have taken transactions that were not synced, and that others have. */
import type { MachineStart } from '../../base/machine-start.ts'
import type { Database } from '../db/database.ts'
import { clearUnsyncedMark, readUnsyncedMark } from '../db/unsynced-mark.ts'
import { renameHistory } from '../history/change-log.ts'
import { breakChain } from './pending-changes.ts'

/**
 * Gives the change log another identity, so that its followers start over in place of missing changes whose numbers come again, and
 * ends the chain of off-site changes, whose numbers would come again as well. Returns whether it did so.
 */
export function startOverAfterPowerCut(database: Database, start: MachineStart): boolean {
  const marked = readUnsyncedMark(database)
  if (marked === undefined || start.is(marked)) return false
  database.run('BEGIN IMMEDIATE')
  try {
    renameHistory(database)
    breakChain(database, 'the machine stopped while the service ran')
    clearUnsyncedMark(database)
    database.run('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
  return true
}
