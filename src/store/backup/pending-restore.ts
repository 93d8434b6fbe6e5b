/**
 * A restore that a running service was asked for: it is done at the next start, while no part of the process has the
 * database open, and undone when the service cannot open what was restored.
 *
 * A note beside the database tells how far it has come, so that a crash at any point leaves the old database or the new
 * one, and the next start goes on from there. The copy is moved by the rename that puts it in place: where the note names
 * the kept database and there is no copy any more, an earlier start has ended before the restored one was open.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { replaceFile, syncDirectory } from '../../base/directory.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { DataDirError, ownDataDir, type DataDir, type Owner } from '../db/data-dir.ts'
import { databaseReason } from '../db/database.ts'
import { putBack, removePartialCopies, replaceDatabase, type RestorePlace } from './restore.ts'
import { NONE_REMOVED, type RemovedCredentials } from './restored-copy.ts'

const FILE_MODE = 0o600
const NOTE_BYTES_MAX = 4_096
/** Copies that were checked and never confirmed, such as those of a process that was killed. */
const COPY_NAME = /^dateline\.db\.to-restore-[\w-]+$/
/** Where a command unpacks an off-site backup, in the data directory. */
export const FETCHED_DIRECTORY = 'offsite-restoring'

export interface RestoreWish {
  /** The name of the backup. */
  readonly name: string
  /** The id of the user who confirmed it. */
  readonly actor: string
  /** When, as a date. */
  readonly at: string
  readonly removed: RemovedCredentials
}

interface RestoreNote extends RestoreWish {
  /** The file of the checked copy, beside the database. */
  readonly copy: string
  /** The file that the previous database is kept as; null until it is moved. */
  readonly kept: string | null
  /** Why the previous database is in use again. */
  readonly failure: string | null
}

/** What a start has to do with a restore: to open the restored database, or to record that it is not in use. */
export type RestoreStart =
  | { readonly kind: 'replaced'; readonly wish: RestoreWish; readonly kept: string }
  | { readonly kind: 'failed'; readonly wish: RestoreWish; readonly failure: string }

const noteFile = (dir: RestorePlace): string => `${dir.database}.restore-note`

/** A new name for a copy of a backup, beside the database. */
export function restoreCopy(dir: RestorePlace, suffix: string): string {
  return `${dir.database}.to-restore-${suffix}`
}

/** Has the copy put in the place of the database at the next start; returns when that is on disk. Throws the system's error. */
export function requestRestore(dir: RestorePlace, copy: string, { name, actor, at, removed }: RestoreWish): void {
  writeNote(dir, { name, actor, at, removed, copy: basename(copy), kept: null, failure: null })
}

/** Whether the next start of the service puts a copy in the place of the database. Throws DataDirError. */
export function isRestorePending(dir: DataDir): boolean {
  return readNote(dir)?.failure === null
}

/** Goes on with a restore, or undoes it where the service did not come up with it; undefined where there is none. */
export function startRestore(dir: DataDir, owner: Owner, now: Clock): RestoreStart | undefined {
  const note = readNote(dir)
  if (note === undefined) return undefined
  const { name, actor, at, removed, failure } = note
  const wish = { name, actor, at, removed }
  if (failure !== null) return { kind: 'failed', wish, failure }
  const lock = ownDataDir(dir, owner)
  try {
    const copy = join(dir.path, note.copy)
    if (!existsSync(copy)) return { kind: 'failed', wish, failure: giveUp(dir, 'the service ended before it was open') }
    const kept = replaceDatabase(dir.database, copy, now(), (file) => writeNote(dir, { ...note, kept: basename(file) }))
    return { kind: 'replaced', wish, kept: basename(kept ?? '') }
  } catch (error) {
    return { kind: 'failed', wish, failure: giveUp(dir, databaseReason(error)) }
  } finally {
    lock.release()
  }
}

/**
 * Puts the previous database back in its place. Call it while nothing has the database open. Throws DataDirError where no
 * note says which one that is.
 */
export function undoRestore(dir: DataDir, reason: unknown): void {
  if (readNote(dir) === undefined) throw new DataDirError(`Cannot undo the restore: "${noteFile(dir)}" is gone: the next start opens the restored database`)
  giveUp(dir, systemReason(reason))
}

function giveUp(dir: DataDir, failure: string): string {
  const note = readNote(dir)
  if (note === undefined) return failure
  const copy = join(dir.path, note.copy)
  const kept = note.kept === null ? undefined : join(dir.path, note.kept)
  if (kept !== undefined && existsSync(kept) && !existsSync(copy)) putBack(kept, dir.database)
  writeNote(dir, { ...note, kept: null, failure })
  rmSync(copy, { force: true })
  return failure
}

/**
 * Forgets a restore that is done, undone, or overtaken by another one: when it returns, that is on disk. Throws the system's
 * error, and the note is as it was.
 */
export function endRestore(dir: DataDir): void {
  const note = noteFile(dir)
  if (!existsSync(note)) return
  renameSync(note, endedNote(dir))
  try {
    syncDirectory(dir.path)
  } catch (error) {
    // A crash could bring it back, long after the restored database was written to.
    renameSync(endedNote(dir), note)
    throw error
  }
}

/**
 * Removes what restores and checks left that have ended or were killed: notes, copies of backups, and what was fetched. For the
 * owner of the directory. Throws the system's error.
 */
export function removeRestoreFiles(dir: DataDir): void {
  const copies = readdirSync(dir.path).filter((name) => COPY_NAME.test(name)).map((name) => join(dir.path, name))
  for (const file of [endedNote(dir), ...copies]) rmSync(file, { force: true })
  removePartialCopies(dir)
  rmSync(join(dir.path, FETCHED_DIRECTORY), { recursive: true, force: true })
}

const endedNote = (dir: RestorePlace): string => `${noteFile(dir)}.ended`

function writeNote(dir: RestorePlace, note: RestoreNote): void {
  replaceFile(noteFile(dir), JSON.stringify(note), FILE_MODE)
}

/** Undefined where there is none. Throws a DataDirError for a file that is not a note of ours. */
function readNote(dir: DataDir): RestoreNote | undefined {
  const file = noteFile(dir)
  if (!existsSync(file)) return undefined
  try {
    const note = JSON.parse(readRegularFile(file, NOTE_BYTES_MAX).toString()) as RestoreNote & Partial<Pick<RestoreNote, 'removed'>>
    return { ...note, removed: note.removed ?? NONE_REMOVED, copy: basename(note.copy), kept: note.kept === null ? null : basename(note.kept) }
  } catch (error) {
    throw new DataDirError(`Cannot read "${file}": ${systemReason(error)}: remove it, and the database stays as it is`, { cause: error })
  }
}
