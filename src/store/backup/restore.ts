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
import { isoDate } from '../../base/dates.ts'
import { syncDirectory } from '../../base/directory.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Model } from '../../models/schema.ts'
import { databaseReason, foldWal, isDamage } from '../sqlite/database.ts'
import { copyDatabase, DatabaseFileError, type Copied } from './database-copy.ts'
import type { DataDir } from '../sqlite/data-dir.ts'
import { MIGRATIONS, tooNew } from '../sqlite/migrations.ts'

const PARTIAL_NAME = /^dateline\.db\.restoring-\d+/

export interface RestoreRequest {
  /** The caller owns the directory meanwhile. */
  readonly dir: DataDir
  readonly from: string
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface Restored extends Copied {
  /** The file of the previous database; undefined where there was none. */
  readonly replaced: string | undefined
}

/** Checks the file, copies it into the directory and replaces the database. Throws DatabaseFileError and SchemaError. */
export async function restoreDatabase({ dir, from, version, ...request }: RestoreRequest): Promise<Restored> {
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
  for (const name of readdirSync(dir.path).filter((one) => PARTIAL_NAME.test(one))) rmSync(join(dir.path, name))
  const partial = `${dir.database}.restoring-${process.pid}`
  const copied = await copyDatabase({
    ...request,
    from: source,
    to: partial,
    action,
    ifDamaged,
    accept(facts) {
      if (facts.schema > MIGRATIONS.length) throw tooNew(`The file "${source}"`, facts, version)
    },
  })
  try {
    const replaced = setAside(dir.database, request.now())
    renameSync(partial, dir.database)
    syncDirectory(dirname(dir.database))
    return { ...copied, replaced }
  } catch (error) {
    rmSync(partial, { force: true })
    throw new DatabaseFileError(`${action}: ${databaseReason(error)}`, { cause: error })
  }
}

function fileAt(path: string, action: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new DatabaseFileError(`${action}: ${systemReason(error)}`, { cause: error })
  }
}

/** Keeps the database under a second name as well, and leaves it in its place without a WAL. */
function setAside(database: string, now: number): string | undefined {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    // Created empty, and never used.
    for (const file of filesBeside(database)) rmSync(file, { force: true })
    return undefined
  }
  const kept = freeName(`${database}.replaced-${isoDate(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z`)
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

/** The files that SQLite may keep beside a database. */
const filesBeside = (database: string): string[] => ['-wal', '-shm', '-journal'].map((suffix) => database + suffix)

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
