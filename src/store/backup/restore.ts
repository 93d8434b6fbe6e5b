/**
 * Putting a copy in the place of the database, so that a crash at any point leaves the old one or the new one.
 *
 * What must never be is the new file beside the log of the old one: SQLite would replay one into the other. So the log
 * of the old database is folded into it first, while the directory is ours; from then on there is no log, and one
 * rename exchanges one whole file for another (rename(2); on Windows MoveFileEx, which replaces as well). A damaged
 * database cannot be folded. It is of no use to anybody, so its log is moved aside before the rename.
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
import { databaseReason, foldLog, isDamage } from '../sqlite/database.ts'
import { copyDatabase, DatabaseFileError, type Copied } from './database-copy.ts'
import type { DataDir } from '../sqlite/data-dir.ts'
import { MIGRATIONS, tooNew } from '../sqlite/migrations.ts'

const PARTIAL_NAME = /^dateline\.db\.restoring-\d+/

export interface RestoreRequest {
  /** The directory, which the caller owns for as long as this takes. */
  readonly dir: DataDir
  readonly from: string
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface Restored extends Copied {
  /** Where the database is that was there before; undefined where there was none. */
  readonly replaced: string | undefined
}

/** Checks the file, copies it into the directory and puts it in place. Throws DatabaseFileError and SchemaError. */
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

/** What is at a path; undefined for nothing. Throws DatabaseFileError, as where a directory on the way is none. */
function fileAt(path: string, action: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new DatabaseFileError(`${action}: ${systemReason(error)}`, { cause: error })
  }
}

/** Keeps the database under another name as well, and leaves it in its place without a log. */
function setAside(database: string, now: number): string | undefined {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    // Made empty, and never used. A log can only be a stray one.
    for (const log of logsOf(database)) rmSync(log, { force: true })
    return undefined
  }
  const kept = freeName(`${database}.replaced-${isoDate(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z`)
  try {
    foldLog(database)
    keep(database, kept)
  } catch (error) {
    if (!isDamage(error)) throw error
    keep(database, kept)
    for (const log of logsOf(database).filter((file) => existsSync(file))) {
      keep(log, kept + log.slice(database.length))
      rmSync(log)
    }
  }
  syncDirectory(dirname(database))
  return kept
}

/** What SQLite may keep beside a database. */
const logsOf = (database: string): string[] => ['-wal', '-shm', '-journal'].map((suffix) => database + suffix)

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
