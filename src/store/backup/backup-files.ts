/**
 * The backups in a directory, for administrators. A name from a request never becomes part of a path. Files of the
 * database under another name are skipped: closing one would give up the locks that SQLite holds in this process
 * (sqlite.org/howtocorrupt.html, section 2.2).
 */
import type { BigIntStats } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openRegularFile, type OpenFile } from '../../base/regular-file.ts'
import { errorCode, systemReason } from '../../base/system-error.ts'
import type { Backup } from '../../models/responses.ts'
import { filesBeside } from '../db/database-files.ts'
import { readBackupName } from './backup.ts'
import { DatabaseFileError } from './database-copy.ts'

/** The newest; a command may have put any number there. */
const LISTED_MAX = 1_000

export interface BackupPaths {
  /** The database file. */
  readonly database: string
  /** Of the backups; it may not exist yet. */
  readonly directory: string
}

/** The backups in the directory, newest first. Throws DatabaseFileError. */
export async function backupFiles(paths: BackupPaths): Promise<readonly Backup[]> {
  const named = (await namesIn(paths.directory))
    .flatMap((name) => {
      const read = readBackupName(name)
      return read === undefined ? [] : [{ name, createdAt: read.at }]
    })
    .sort((a, b) => compare(b.createdAt, a.createdAt) || compare(a.name, b.name))
  const inUse = await filesInUse(paths)
  const found: Backup[] = []
  for (const { name, createdAt } of named.slice(0, LISTED_MAX)) {
    const stats = await lstat(join(paths.directory, name), { bigint: true }).catch(() => undefined)
    if (stats?.isFile() === true && !inUse.has(identity(stats))) {
      found.push({ name, bytes: Number(stats.size), createdAt })
    }
  }
  return found
}

/** Opens a backup of the directory to be read; undefined where none has the name. Throws DatabaseFileError. */
export async function openBackup(paths: BackupPaths, wanted: string): Promise<OpenFile | undefined> {
  const name = (await namesIn(paths.directory)).find((one) => one === wanted && readBackupName(one) !== undefined)
  if (name === undefined) return undefined
  const path = join(paths.directory, name)
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats === undefined || (await filesInUse(paths)).has(identity(stats)) ? undefined : openRegularFile(path)
}

/** Whether a file of that name can be restored: 'missing' for no backup, 'unfit' for a link, a directory or the database. */
export async function findBackup(paths: BackupPaths, wanted: string): Promise<'missing' | 'unfit' | { readonly file: string; readonly at: string }> {
  const name = (await namesIn(paths.directory)).find((one) => one === wanted)
  const read = name === undefined ? undefined : readBackupName(name)
  if (name === undefined || read === undefined) return 'missing'
  const file = join(paths.directory, name)
  const stats = await lstat(file, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return 'missing'
  return stats.isFile() && !(await filesInUse(paths)).has(identity(stats)) ? { file, at: read.at } : 'unfit'
}

/** The database with what SQLite keeps beside it. */
async function filesInUse({ database }: BackupPaths): Promise<ReadonlySet<string>> {
  const files = [database, ...filesBeside(database)].map((file) => stat(file, { bigint: true }).then(identity))
  return new Set((await Promise.allSettled(files)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
}

/** The same for all names of one file. */
function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw new DatabaseFileError(`Cannot list the backups in "${directory}": ${systemReason(error)}`, { cause: error })
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
