/**
 * Moving the WAL into the database and blanking the pages that this wrote, without holding up writers. Why pages are
 * blanked, and when: checkpoints.ts.
 *
 * Pages are blanked behind SQLite's back, so no connection of any process may write the database file meanwhile. Only
 * checkpoints write it, and a checkpoint never passes the end of the WAL that a reader sees (its read mark, see
 * sqlite.org/walformat.html#wal_locks). So:
 *
 * 1. Begin to read at the end of the WAL, the mark. From now on no checkpoint moves a frame behind the mark.
 * 2. Move all frames before the mark. From now on no checkpoint has anything left to move.
 * 3. Blank the pages of these frames, and end the reader.
 *
 * Writers append to the WAL all the while. A page that they change again is moved, and blanked, with its newer frame.
 *
 * Where everything was in the database before the mark was set, the reader needs no frame, and a writer may restart the
 * WAL. No checkpoint writes the database then either, but the frames are those of another WAL. The salts show it.
 */
import { fdatasyncSync } from 'node:fs'
import { openDatabase, type Database } from '../database.ts'
import { blankUnused, type PageFile } from './unused-space.ts'
import { checkpoint, pagesOf, saltsOf, type WalPart } from './wal-file.ts'

/** Between two reads of the WAL's length lies a commit only now and then. */
const MARK_TRIES_MAX = 1_000
/** A long move pauses after so many pages, so that the disk serves others as well. */
const BATCH_PAGES = 200
const PAUSE_MS = 4
/** A reader of an older state is waited for ten minutes. */
const READER_WAIT_MS = 250
const READER_WAITS_MAX = 2_400

export interface WalFiles {
  readonly file: string
  readonly pageFile: PageFile
}

export interface WalConnections {
  /** Runs the checkpoint; in no transaction. */
  readonly database: Database
  /** Holds the mark; in no transaction. */
  readonly reader: Database
}

/**
 * Moves the WAL up to its present end. Returns the part that is blanked then; undefined where a reader of an older
 * state, another checkpoint or a restart of the WAL is in the way. Throws what SQLite throws; nothing is lost then.
 */
export function moveWal(
  { database, reader }: WalConnections,
  { file, pageFile }: WalFiles,
  blanked: WalPart,
  pauseMs = 0,
): WalPart | undefined {
  try {
    const wal = `${file}-wal`
    const mark = setMark({ database, reader }, wal)
    if (mark === undefined || checkpoint(database, 'PASSIVE').moved < mark.frames) return undefined
    if (mark.frames === 0) return blanked
    const from = blanked.salts === mark.salts ? blanked.frames : 0
    const pages = pagesOf(wal, from, mark.frames, pageFile.pageBytes)
    if (saltsOf(wal) !== mark.salts) return undefined
    let changed = 0
    for (let at = 0; at < pages.length; at += BATCH_PAGES) {
      changed += blankUnused(pageFile, pages.slice(at, at + BATCH_PAGES))
      if (pauseMs > 0) pause(pauseMs)
    }
    if (changed > 0) fdatasyncSync(pageFile.descriptor)
    return mark
  } finally {
    if (reader.inTransaction) reader.exec('COMMIT')
  }
}

/** Begins to read at the end of the WAL, and returns the part up to there. */
function setMark({ database, reader }: WalConnections, wal: string): WalPart | undefined {
  const end = (): WalPart => ({ frames: checkpoint(database, 'NOOP').pages, salts: saltsOf(wal) })
  for (let tries = 0; tries < MARK_TRIES_MAX; tries++) {
    const before = end()
    reader.exec('BEGIN')
    reader.get('PRAGMA schema_version')
    const after = end()
    // -1 while another connection runs a checkpoint.
    if (after.frames >= 0 && after.frames === before.frames && after.salts === before.salts) return after
    reader.exec('COMMIT')
  }
  return undefined
}

export interface LongMove extends WalFiles {
  readonly blanked: WalPart
  /** How many times a reader of an older state is waited for. */
  readonly waitsMax?: number
}

/**
 * Moves a long WAL, on connections of its own. Synchronous: it runs in a thread. It holds no mark while it waits, so
 * that of two processes that do this at the same time one always gets on.
 */
export function moveLongWal({ blanked, waitsMax = READER_WAITS_MAX, ...files }: LongMove): WalPart {
  const [database, reader] = [openDatabase(files.file), openDatabase(files.file, { isPlain: true })]
  try {
    for (let waits = 0; ; waits++) {
      const part = moveWal({ database, reader }, files, blanked, PAUSE_MS)
      if (part !== undefined || waits >= waitsMax) return part ?? blanked
      pause(READER_WAIT_MS)
    }
  } finally {
    reader.close()
    database.close()
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms)
}
