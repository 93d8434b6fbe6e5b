/**
 * A restore by a command that has not ended. A service would take what a killed one left for a new site: an empty database, or the
 * restored one without its secrets. So a note is in the directory before anything that comes of it, and goes when all is there.
 */
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { replaceFile } from '../../base/directory.ts'
import { parseJsonObject } from '../../base/json.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { DataDirError, hasDatabase, type DataDir } from '../db/data-dir.ts'

const FILE_MODE = 0o600
const NOTE_BYTES_MAX = 16 * 1024
const NOTE_NAME = 'restore-unfinished.json'

interface Note {
  /** What to run again, as it is typed. */
  readonly command: string
  /** Whether the database may be the restored one, while other files are not. */
  readonly isReplacing: boolean
}

export interface BegunRestore {
  /** The database is about to be replaced, and is of no use without files that follow. Throws the system's error. */
  replacing(): void
  /** All is there. Throws the system's error. */
  end(): void
  /** The database is as it was, and so is the note of an earlier restore, if there is one. */
  undo(): void
}

/**
 * Call it with the lock of the directory, so that no other restore changes the note meanwhile, and before anything that a service could
 * take for a site is written. Throws DataDirError.
 */
export function beginRestore({ path }: Pick<DataDir, 'path'>, command: string): BegunRestore {
  const file = noteFile(path)
  try {
    const earlier = existsSync(file) ? readRegularFile(file, NOTE_BYTES_MAX).toString('utf8') : undefined
    const write = (isReplacing: boolean): void => replaceFile(file, JSON.stringify({ command, isReplacing } satisfies Note), FILE_MODE)
    write(earlier !== undefined && noteOf(earlier)?.isReplacing !== false)
    return {
      replacing: () => write(true),
      end: () => rmSync(file, { force: true }),
      undo() {
        if (earlier === undefined) rmSync(file, { force: true })
        else replaceFile(file, earlier, FILE_MODE)
      },
    }
  } catch (error) {
    throw new DataDirError(`Cannot use the data directory "${resolve(path)}": ${systemReason(error)}`, { cause: error })
  }
}

/** Throws a DataDirError for a directory in which a restore has not ended, if its database is not the one from before. */
export function requireRestored(path: string): void {
  const file = noteFile(path)
  if (!existsSync(file)) return
  const note = readNote(file)
  const isThere = hasDatabase(path)
  if (note?.isReplacing === false && isThere) return
  const found = isThere ? 'the database may lack its secrets' : 'it has no database yet'
  const remedy = note === undefined ? 'run "dateline restore" again' : `run "${note.command}" again`
  throw new DataDirError(
    `Cannot use the data directory "${resolve(path)}": a restore into it was interrupted or still runs, and ${found}: ${remedy}, or remove "${file}" to go on without it`,
  )
}

const noteFile = (path: string): string => join(resolve(path), NOTE_NAME)

function readNote(file: string): Note | undefined {
  try {
    return noteOf(readRegularFile(file, NOTE_BYTES_MAX).toString('utf8'))
  } catch {
    return undefined
  }
}

/** Undefined for a text that is none. */
function noteOf(text: string): Note | undefined {
  const { command, isReplacing } = parseJsonObject(text) ?? {}
  return typeof command === 'string' && typeof isReplacing === 'boolean' ? { command, isReplacing } : undefined
}
