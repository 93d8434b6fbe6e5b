/**
 * Moving the write-ahead log into the database, so that nothing deleted is left in either.
 *
 * SQLite would move the log by itself, but two things have to happen with it. Pages that it takes from the log may hold
 * copies of cells that have moved elsewhere (unused-space.ts): every changed page goes through the log, so blanking the
 * pages of the log each time it is moved keeps the whole file clean, at a cost that grows with what was written and not
 * with the size of the site. And after an account was deleted, the log itself has to be emptied, and pages have to leave
 * the memory of our connection, lest the next change of one writes an old copy back.
 *
 * The pages are blanked while a second connection holds the write lock and the log is wholly in the database: then no
 * process can write to the database file. An open reader of an older state holds everything up; it is tried again after
 * the next commit, and after a moment where an erasure waits for it.
 *
 * Our own descriptor of the database file stays open until SQLite has closed the file: closing any descriptor of a file
 * gives up all locks that the process holds on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { openDatabase, type Database } from './database.ts'
import { blankUnused, type PageFile } from './unused-space.ts'

/** SQLite's own default for the length of the log. */
const LOG_PAGES_MAX = 1_000
const RETRY_MS = 500
/** Lengths of the header of the log and of the header before each page in it (sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

export interface Checkpoints {
  /** Has what the present transaction deletes erased from all files after its commit. */
  erase(): void
  /** Moves the log if it is time. To be called after each commit, while no transaction is open. Never throws. */
  afterCommit(): void
  /** Moves the log and closes the database. May be called more than once. */
  close(): void
}

/** `database` is the connection that writes; `file` is its file. */
export function createCheckpoints(database: Database, file: string): Checkpoints {
  const guard = openDatabase(file)
  guard.exec('PRAGMA busy_timeout = 0')
  const pageFile: PageFile = {
    descriptor: openSync(file, 'r+'),
    pageBytes: Number(database.get('PRAGMA page_size')?.['page_size']),
  }
  let owesErasure = false
  let isOpen = true
  let timer: NodeJS.Timeout | undefined

  /** Whether all of the log is in the database now, and its pages are blanked. */
  const moveLog = (): boolean => {
    guard.exec('BEGIN IMMEDIATE')
    try {
      const { pages, moved } = checkpoint(database, 'PASSIVE')
      if (moved < pages) return false
      blankUnused(pageFile, pagesInLog(`${file}-wal`, pages, pageFile.pageBytes))
      return true
    } finally {
      guard.exec('ROLLBACK')
    }
  }
  const emptyLog = (): boolean => {
    if (checkpoint(guard, 'TRUNCATE').isBusy) return false
    database.exec('PRAGMA shrink_memory')
    return true
  }
  const isLong = (): boolean => {
    const { pages, moved } = checkpoint(database, 'NOOP')
    return pages - moved >= LOG_PAGES_MAX
  }
  /** What fails here is no loss: it is all in the log, and is tried again. */
  const attempt = (isDue: () => boolean): void => {
    try {
      if (isDue() && moveLog() && owesErasure) owesErasure = !emptyLog()
    } catch {
      return
    }
  }
  const attemptLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      attempt(() => owesErasure)
      if (owesErasure) attemptLater()
    }, RETRY_MS).unref()
  }
  return {
    erase() {
      owesErasure = true
    },
    afterCommit() {
      attempt(() => owesErasure || isLong())
      if (owesErasure) attemptLater()
    },
    close() {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      attempt(() => true)
      guard.close()
      database.close()
      closeSync(pageFile.descriptor)
    },
  }
}

interface LogState {
  readonly isBusy: boolean
  /** Pages in the log, and how many of them are in the database already. */
  readonly pages: number
  readonly moved: number
}

function checkpoint(database: Database, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): LogState {
  const row = database.get(`PRAGMA wal_checkpoint(${mode})`)
  return { isBusy: row?.['busy'] !== 0, pages: Number(row?.['log']), moved: Number(row?.['checkpointed']) }
}

/** The numbers of the pages in the first frames of the log. */
function pagesInLog(file: string, frames: number, pageBytes: number): ReadonlySet<number> {
  const pages = new Set<number>()
  if (frames === 0) return pages
  const number = Buffer.alloc(4)
  const descriptor = openSync(file, 'r')
  try {
    for (let frame = 0; frame < frames; frame++) {
      const at = LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes)
      if (readSync(descriptor, number, 0, number.length, at) === number.length) pages.add(number.readUInt32BE())
    }
  } finally {
    closeSync(descriptor)
  }
  return pages
}
