/** Backups for administrators: which there are, another one now, and one of them to keep elsewhere. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { OpenFile } from '../base/regular-file.ts'
import { requireAdministrator } from '../content/access.ts'
import { backup, backups } from '../models/responses.ts'
import { backupFiles, openBackup, type BackupPaths } from '../store/backup/backup-files.ts'
import { backupMade, type BackupRecord, type BackupRuns } from '../store/backup/backup-runs.ts'
import { DatabaseFileError } from '../store/backup/database-copy.ts'
import type { Writable } from '../store/store.ts'
import { DOWNLOADS_MAX, DOWNLOADS_PER_USER_MAX, type DownloadSlots } from './download-slots.ts'
import { endpointOn } from './endpoint.ts'

export interface BackupContext {
  readonly store: Writable
  readonly backupPaths: BackupPaths
  readonly backupRuns: Pick<BackupRuns, 'make'>
  readonly downloads: DownloadSlots
}

/** https://www.iana.org/assignments/media-types/application/vnd.sqlite3 */
const SQLITE_TYPE = 'application/vnd.sqlite3'

const endpoint = endpointOn<BackupContext>('Administration')

export const BACKUPS = [
  endpoint({
    route: 'GET /api/v1/admin/backups',
    id: 'backups',
    access: 'administrator',
    summary: 'List the backups, newest first',
    response: backups,
    client: 'admin.backups',
  }).handle(async ({ backupPaths }) => ({ items: await orReason(backupFiles(backupPaths)) })),
  endpoint({
    route: 'POST /api/v1/admin/backups',
    id: 'makeBackup',
    access: 'administrator',
    summary: 'Make a backup; the response follows when it is made and verified',
    description: '`--backup-keep` says how many of these are kept, beside as many automatic ones.',
    status: 201,
    response: backup,
    errors: ['conflict'],
    client: 'admin.makeBackup',
  }).handle(async ({ store, backupRuns }, _exchange, { acting }) => {
    const made = await orReason(backupRuns.make('manual'))
    await keepIf(made, store.as(acting(requireAdministrator)).record(backupMade(made)))
    const { file, bytes, at } = made
    return { name: basename(file), bytes, createdAt: isoDate(at - (at % 1000)) }
  }),
  endpoint({
    route: 'GET /api/v1/admin/backups/:name',
    id: 'downloadBackup',
    access: 'administrator',
    summary: 'Download a backup',
    description: `At most ${DOWNLOADS_MAX} at the same time, ${DOWNLOADS_PER_USER_MAX} of one user.`,
    response: {
      kind: 'raw',
      type: SQLITE_TYPE,
      schema: { type: 'string', description: 'A whole database of SQLite', examples: ['SQLite format 3'] },
      named: true,
    },
    errors: ['notFound', 'tooManyRequests'],
    client: 'admin.downloadBackup',
  }).handle(async ({ store, backupPaths, downloads }, { params }, { caller, acting }) => {
    const name = params['name'] ?? ''
    const release = downloads.take(caller.id)
    let file: OpenFile | undefined
    try {
      file = await orReason(openBackup(backupPaths, name))
    } finally {
      if (file === undefined) release()
    }
    if (file === undefined) throw fail('notFound', `No backup has the name ${describe(name)}`)
    try {
      const details = [{ name: 'name', value: name }]
      await store.as(acting(requireAdministrator)).record({ event: 'backup.downloaded', details })
    } catch (error) {
      await file.handle.close()
      release()
      throw error
    }
    const headers = { 'Content-Disposition': `attachment; filename="${name}"` }
    return { kind: 'file', status: 200, contentType: SQLITE_TYPE, file, headers, onClosed: release }
  }),
]

/** A backup takes a while. Without the record, as where the caller is no administrator any more, there is no backup. */
async function keepIf({ file }: BackupRecord, recorded: Promise<void>): Promise<void> {
  try {
    await recorded
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** A full disk, or a file in the place of the directory, is an expected failure, and the message says which. */
async function orReason<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof DatabaseFileError) throw fail('networkError', error.message, { cause: error })
    throw error
  }
}
