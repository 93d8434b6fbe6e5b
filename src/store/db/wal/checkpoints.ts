/**
 * Erasure: what is deleted is gone from all files, and when that is needed, immediately.
 *
 * SQLite alone leaves deleted content in three places:
 *
 * - In the cell that held it. `secure_delete` (database.ts) overwrites it with zeroes.
 * - In the unallocated space of b-tree pages. When SQLite balances pages, cells move to a neighbour, and their old copies
 *   stay behind: without more than `secure_delete` and an empty WAL, of 500 deleted accounts among 2,000 up to five
 *   stayed readable, three of them for good, and VACUUM takes a second for 40 MB. move-wal.ts blanks that space.
 *   Every page that changes goes through the WAL, so it is enough to blank the pages of the WAL whenever it is moved:
 *   the cost grows with what was written and not with the database.
 * - In the WAL itself, and in the page cache of our connection, which would write an old copy back with the next change
 *   of its page. Both are emptied after an account was deleted.
 *
 * So SQLite's automatic checkpoints are off, and this is the one place that moves the WAL (move-wal.ts):
 *
 * - after a commit, once the WAL has PAGES_MAX pages that are not in the database;
 * - after a commit that needs an erasure, and every RETRY_MS until that has succeeded;
 * - in a thread, where it got longer than LONG_PAGES. A reader of an older state, such as a backup, makes it long, and so
 *   does a bulk load, which goes on writing meanwhile. SQLite restarts the WAL only where nothing is left to move, so what
 *   such a thread leaves is moved here once the WAL has `restartPages`.
 *
 * A flood of queries would always leave a reader in the WAL. `isHeldUp` tells the store, which then pauses queries for a
 * moment (finder.ts) and calls `settle`.
 *
 * Our own descriptor of the database file stays open until SQLite has closed the file: closing any descriptor of a file
 * gives up all locks that the process holds on it (sqlite.org/howtocorrupt.html, section 2.2). So a second store of the
 * process uses that of the first.
 */
import { closeSync, openSync } from 'node:fs'
import { startTaskThread } from '../../../base/thread.ts'
import { openDatabase, type Database } from '../database.ts'
import { moveWal, type LongMove, type WalConnections, type WalFiles } from './move-wal.ts'
import { checkpoint, NO_PART, type WalPart } from './wal-file.ts'

/** SQLite's own default. */
const PAGES_MAX = 1_000
/** Moving a longer WAL takes long enough to be noticed by requests. */
const LONG_PAGES = 1_500
/** An erasure does not start a thread below this: it is done before the response, unless that took too long. */
const ERASURE_PAGES_MAX = 8_000
const RETRY_MS = 500
/** A WAL of this length (16 MiB) has not been restarted for long. */
const HELD_UP_PAGES = 4_000

export type Checkpoints = ReturnType<typeof createCheckpoints>

interface CheckpointOptions {
  /** Of the file, where this process has one open that outlives these checkpoints. */
  readonly pageDescriptor?: number | undefined
  readonly pagesMax?: number
  readonly longPages?: number
  readonly restartPages?: number
  /** Does the work while no other thread of the service reads. */
  readonly withoutReaders?: (work: () => void) => void
}

/** `database` is the connection that writes; `file` is its file. */
export function createCheckpoints(
  database: Database,
  file: string,
  { pageDescriptor, pagesMax = PAGES_MAX, longPages = LONG_PAGES, restartPages = Infinity, withoutReaders = (work) => work() }: CheckpointOptions = {},
) {
  const reader = openDatabase(file, { isPlain: true })
  reader.exec('PRAGMA busy_timeout = 0')
  const pageBytes = Number(database.get('PRAGMA page_size')?.['page_size'])
  const files = { file, pageFile: { descriptor: pageDescriptor ?? openSync(file, 'r+'), pageBytes } }
  const mover = createWalMover({ database, reader }, files)
  let needsErasure = false
  let erasures = 0
  let isOpen = true
  let timer: NodeJS.Timeout | undefined

  /** Pages that are not in the database yet. */
  const pagesLeft = (): number => {
    const { pages, moved } = checkpoint(database, 'NOOP')
    return pages - moved
  }
  const moveAll = (): void => {
    // TRUNCATE would move what another process has committed by now, and not blank it.
    if (!mover.move() || !needsErasure || pagesLeft() > 0 || checkpoint(reader, 'TRUNCATE').isBusy) return
    database.exec('PRAGMA shrink_memory')
    needsErasure = false
  }
  /** What fails here is all in the WAL, and is retried. */
  const attempt = (isDue: (pages: number) => boolean): void => {
    if (mover.isInThread()) return
    try {
      const { pages, moved } = checkpoint(database, 'NOOP')
      const mustRestart = pages >= restartPages
      if (!mustRestart && !isDue(pages - moved)) return
      if (mustRestart || pages - moved < (needsErasure ? Math.max(longPages, ERASURE_PAGES_MAX) : longPages)) {
        return needsErasure ? withoutReaders(moveAll) : moveAll()
      }
      mover.moveInThread(() => {
        if (needsErasure) attemptLater()
      })
    } catch {
      return
    }
  }
  const attemptLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      attempt(() => needsErasure)
      if (needsErasure) attemptLater()
    }, RETRY_MS).unref()
  }
  return {
    pageDescriptor: files.pageFile.descriptor,
    /** Has what the present transaction deletes erased from all files after its commit. */
    erase(): void {
      needsErasure = true
      erasures++
    },
    /** The same for what only this file has: other nodes of a cluster erase it by themselves. */
    eraseHere: (): void => void (needsErasure = true),
    /** How often erase() was called. */
    erasures: (): number => erasures,
    /** Moves the WAL if it is time. To be called after each commit, while no transaction is open. Never throws. */
    afterCommit(): void {
      attempt((pages) => needsErasure || pages >= pagesMax)
      if (needsErasure) attemptLater()
    },
    /** Whether readers keep the WAL from being restarted, so that it grows, or from being erased. Never throws. */
    isHeldUp: (): boolean => isTrue(() => needsErasure || checkpoint(database, 'NOOP').pages >= HELD_UP_PAGES),
    /** Moves the WAL; true where nothing is left to move or erase. For a moment without readers. Never throws. */
    settle(): boolean {
      withoutReaders(() => attempt(() => true))
      return isTrue(() => !mover.isInThread() && !needsErasure && pagesLeft() === 0)
    },
    /** Moves the WAL and closes the database. May be called more than once. */
    async close(): Promise<void> {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      await mover.endThread()
      try {
        moveAll()
      } catch {
        // What is not moved is in the WAL, for the next start.
      }
      reader.close()
      database.close()
      if (pageDescriptor === undefined) closeSync(files.pageFile.descriptor)
    },
  }
}

function isTrue(condition: () => boolean): boolean {
  try {
    return condition()
  } catch {
    return false
  }
}

/*
 * Moves the WAL, here or in a thread, and knows which part of it is blanked.
 *
 * A busy writer fills a long WAL many times a second, and starting a thread takes longer than a move. So the thread stays
 * for a while, and ends when no move has needed it for THREAD_IDLE_MS.
 */

const THREAD_IDLE_MS = 5_000
const HEAP_MB_MAX = 64

const startMover = () =>
  startTaskThread<LongMove, WalPart>(new URL('./wal-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } })

function createWalMover(connections: WalConnections, files: WalFiles) {
  let blanked = NO_PART
  let thread: ReturnType<typeof startMover> | undefined
  let isMoving = false
  let idle: NodeJS.Timeout | undefined

  const endThread = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.end()
  }
  const runInThread = async (): Promise<void> => {
    clearTimeout(idle)
    try {
      thread ??= startMover()
      blanked = await thread.run({ ...files, blanked })
      idle = setTimeout(() => void endThread(), THREAD_IDLE_MS).unref()
    } catch {
      // What is not moved is in the WAL. The next move gets another thread.
      await endThread()
    }
  }
  return {
    isInThread: (): boolean => isMoving,
    /** Whether the WAL is moved up to its end of now. */
    move(): boolean {
      const part = moveWal(connections, files, blanked)
      blanked = part ?? blanked
      return part !== undefined
    },
    /** Calls `onEnd` in any case. */
    moveInThread(onEnd: () => void): void {
      isMoving = true
      void runInThread().then(() => {
        isMoving = false
        onEnd()
      })
    },
    endThread,
  }
}
