/**
 * Replacing the database by a copy, so that a crash at any point leaves the old one or the new one. SQLite would replay
 * the WAL of the old one: so it is folded first, while this process owns the directory, and one rename replaces one
 * whole file by another (rename(2); on Windows MoveFileEx). The WAL of a damaged database is moved aside.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { compactDate } from '../../base/dates.ts'
import { syncDirectory } from '../../base/directory.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Model } from '../../models/schema.ts'
import type { DataDir } from '../db/data-dir.ts'
import { filesBeside, removeDatabase, removeFilesBeside } from '../db/database-files.ts'
import { databaseReason, foldWal, isDamage, lookInto } from '../db/database.ts'
import { MEDIA_DIRECTORY, pictureFiles, type PictureFiles } from '../media/picture-files.ts'
import { pictureFaults } from '../media/picture-table.ts'
import { contentFaults } from '../documents/stored-documents.ts'
import { requireReadable } from '../schema/migrate.ts'
import { BACKUPS_DIRECTORY, listBackups } from './backup.ts'
import { copyDatabase, DatabaseFileError, type Copied } from './database-copy.ts'
import { copyPictures, picturesBeside, removeUnnamedPictures, type CopiedPictures } from './picture-copies.ts'
import { copyDifferences, prepareCopy, type CopyDifferences, type RemovedCredentials } from './restored-copy.ts'

const PARTIAL_NAME = /^dateline\.db\.restoring-\d+/
/** A database that was kept, and not what SQLite had beside it. */
const REPLACED_NAME = /^dateline\.db\.replaced-(\d{8}T\d{6}Z)(?:-(\d+))?$/
/** Each is as large as the database. */
export const REPLACED_MAX = 3

/**
 * The directory of a restore. A process that owns it must not prepare it again: closing a file that SQLite has locked gives
 * up its locks.
 */
export type RestorePlace = Pick<DataDir, 'path' | 'database'>

export interface RestoreRequest {
  readonly dir: RestorePlace
  readonly from: string
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
  /** Called when the copy is whole, right before it takes the place of the database, which stays where this fails. */
  readonly onReplace?: (() => Promise<void>) | undefined
  /** Whether the files of its pictures are put beside the database, and those of the database in use are kept beside backups. */
  readonly keepsPictures?: boolean
  /** Whether no service has to share the disk with the restore. */
  readonly isAlone?: boolean
  /** Whether tokens of the API and passkeys that the database in use does not have stay: see restored-copy.ts. */
  readonly keepsCredentials?: boolean
}

export interface CopiedBackup extends Copied {
  readonly pictures: CopiedPictures
  readonly removed: RemovedCredentials
  readonly differs: CopyDifferences
}

export interface Restored extends CopiedBackup {
  /** The file of the previous database; undefined where there was none. */
  readonly replaced: string | undefined
}

/** Checks the file, copies it into the directory, which the caller owns, and replaces the database. Throws DatabaseFileError and SchemaError. */
export async function restoreDatabase(request: RestoreRequest): Promise<Restored> {
  const { dir, from, now, onReplace } = request
  const partial = `${dir.database}.restoring-${process.pid}`
  removePartialCopies(dir)
  const copied = await copyForRestore({ ...request, keepsPictures: true }, partial)
  try {
    await onReplace?.()
    return { ...copied, replaced: replaceDatabase(dir.database, partial, now()) }
  } catch (error) {
    rmSync(partial, { force: true })
    throw new DatabaseFileError(`Cannot restore "${resolve(from)}": ${databaseReason(error)}`, { cause: error })
  }
}

/** Removes the copies of restores that were killed. Throws the system's error. */
export function removePartialCopies({ path }: Pick<RestorePlace, 'path'>): void {
  for (const name of readdirSync(path).filter((one) => PARTIAL_NAME.test(one))) rmSync(join(path, name), { force: true })
}

/** Checks the file and copies it beside the database; a service may use that meanwhile. Throws DatabaseFileError and SchemaError. */
export async function copyForRestore({ dir, from, version, keepsCredentials = false, keepsPictures = false, ...request }: RestoreRequest, to: string): Promise<CopiedBackup> {
  const source = resolve(from)
  const action = `Cannot restore "${source}"`
  const ifDamaged = 'choose another copy'
  const found = fileAt(source, action)
  if (found === undefined) throw new DatabaseFileError(`${action}: there is no such file`)
  if (!found.isFile())
    throw new DatabaseFileError(`${action}: it is no file, but a directory or a device: ${ifDamaged}`)
  if (existsSync(dir.database) && realpathSync(source) === realpathSync(dir.database)) {
    throw new DatabaseFileError(`${action}: it is the database in use: ${ifDamaged}`)
  }
  const copied = await copyDatabase({
    ...request,
    from: source,
    to,
    action,
    ifDamaged,
    accept(facts) {
      requireReadable(`The file "${source}"`, facts, version)
    },
  })
  try {
    const [fault] = lookInto(to, (copy) => [...contentFaults(copy, request.models), ...pictureFaults(copy)])
    if (fault !== undefined) throw new DatabaseFileError(`${action}: the copy did not pass its check (${fault}): ${ifDamaged}`)
    const removed = prepareCopy(to, { models: request.models, inUse: dir.database, keepsCredentials, now: request.now() })
    const pictures = picturesOf({ dir, source, copy: to, isKept: keepsPictures })
    return { ...copied, pictures, removed, differs: copyDifferences(to, dir.database) }
  } catch (error) {
    rmSync(to, { force: true })
    if (error instanceof DatabaseFileError) throw error
    throw new DatabaseFileError(`${action}: ${databaseReason(error)}`, { cause: error })
  }
}

interface PicturesOfBackup {
  readonly dir: RestorePlace
  readonly source: string
  readonly copy: string
  readonly isKept: boolean
}

/**
 * Finds the pictures of a backup: beside it, beside the backups of the service, or where they are still in use. Those of the
 * database that is replaced are kept beside the backups: it can be restored as well.
 */
function picturesOf({ dir, source, copy, isKept }: PicturesOfBackup): CopiedPictures {
  const [own, kept] = [picturesBeside(dir.database), pictureFiles(join(dir.path, BACKUPS_DIRECTORY, MEDIA_DIRECTORY))]
  if (isKept && (statSync(dir.database, { throwIfNoEntry: false })?.size ?? 0) > 0) keepReplaced(dir.database, own, kept)
  return copyPictures({ database: copy, from: [own, picturesBeside(source), kept], to: isKept ? own : undefined, isChecked: true })
}

function keepReplaced(database: string, own: PictureFiles, kept: PictureFiles): void {
  try {
    copyPictures({ database, from: [own], to: kept, isChecked: false })
  } catch (error) {
    // One that is damaged is replaced because it is.
    if (!isDamage(error)) throw error
  }
}

/** Removes pictures beside the backups of the service that none of them names, and no database that a restore has replaced. */
export function prunePictures({ database, directory }: { readonly database: string; readonly directory: string }, now: number): number {
  const place = dirname(database)
  const replaced = readdirSync(place).filter((name) => REPLACED_NAME.test(name)).map((name) => join(place, name))
  return removeUnnamedPictures(pictureFiles(join(directory, MEDIA_DIRECTORY)), [...listBackups(directory), ...replaced], now)
}

/**
 * Puts a whole copy in the place of the database, which is kept under the name that is returned, if it had one. `onKept`
 * learns that name before anything is moved. Throws where another process has the database open.
 */
export function replaceDatabase(
  database: string,
  copy: string,
  now: number,
  onKept: (kept: string) => void = () => {},
): string | undefined {
  const replaced = setAside(database, now, onKept)
  renameSync(copy, database)
  syncDirectory(dirname(database))
  return replaced
}

/** Names of replaced databases that are gone, and those that the system could not remove, with its reason. */
export interface RemovedReplaced {
  readonly gone: readonly string[]
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

/** Removes all databases that restores have replaced but the newest. The one that was restored stays. */
export function removeReplaced({ path }: RestorePlace, restored?: string): RemovedReplaced {
  const kept = readdirSync(path)
    .flatMap((name) => {
      const [, date, nth = '1'] = REPLACED_NAME.exec(name) ?? []
      return date === undefined ? [] : [{ name, order: `${date} ${nth.padStart(9, '0')}` }]
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  const old = kept.slice(0, -REPLACED_MAX).map(({ name }) => name).filter((name) => restored === undefined || resolve(restored) !== join(path, name))
  const left = old.flatMap((name) => {
    try {
      removeDatabase(join(path, name))
      return []
    } catch (error) {
      return [{ name, reason: systemReason(error) }]
    }
  })
  return { gone: old.filter((name) => !left.some((one) => one.name === name)), left }
}

function fileAt(path: string, action: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new DatabaseFileError(`${action}: ${systemReason(error)}`, { cause: error })
  }
}

/** Keeps the database under a second name as well, and leaves it in its place without a WAL. */
function setAside(database: string, now: number, onKept: (kept: string) => void): string | undefined {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    // Created empty, and never used.
    removeFilesBeside(database)
    return undefined
  }
  const kept = freeName(`${database}.replaced-${compactDate(now)}`)
  onKept(kept)
  try {
    foldWal(database)
    keep(database, kept)
  } catch (error) {
    if (!isDamage(error)) throw error
    keep(database, kept)
    for (const file of filesBeside(database).filter((one) => existsSync(one))) {
      keep(file, kept + file.slice(database.length))
      rmSync(file)
    }
  }
  syncDirectory(dirname(database))
  return kept
}

/** Puts a database that was kept back in its place. */
export function putBack(kept: string, database: string): void {
  removeFilesBeside(database)
  renameSync(kept, database)
  for (const file of filesBeside(kept).filter((one) => existsSync(one))) {
    renameSync(file, database + file.slice(kept.length))
  }
  syncDirectory(dirname(database))
}

function freeName(name: string): string {
  let free = name
  for (let i = 2; existsSync(free); i++) free = `${name}-${i}`
  return free
}

/** A second name for a file; a copy where the file system has no links. */
function keep(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    copyFileSync(file, name)
  }
}
