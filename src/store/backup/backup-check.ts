/** Checks a backup for the service that is to run on it, and leaves a copy that can take the place of its database. */
import { rmSync } from 'node:fs'
import { callerOf, isAdmin } from '../../models/caller.ts'
import { holds } from '../accounts/session-table.ts'
import type { CallerClaim } from '../actor.ts'
import { forgetPosition } from '../cluster/position-table.ts'
import { foldWal, openDatabase, type Database } from '../db/database.ts'
import { newestDate, type ItemCounts } from '../schema/database-check.ts'
import type { CopiedPictures } from './picture-copies.ts'
import { copyForRestore, type RestoreRequest } from './restore.ts'
import type { CopyDifferences, RemovedCredentials } from './restored-copy.ts'

/** What a backup means for the user who restores it. */
export type AccountThere = 'administrator' | 'signed-out' | 'missing'

export interface CheckedBackup {
  readonly bytes: number
  readonly schema: number
  readonly version: string | undefined
  readonly items: ItemCounts
  readonly pictures: CopiedPictures
  /** The newest date of a document; undefined where there is none. */
  readonly newest: string | undefined
  readonly hasAdministrator: boolean
  readonly account: AccountThere
  readonly removed: RemovedCredentials
  readonly differs: CopyDifferences
}

export interface BackupCheckRequest extends RestoreRequest {
  /** The file of the copy. */
  readonly to: string
  /** Of the user who asks; undefined for one without an account. */
  readonly claim: CallerClaim | undefined
  /** When they ask, in milliseconds since the epoch. */
  readonly time: number
}

/** Throws DatabaseFileError and SchemaError; then there is no copy. */
export async function checkBackup({ to, claim, time, ...request }: BackupCheckRequest): Promise<CheckedBackup> {
  const { bytes, schema, version, items, pictures, removed, differs } = await copyForRestore(request, to)
  try {
    forgetPosition(to)
    foldWal(to)
    const database = openDatabase(to, { readOnly: true })
    try {
      const newest = newestDate(database, request.models.filter(({ name }) => (items[name] ?? 0) > 0))
      const hasAdministrator = database.get(`SELECT 1 FROM user WHERE doc ->> '$.dashboardRole' = 'admin' LIMIT 1`) !== undefined
      return { bytes, schema, version, items, newest, hasAdministrator, pictures, account: accountIn(database, claim, time), removed, differs }
    } finally {
      database.close()
    }
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

/** A token is valid by its signature, so that one of today works where its user is there and did not end it by then. */
function accountIn(database: Database, claim: CallerClaim | undefined, now: number): AccountThere {
  if (claim === undefined) return 'missing'
  const stored = database.get('SELECT doc FROM user WHERE id = ?', claim.userId)?.['doc']
  if (stored === undefined || !isAdmin(callerOf(claim.userId, String(stored)))) return 'missing'
  return holds(database, claim, now) === undefined ? 'signed-out' : 'administrator'
}
