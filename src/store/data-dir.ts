/**
 * The data directory: one database, one owner, nobody else's eyes.
 *
 * The owner holds an exclusive lock on `dateline.lock` for as long as it lives. The lock is SQLite's own (an open
 * exclusive transaction on an empty database), so the operating system gives it up when the process ends in any
 * way, and no stale file ever needs a person.
 */
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../base/directory.ts'
import { systemReason } from '../base/system-error.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const REMEDY = 'stop it first, or choose another --data-dir'

export interface DataDir {
  readonly path: string
  readonly database: string
  /** One secret per line. */
  readonly secrets: string
}

export interface Owner {
  readonly pid: number
  readonly startedAt: string
}

/** A directory that cannot be used; the message is one sentence for the operator. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

/** Creates the directory and its files with their modes where they are missing. Throws DataDirError. */
export function prepareDataDir(path: string): DataDir {
  const full = resolve(path)
  const dir = { path: full, database: join(full, 'dateline.db'), secrets: join(full, 'secrets') }
  try {
    makeDirectory(full, DIRECTORY_MODE)
    // SQLite gives the -wal and -shm files the mode of the database.
    for (const file of [dir.database, lockFile(dir)]) createPrivate(file)
  } catch (error) {
    throw new DataDirError(`Cannot use the data directory "${full}": ${systemReason(error)}`, { cause: error })
  }
  return dir
}

/** Creates an empty file that only its owner may read; tightens one that is there. */
function createPrivate(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE))
  chmodSync(file, FILE_MODE)
}

/** Becomes the owner, or throws a DataDirError that names the process that is. The result gives it up. */
export function ownDataDir(dir: DataDir, owner: Owner): { release(): void } {
  const lock = new DatabaseSync(lockFile(dir), { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new DataDirError(`Cannot use the data directory "${dir.path}": ${ownerText(dir)} is using it: ${REMEDY}`, {
      cause: error,
    })
  }
  writeFileSync(ownerFile(dir), JSON.stringify(owner), { mode: FILE_MODE })
  return {
    release() {
      if (lock.isOpen) lock.close()
    },
  }
}

function ownerText(dir: DataDir): string {
  try {
    const owner = JSON.parse(readFileSync(ownerFile(dir), 'utf8')) as Partial<Owner>
    return `the dateline process ${owner.pid ?? '?'}, started ${owner.startedAt ?? '?'},`
  } catch {
    return 'another dateline process'
  }
}

const lockFile = (dir: DataDir): string => join(dir.path, 'dateline.lock')
const ownerFile = (dir: DataDir): string => join(dir.path, 'owner.json')
