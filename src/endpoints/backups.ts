/** Backups for administrators: which there are, another one now, one of them to keep elsewhere, or to be restored. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { isoDate } from '../base/dates.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import type { OpenFile } from '../base/regular-file.ts'
import { requireAdministrator, requireScope, requireSignIn } from '../content/rules/access.ts'
import { backup, backups, checkedBackup, lastRestore, restoreBody, type CheckedBackup } from '../models/responses.ts'
import { backupFiles, findBackup, openBackup } from '../store/backup/backup-files.ts'
import type { FoundBackup } from '../store/backup/backup-restores.ts'
import { backupMade, type BackupRecord } from '../store/backup/backup-runs.ts'
import { DatabaseFileError } from '../store/backup/database-copy.ts'
import { DOWNLOADS_MAX, DOWNLOADS_PER_USER_MAX } from './download-slots.ts'
import { endpointOn, SHORT_BODY } from './endpoint.ts'
import { documentCounts } from './model-counts.ts'
import type { Service } from './service-parts.ts'

/** https://www.iana.org/assignments/media-types/application/vnd.sqlite3 */
const SQLITE_TYPE = 'application/vnd.sqlite3'

const endpoint = endpointOn<Service>('Administration')

export const BACKUPS = [
  endpoint({
    route: 'GET /api/v1/admin/backups',
    id: 'backups',
    access: 'administrator',
    scope: 'backups',
    summary: 'List the backups, newest first',
    description: 'A token of the API with the scope `backups` is enough.',
    response: backups,
    client: 'admin.backups',
  }).handle(async ({ backups: { paths } }) => ({ items: await orReason(backupFiles(paths)) })),
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
  }).handle(async ({ store, backups: { runs } }, _exchange, { acting }) => {
    const made = await orReason(runs.make('manual'))
    await keepIf(made, store.as(acting(requireAdministrator)).record(backupMade(made)))
    const { file, bytes, at } = made
    return { name: basename(file), bytes, createdAt: isoDate(at - (at % 1000)) }
  }),
  endpoint({
    route: 'POST /api/v1/admin/offsite-backups',
    id: 'makeOffsiteBackups',
    access: 'administrator',
    summary: 'Store a snapshot at each place of off-site backups',
    description: 'The response comes before they are stored; `backups.offsite` of `GET /admin/status` tells how that ends.',
    body: 'empty',
    status: 202,
    errors: ['conflict'],
    client: 'admin.makeOffsiteBackups',
  }).handle(async ({ store, backups: { makeOffsite, placeNames } }, _exchange, { acting }) => {
    if (placeNames().length === 0) throw fail('conflict', 'There is no place for off-site backups: name one in the setting offsite')
    await store.as(acting(requireAdministrator)).record({ event: 'backup.made', details: placeNames().map((value) => ({ name: 'place', value })) })
    makeOffsite()
  }),
  endpoint({
    route: 'GET /api/v1/admin/backups/:name',
    id: 'downloadBackup',
    access: 'administrator',
    scope: 'backups',
    summary: 'Download a backup',
    description: `A token of the API with the scope \`backups\` is enough. At most ${DOWNLOADS_MAX} at the same time, ${DOWNLOADS_PER_USER_MAX} of one user.`,
    response: {
      kind: 'raw',
      type: SQLITE_TYPE,
      schema: { type: 'string', description: 'A whole database of SQLite', examples: ['SQLite format 3'] },
      named: true,
    },
    errors: ['notFound', 'tooManyRequests'],
    client: 'admin.downloadBackup',
  }).handle(async ({ store, backups: { paths }, downloads }, { params }, { caller, acting }) => {
    const name = params['name'] ?? ''
    const release = downloads.take(caller.id)
    let file: OpenFile | undefined
    try {
      file = await orReason(openBackup(paths, name))
    } finally {
      if (file === undefined) release()
    }
    if (file === undefined) throw noBackup(name)
    try {
      const details = [{ name: 'name', value: name }]
      await store.as(acting(requireScope('backups'))).record({ event: 'backup.downloaded', details })
    } catch (error) {
      await file.handle.close()
      release()
      throw error
    }
    const headers = { 'Content-Disposition': `attachment; filename="${name}"` }
    return { kind: 'file', status: 200, contentType: SQLITE_TYPE, file, headers, onClosed: release }
  }),
  endpoint({
    route: 'POST /api/v1/admin/backups/:name/check',
    id: 'checkBackup',
    access: 'administrator',
    summary: 'Check whether a backup can be restored, and see what it holds',
    description: 'Reads all of it, and needs room for a copy beside the database.',
    body: 'empty',
    response: checkedBackup,
    errors: ['notFound', 'conflict'],
    client: 'admin.checkBackup',
  }).handle(async ({ backups }, { params }, { caller, claim }) => {
    requireSignIn(caller)
    const name = params['name'] ?? ''
    return shownBackup(await (await restoresOf(backups, name)).check(name, claim))
  }),
  endpoint({
    route: 'POST /api/v1/admin/backups/:name/restore',
    id: 'restoreBackup',
    access: 'administrator',
    summary: 'Replace the database with a backup, and restart the service',
    description:
      'The service checks the backup first. From then on writes are 503 with `Retry-After`, and the service restarts within ' +
      'seconds. `X-Dateline-Instance` changes then, and `GET /admin/restore` shows the outcome. The previous database is kept ' +
      'in the data directory, and is put back if the service cannot open the backup. Accounts that were deleted after the ' +
      'backup come back, but for guests without their sessions; sessions that ended after it stay ended. Tokens of the API ' +
      'and passkeys that the database in use does not have are removed. Not for tokens of the API. 409 on a node of a ' +
      'cluster; the message says what to do there.',
    body: restoreBody,
    bodyLimit: SHORT_BODY,
    response: checkedBackup,
    errors: ['invalidInput', 'notFound', 'conflict'],
    client: 'admin.restoreBackup',
  }).handle(async ({ backups, store }, exchange, { caller, claim, acting }) => {
    requireSignIn(caller)
    const name = exchange.params['name'] ?? ''
    const restores = await restoresOf(backups, name)
    const { confirm } = await exchange.readJson()
    if (confirm !== name) throw fail('invalidInput', `confirm: expected ${describe(name)}, the name of the backup, found ${describe(confirm)}`)
    const writer = store.as(acting(requireAdministrator))
    const record = (): Promise<void> => writer.record({ event: 'backup.restored', details: [{ name: 'name', value: name }] })
    return shownBackup(await restores.restore(name, claim, record))
  }),
  endpoint({
    route: 'GET /api/v1/admin/restore',
    id: 'lastRestore',
    access: 'administrator',
    summary: 'Read how the last restore over the API ended',
    response: lastRestore,
    client: 'admin.lastRestore',
  }).handle(async ({ backups }) => ({ restore: await backups.lastRestore() })),
]

function noBackup(name: string): Failure {
  return fail('notFound', `No backup has the name ${describe(name)}`)
}

/**
 * What restores this backup. Throws notFound, and conflict on a node, which has no database of its own: what is written
 * passes through the log that all nodes share.
 */
async function restoresOf({ restores, paths }: Service['backups'], name: string): Promise<NonNullable<Service['backups']['restores']>> {
  if ((await orReason(findBackup(paths, name))) === 'missing') throw noBackup(name)
  if (restores !== undefined) return restores
  throw fail(
    'conflict',
    'Cannot restore on a node of a cluster: stop all nodes, run "dateline cluster init --from" with the file ' +
      `${describe(name)} and another --cluster-prefix on one of them, start it, and join the others again`,
  )
}

function shownBackup({ name, at, bytes, schema, version, items, pictures, newest, account, removed, differs }: FoundBackup): CheckedBackup {
  return { name, createdAt: at, bytes, schema, version: version ?? null, documents: documentCounts(items), pictures, newestAt: newest ?? null, account, removed, differs }
}

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
