/**
 * Backups: whole, checked copies of the database under their final name, or nothing. A process that is killed leaves a
 * temporary file, which a later backup removes. The secrets are not part of a backup: no token can be signed with it.
 */
import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { compactDate, parseIsoDate } from '../../base/dates.ts'
import { giveName, makeDirectory, syncDirectory } from '../../base/directory.ts'
import { HOUR_MS } from '../../base/duration.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Model } from '../../models/schema.ts'
import { copyPictures, picturesBeside, type CopiedPictures } from './picture-copies.ts'
import { copyDatabase, DatabaseFileError, type Copied } from './database-copy.ts'

const DIRECTORY_MODE = 0o700
/** Of the service's own backups, in the data directory. */
export const BACKUPS_DIRECTORY = 'backups'
/** A backup writes to its file all the time; after so long without a write, its process is gone. */
const ABANDONED_MS = 2 * HOUR_MS

/** Made by the schedule or a command, or requested from the running service. */
export type BackupKind = 'scheduled' | 'manual'

const BACKUP_NAME = /^dateline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(-manual)?\.db$/
const PARTIAL_NAME = /\.db\.partial-(\d+)(?:-\w+)?$/

export interface BackupRequest {
  readonly database: string
  /** A file that is not there yet. */
  readonly target: string
  /** A directory that an operator names is not created: it may be mistyped, or on a disk that is not mounted. */
  readonly makesDirectory: boolean
  /** Whether the files of its pictures are put beside it; true without it. */
  readonly keepsPictures?: boolean
  readonly models: readonly Model[]
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface Backup extends Copied {
  readonly file: string
  readonly pictures: CopiedPictures
  readonly ms: number
}

/** `dateline-20260301T120000Z.db`, or `dateline-20260301T120000Z-manual.db` */
export function backupName(now: number, kind: BackupKind = 'scheduled'): string {
  const end = kind === 'manual' ? '-manual.db' : '.db'
  return `dateline-${compactDate(now)}${end}`
}

/** Parses the name of a backup: its start as an ISO date, and its kind; undefined for any other name. */
export function readBackupName(name: string): { readonly at: string; readonly kind: BackupKind } | undefined {
  const match = BACKUP_NAME.exec(name)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, manual] = match
  const at = parseIsoDate(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return at === undefined ? undefined : { at, kind: manual === undefined ? 'scheduled' : 'manual' }
}

/** Writes a backup while others use the database. Throws DatabaseFileError. */
export async function writeBackup({ database, target, makesDirectory, keepsPictures = true, ...request }: BackupRequest): Promise<Backup> {
  const startedAt = request.now()
  const file = resolve(target)
  const action = `Cannot back up "${database}" to "${file}"`
  const partial = `${file}.partial-${process.pid}`
  try {
    requireSource(database)
    requireFree(file)
    if (makesDirectory) makeDirectory(dirname(file), DIRECTORY_MODE)
    else requireDirectory(dirname(file))
    removeAbandoned(dirname(file), startedAt)
    const copied = await copyDatabase({
      ...request,
      from: database,
      to: partial,
      action,
      ifDamaged: 'run dateline check',
    })
    const pictures = keepsPictures ? keepPictures(partial) : { count: 0, missing: 0 }
    giveName(partial, file)
    syncDirectory(dirname(file))
    return { ...copied, file, pictures, ms: request.now() - startedAt }
  } catch (error) {
    if (error instanceof DatabaseFileError) throw error
    throw new DatabaseFileError(`${action}: ${systemReason(error)}`, { cause: error })
  }

  /** Before the backup has its name: one that has it has its pictures. */
  function keepPictures(copy: string): CopiedPictures {
    try {
      return copyPictures({ database: copy, from: [picturesBeside(database)], to: picturesBeside(file), isChecked: false })
    } catch (error) {
      rmSync(copy, { force: true })
      throw error
    }
  }
  function requireSource(source: string): void {
    if (statSync(source, { throwIfNoEntry: false })?.isFile() === true) return
    throw new DatabaseFileError(`${action}: there is no database: name its directory with --data-dir`)
  }
  function requireDirectory(directory: string): void {
    const found = statSync(directory, { throwIfNoEntry: false })
    if (found?.isDirectory() === true) return
    const problem = found === undefined ? `there is no directory "${directory}"` : `"${directory}" is not a directory`
    throw new DatabaseFileError(`${action}: ${problem}: make it first, or choose another with --to`)
  }
  function requireFree(name: string): void {
    const found = lstatSync(name, { throwIfNoEntry: false })
    if (found === undefined) return
    throw new DatabaseFileError(
      `${action}: a ${found.isDirectory() ? 'directory' : 'file'} of that name is there: choose another name with --to`,
    )
  }
}

function removeAbandoned(directory: string, now: number): void {
  for (const name of readdirSync(directory).filter((one) => PARTIAL_NAME.test(one))) {
    const file = join(directory, name)
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - changed > ABANDONED_MS) rmSync(file, { force: true })
  }
}

/** The backups in a directory, oldest first. */
export function listBackups(directory: string): readonly string[] {
  const names = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(directory) : []
  return names
    .filter((name) => readBackupName(name) !== undefined)
    .sort()
    .map((name) => join(directory, name))
}

export interface OldBackups {
  readonly keep: number
  readonly kind: BackupKind
  readonly now: number
}

/**
 * Removes the oldest backups of one kind from a directory until `keep` are left. Returns their names. Those of times to come are from
 * a clock that was wrong: they go first, or each new backup would go in their place.
 */
export async function removeOldBackups(directory: string, { keep, kind, now }: OldBackups): Promise<readonly string[]> {
  const isToCome = (file: string): boolean => basename(file) > backupName(now, kind)
  const gone = listBackups(directory)
    .filter((file) => readBackupName(basename(file))?.kind === kind)
    .toSorted((a, b) => Number(isToCome(b)) - Number(isToCome(a)))
    .slice(0, -keep)
  // Removing a large file takes long, so it is asynchronous.
  for (const file of gone) await rm(file, { force: true })
  return gone.map((file) => basename(file))
}

export async function partialFiles(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => [])
  return names
    .filter((name) => PARTIAL_NAME.exec(name)?.[1] === String(process.pid))
    .map((name) => join(directory, name))
}

/** The command that repairs a damaged database: names the newest backup of the service. */
export function restoreAdvice(dataDir: string): string {
  const newest = listBackups(join(dataDir, BACKUPS_DIRECTORY)).at(-1)
  const command = newest === undefined ? 'dateline restore FILE with a backup of yours' : `dateline restore "${newest}"`
  return command
}
