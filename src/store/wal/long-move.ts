/**
 * Moving a long write-ahead log into the database without holding anybody up.
 *
 * A log gets long while somebody reads one old state, as a backup does. Moving and blanking it in one go
 * (checkpoints.ts) would keep every write waiting; so it is done piece by piece, in a thread, and the write lock is
 * taken for a few milliseconds at a time:
 *
 * 1. Under the write lock, begin to read at the end of the log, the mark. From then on nobody can begin the log again.
 * 2. Move what is before the mark, without any lock. SQLite takes care of that.
 * 3. Blank the pages that were moved, some at a time under the write lock. Frames up to the mark are in the database,
 *    and nobody moves them a second time; so a page that has no frame behind the mark is written by nobody.
 * 4. From the mark on, the same again, until what is left is short. That is moved and blanked under one write lock.
 *
 * A service and a command beside it may both do this. Nobody can move past the mark of the other, so whoever waits for
 * a mark holds none: with one each, both would wait for as long as somebody writes, and the log would grow all the time.
 *
 * All of this is synchronous: it runs in a thread of its own, or at the end of a process.
 */
import { fdatasyncSync } from 'node:fs'
import { isBusy, openDatabase, type Database } from '../sqlite/database.ts'
import { addPages, checkpoint, partNow, type LogPart } from './log-file.ts'
import { blankUnused, type PageFile } from './unused-space.ts'

/** Pages that are blanked under one lock: about a millisecond. */
const BATCH_PAGES = 200
/**
 * Who waited long for the lock may keep it half as long. A bulk load holds it for seconds at a time; with a millisecond
 * between two of its transactions the move would never end, and the log would grow for as long as the load goes on.
 */
const BATCHES_PER_WAITED_MS = 0.5
/** So much is moved in the end while writers wait. */
const REST_PAGES_MAX = 300
/** Then the rest is what it is: so much is written that it would go on for ever. */
const ROUNDS_MAX = 8
/** Writers that wait for the lock ask again after a few milliseconds. */
const PAUSE_MS = 4
/** How often, and how many times, an older reader is waited for: ten minutes. */
const READER_PAUSE_MS = 250
const READER_PAUSES_MAX = 2_400
/**
 * On a busy site the lock is free for a moment between two transactions: SQLite's own waits of up to 100 ms miss it.
 */
const LOCK_PAUSE_MS = 0.5
const LOCK_TRIES_MAX = 10_000

export interface LongMove {
  readonly file: string
  readonly pageFile: PageFile
  /** What was blanked before. */
  readonly blanked: LogPart
  /** Whether to wait for somebody who reads an older state; where not, what can be moved is. */
  readonly isPatient: boolean
}

/**
 * Moves the log and gives what is blanked now, which is not all of it where a reader or a lock was in the way. Throws
 * what else SQLite throws; nothing is lost then.
 */
export function moveLongLog({ file, pageFile, blanked, isPatient }: LongMove): LogPart {
  const [guard, fence, reader] = [openDatabase(file), openDatabase(file), openDatabase(file, { readOnly: true })]
  const log = `${file}-wal`
  let part = blanked
  const { pageBytes } = pageFile
  const underLock = <T>(work: (waitedMs: number) => T): T => {
    const waitedMs = takeLock(guard)
    try {
      return work(waitedMs)
    } finally {
      guard.exec('ROLLBACK')
    }
  }
  /** Begins to read at the end of the log. */
  const setMark = (): number => {
    if (reader.inTransaction) reader.exec('COMMIT')
    reader.exec('BEGIN')
    reader.get('SELECT count(*) FROM sqlite_schema')
    return checkpoint(fence, 'NOOP').pages
  }
  /** Blanks as many of the pages, from the one `at`, as the lock may be kept for, and gives how many those were. */
  const blankSome = (pages: readonly number[], at: number, mark: number, newer: NewerPages): Blanked =>
    underLock((waitedMs) => {
      const { isBusy: isMoving, pages: end } = checkpoint(fence, 'PASSIVE')
      if (isMoving) throw new InTheWay()
      const behind = newer.upTo(end, mark)
      const some = pages.slice(at, at + BATCH_PAGES * Math.max(1, Math.floor(waitedMs * BATCHES_PER_WAITED_MS)))
      const changed = blankUnused(
        pageFile,
        some.filter((page) => !behind.has(page)),
      )
      return { done: some.length, changed }
    })
  try {
    let readerPauses = 0
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const mark = underLock(() => {
        const end = setMark()
        part = partNow(log, part)
        return end
      })
      if (mark - part.frames <= REST_PAGES_MAX) break
      if (checkpoint(fence, 'PASSIVE').moved < mark) {
        if (!isPatient || ++readerPauses > READER_PAUSES_MAX) return part
        round = 0
        // Who waits holds no mark. Another process that moves the log meanwhile blanks all that it moves.
        reader.exec('COMMIT')
        pause(READER_PAUSE_MS)
        continue
      }
      const pages = [...addPages(new Set(), log, { from: part.frames, to: mark, pageBytes })]
      const newer = newerPages(log, pageBytes)
      let changed = 0
      for (let at = 0; at < pages.length;) {
        const some = blankSome(pages, at, mark, newer)
        at += some.done
        changed += some.changed
        pause(PAUSE_MS)
      }
      if (changed > 0) fdatasyncSync(pageFile.descriptor)
      part = { ...part, frames: mark }
    }
    return underLock(() => moveRest({ fence, reader, log, pageFile, part }))
  } catch (error) {
    if (error instanceof InTheWay) return part
    throw error
  } finally {
    for (const database of [reader, fence, guard]) database.close()
  }
}

/** Somebody else moves the log, or writes without end. */
class InTheWay extends Error {}

interface Blanked {
  readonly done: number
  readonly changed: number
}

/** Gives about how many milliseconds it took. */
function takeLock(guard: Database): number {
  guard.exec('PRAGMA busy_timeout = 0')
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries++) {
    try {
      guard.exec('BEGIN IMMEDIATE')
      return tries * LOCK_PAUSE_MS
    } catch (error) {
      if (!isBusy(error)) throw error
      pause(LOCK_PAUSE_MS)
    }
  }
  throw new InTheWay()
}

interface Rest {
  readonly fence: Database
  readonly reader: Database
  readonly log: string
  readonly pageFile: PageFile
  readonly part: LogPart
}

function moveRest({ fence, reader, log, pageFile, part }: Rest): LogPart {
  reader.exec('COMMIT')
  const { isBusy: isMoving, pages, moved } = checkpoint(fence, 'PASSIVE')
  if (isMoving || moved < pages) return part
  const frames = { from: part.frames, to: pages, pageBytes: pageFile.pageBytes }
  if (blankUnused(pageFile, addPages(new Set(), log, frames)) > 0) fdatasyncSync(pageFile.descriptor)
  return { ...part, frames: pages }
}

interface NewerPages {
  /** Pages with a frame from the mark up to the end of the log. */
  upTo(end: number, mark: number): ReadonlySet<number>
}

/** Reads each frame once. */
function newerPages(log: string, pageBytes: number): NewerPages {
  const pages = new Set<number>()
  let known: number | undefined
  return {
    upTo(end, mark) {
      addPages(pages, log, { from: known ?? mark, to: end, pageBytes })
      known = end
      return pages
    },
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms)
}
