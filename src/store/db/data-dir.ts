/**
 * The data directory: one database with one owner, private to its user.
 *
 * The owner holds an exclusive lock on `dateline.lock` for as long as it lives. The lock is SQLite's own (an open
 * exclusive transaction on an empty database), so the operating system releases it however the process ends, and no
 * stale lock file has to be removed.
 */
import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../base/directory.ts'
import { replacementIn } from '../../base/file-mode.ts'
import { fileKind, WrongFileError } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { databaseReason, isBusy, isDamage } from './database.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const [LOCK_NAME, OWNER_NAME] = ['dateline.lock', 'owner.json']
const REMEDY = 'stop it first, or choose another --data-dir'

export interface DataDir {
  readonly path: string
  readonly database: string
  /** One secret per line. */
  readonly secrets: string
  /** The missing directories, parents first, and files that were created. */
  readonly made: { readonly directories: readonly string[]; readonly files: readonly string[] }
}

export interface Owner {
  readonly pid: number
  readonly startedAt: string
}

export interface DataDirLock {
  release(): void
}

/** The database of a data directory. */
export function databaseFile(directory: string): string {
  return join(directory, 'dateline.db')
}

/** Whether a data directory has a file for the database. Throws DataDirError where this user may not look. */
export function hasDatabaseFile(directory: string): boolean {
  try {
    return statSync(databaseFile(directory), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw unusable(resolve(directory), systemReason(error), error)
  }
}

/** Whether a data directory has a database with content: what a killed first start leaves is empty. */
export function hasDatabase(directory: string): boolean {
  return (statSync(databaseFile(directory), { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** A directory that cannot be used; the message is one sentence for the operator. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

/** Throws DataDirError where a data directory has no file for the database, as when --data-dir is mistyped. */
export function requireDatabaseFile(directory: string): void {
  if (!hasDatabaseFile(directory)) throw unusable(resolve(directory), 'it has no database: name another with --data-dir')
}

/**
 * The directory of a store that this process has open. No file is opened: closing it would give up all locks that the
 * process holds on it, those of the owner among them (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function openedDataDir(path: string): DataDir {
  const full = resolve(path)
  return { path: full, database: databaseFile(full), secrets: join(full, 'secrets'), made: { directories: [], files: [] } }
}

/**
 * Creates the directory and its files with their modes where they are missing; not while this process has a store or the lock of it.
 * Throws DataDirError, also where other users could replace the database or the secrets.
 */
export function prepareDataDir(path: string): DataDir {
  const full = resolve(path)
  const database = databaseFile(full)
  requireClosed(full)
  try {
    const directories = makeDirectory(full, DIRECTORY_MODE)
    requireFiles(full)
    const files = [database, lockFile(full), ownerFile(full)].filter((file) => !existsSync(file))
    // SQLite gives the -wal and -shm files the mode of the database.
    for (const file of [database, lockFile(full)]) createPrivate(file)
    return { path: full, database, secrets: join(full, 'secrets'), made: { directories, files } }
  } catch (error) {
    throw unusable(full, systemReason(error), error)
  }
}

function unusable(path: string, problem: string, cause?: unknown): DataDirError {
  return new DataDirError(`Cannot use the data directory "${path}": ${problem}`, { cause })
}

/**
 * Throws an Error for the first file of the directory that is something else, or that this user may not read and write; files may be
 * missing. Opening a pipe would wait without end for another program, and SQLite takes one for a WAL until it reads from it.
 */
export function requireFiles(directory: string): void {
  const database = databaseFile(directory)
  for (const file of [database, `${database}-wal`, `${database}-shm`, lockFile(directory), ownerFile(directory)]) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) continue
    if (!stats.isFile()) throw new WrongFileError(fileKind(stats), `expected "${basename(file)}" to be a file, found ${fileKind(stats)}: move that away`)
    try {
      accessSync(file, constants.R_OK | constants.W_OK)
    } catch (error) {
      throw new Error(`cannot read and write "${basename(file)}": ${systemReason(error)}`, { cause: error })
    }
  }
}

function requireClosed(path: string): void {
  const replacement = replacementIn(path)
  if (replacement === undefined) return
  throw unusable(path, `${replacement}, or choose another --data-dir`)
}

/**
 * Removes what `prepareDataDir` made, for a command that failed before it stored anything. Call it after the lock is
 * released. A database with content stays, and so does every directory with another file in it.
 */
export function discardDataDir({ path, made }: DataDir): void {
  if (hasDatabase(path)) return
  try {
    for (const file of made.files) rmSync(file, { force: true })
    for (const directory of made.directories.toReversed()) rmdirSync(directory)
  } catch {
    // Another process uses the directory by now. The error that led here is the one to report.
  }
}

/** Creates an empty file that only its owner may read; tightens one that is there. */
function createPrivate(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE))
  chmodSync(file, FILE_MODE)
}

/** Becomes the owner. Throws a DataDirError, which names the owning process where there is one. */
export function ownDataDir(dir: DataDir, owner: Owner): DataDirLock {
  const lock = new DatabaseSync(lockFile(dir.path), { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw unusable(dir.path, `${ownerText(dir)} is using it: ${REMEDY}`, error)
    const remedy = isDamage(error) ? ': remove it, unless a dateline process is running' : ''
    throw unusable(dir.path, `cannot lock "${LOCK_NAME}": ${databaseReason(error)}${remedy}`, error)
  }
  try {
    writeFileSync(ownerFile(dir.path), JSON.stringify(owner), { mode: FILE_MODE })
  } catch (error) {
    lock.close()
    throw unusable(dir.path, `cannot write "${OWNER_NAME}": ${systemReason(error)}`, error)
  }
  return {
    release() {
      if (lock.isOpen) lock.close()
    },
  }
}

function ownerText(dir: DataDir): string {
  try {
    const owner = JSON.parse(readFileSync(ownerFile(dir.path), 'utf8')) as Partial<Owner>
    return `the dateline process ${owner.pid ?? '?'}, started ${owner.startedAt ?? '?'},`
  } catch {
    return 'another dateline process'
  }
}

const lockFile = (directory: string): string => join(directory, LOCK_NAME)
const ownerFile = (directory: string): string => join(directory, OWNER_NAME)
