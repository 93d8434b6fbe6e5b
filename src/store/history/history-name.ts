/** The identity of a change log: a seq means the same change only in the log of the same identity. */
import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'

const ID_BYTES = 12

/** Gives the log an identity where it has none. On a node of a cluster it is that of the cluster's log. */
export function nameHistory(database: Database): void {
  if (database.get("SELECT 1 FROM change_log WHERE id = ''") !== undefined) renameHistory(database)
}

/** Gives the log a new identity: cursors into the one that it had say nothing about it. */
export function renameHistory(database: Database, id = randomBytes(ID_BYTES).toString('hex')): void {
  database.run('UPDATE change_log SET id = ?', id)
}
