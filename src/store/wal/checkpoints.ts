/**
 * Moving the write-ahead log into the database, so that nothing deleted is left in either.
 *
 * SQLite would move the log by itself, but two things have to happen with it. Pages that it takes from the log may hold
 * copies of cells that have moved elsewhere (unused-space.ts): every changed page goes through the log, so blanking the
 * pages of the log each time it is moved keeps the whole file clean, at a cost that grows with what was written and not
 * with the size of the site. And after an account was deleted, the log itself has to be emptied, and pages have to
 * leave the memory of our connection, lest the next change of one writes an old copy back.
 *
 * The pages are blanked while a second connection holds the write lock and the log is wholly in the database: then no
 * process can write to the database file. An open reader of an older state holds everything up; it is tried again after
 * the next commit, and after a moment where an erasure waits for it. Where that made the log long, it is moved in a
 * thread (long-move.ts).
 *
 * Our own descriptor of the database file stays open until SQLite has closed the file: closing any descriptor of a file
 * gives up all locks that the process holds on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { openDatabase, type Database } from '../sqlite/database.ts'
import { addPages, checkpoint, NO_PART, partNow } from './log-file.ts'
import { moveLongLog } from './long-move.ts'
import { blankUnused, type PageFile } from './unused-space.ts'
import { startUpkeep, type Upkeep } from './upkeep-thread.ts'

/** SQLite's own default for the length of the log. */
const LOG_PAGES_MAX = 1_000
/** A longer one is moved in a thread, lest the writes of all that is moved keep the next one waiting. */
const LONG_LOG_PAGES = 1_500
/** An erasure is waited for, so that an account is gone from the file when the answer says so; but not for ever. */
const ERASURE_PAGES_MAX = 8_000
const RETRY_MS = 500
/** A log of this length (16 MiB) was not begun again for long. */
const HELD_UP_PAGES = 4_000

export interface Checkpoints {
  /** Has what the present transaction deletes erased from all files after its commit. */
  erase(): void
  /** Moves the log if it is time. To be called after each commit, while no transaction is open. Never throws. */
  afterCommit(): void
  /** Whether readers keep the log from beginning again, so that it grows, or from being erased. Never throws. */
  isHeldUp(): boolean
  /** Moves the log and erases what is to be; true where all of that is done. For a moment without readers. Never throws. */
  settle(): boolean
  /** Moves the log and closes the database. May be called more than once. */
  close(): Promise<void>
}

export interface CheckpointLimits {
  /** Pages in the log after which it is moved. */
  readonly logPagesMax: number
  /** Pages after which it is moved in a thread. */
  readonly longLogPages: number
}

const LIMITS: CheckpointLimits = { logPagesMax: LOG_PAGES_MAX, longLogPages: LONG_LOG_PAGES }

/** `database` is the connection that writes; `file` is its file. */
export function createCheckpoints(
  database: Database,
  file: string,
  { logPagesMax, longLogPages }: CheckpointLimits = LIMITS,
): Checkpoints {
  const guard = openDatabase(file)
  guard.exec('PRAGMA busy_timeout = 0')
  const pageFile: PageFile = {
    descriptor: openSync(file, 'r+'),
    pageBytes: Number(database.get('PRAGMA page_size')?.['page_size']),
  }
  let owesErasure = false
  let isOpen = true
  let timer: NodeJS.Timeout | undefined
  let blanked = NO_PART
  let upkeep: Upkeep | undefined

  /** Whether all of the log is in the database now, and its pages are blanked. */
  const moveLog = (): boolean => {
    guard.exec('BEGIN IMMEDIATE')
    try {
      const { isBusy, pages, moved } = checkpoint(database, 'PASSIVE')
      if (isBusy || moved < pages) return false
      if (pages === 0) return true
      const part = partNow(`${file}-wal`, blanked)
      const frames = { from: part.frames, to: pages, pageBytes: pageFile.pageBytes }
      if (blankUnused(pageFile, addPages(new Set(), `${file}-wal`, frames)) > 0) fdatasyncSync(pageFile.descriptor)
      blanked = { ...part, frames: pages }
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
  /** Pages that are not in the database yet. */
  const pagesLeft = (): number => {
    const { pages, moved } = checkpoint(database, 'NOOP')
    return pages - moved
  }
  const moveInThread = (): void => {
    const thread = startUpkeep({ kind: 'move', move: { file, pageFile, blanked, isPatient: true } })
    upkeep = thread
    void thread.answer
      .then((answer) => {
        if (answer.kind === 'moved') blanked = answer.blanked
      })
      // What fails here is no loss: it is all in the log, and is tried again.
      .catch(() => {})
      .then(() => thread.end())
      .then(() => {
        upkeep = undefined
        if (owesErasure) attemptLater()
      })
  }
  /** What fails here is no loss either. */
  const attempt = (isDue: (pages: number) => boolean): void => {
    if (upkeep !== undefined) return
    try {
      const pages = pagesLeft()
      if (!isDue(pages)) return
      if (pages >= (owesErasure ? Math.max(longLogPages, ERASURE_PAGES_MAX) : longLogPages)) moveInThread()
      else if (moveLog() && owesErasure) owesErasure = !emptyLog()
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
  const finish = (): void => {
    try {
      if (pagesLeft() >= longLogPages) blanked = moveLongLog({ file, pageFile, blanked, isPatient: false })
      if (moveLog() && owesErasure) emptyLog()
    } catch {
      return
    }
  }
  return {
    erase() {
      owesErasure = true
    },
    afterCommit() {
      attempt((pages) => owesErasure || pages >= logPagesMax)
      if (owesErasure) attemptLater()
    },
    isHeldUp() {
      try {
        return owesErasure || checkpoint(database, 'NOOP').pages >= HELD_UP_PAGES
      } catch {
        return false
      }
    },
    settle() {
      attempt(() => true)
      try {
        return upkeep === undefined && !owesErasure && pagesLeft() === 0
      } catch {
        return false
      }
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      await upkeep?.end()
      finish()
      guard.close()
      database.close()
      closeSync(pageFile.descriptor)
    },
  }
}
