/**
 * Write transactions of several threads and processes on one file.
 *
 * A connection of SQLite that finds the lock of another one sleeps in its thread, for up to 100 ms between two attempts
 * (sqlite.org/c3ref/busy_handler.html): a thread that serves would serve no one meanwhile, and between the transactions of a
 * bulk load it hardly ever finds the lock free. So a writer that finds it taken makes a file beside the database, goes on
 * with its event loop, and tries again each millisecond. Who writes many transactions in a row looks for the file
 * between two of them, and lets those through that wait. All that wait share the file: the one that gets the lock removes it, and
 * another one makes it again with its next attempt.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { fail } from '../../base/failure.ts'
import { pause } from '../../base/pause.ts'
import { BUSY_TIMEOUT_MS, isBusy, type Database } from './database.ts'
import { watchPath } from './moved-file.ts'

const RETRY_MS = 1
/** A process that was killed while it waited leaves the file, which is no longer minded then. */
const GIVE_WAY_MS_MAX = 200

export type WaitingWriters = ReturnType<typeof createWaitingWriters>

/** Of the connection that writes to `file`. */
export function createWaitingWriters(database: Database, file: string) {
  const mark = `${file}-wanted`
  const isMoved = watchPath(file)
  let isWaiting = false
  const show = (): void => {
    isWaiting = true
    try {
      if (!existsSync(mark)) closeSync(openSync(mark, 'w', 0o600))
    } catch {
      // On a full disk, this writer waits without it.
    }
  }
  const hide = (): void => {
    isWaiting = false
    try {
      rmSync(mark, { force: true })
    } catch {
      // It is looked at once more, and no longer than GIVE_WAY_MS_MAX.
    }
  }
  return {
    /**
     * Begins a transaction; false where another connection has the lock, which the last attempt throws, like any other error. Throws
     * networkError where the file is no longer at its path.
     */
    tryBegin(isLast: boolean): boolean {
      if (isMoved()) throw fail('networkError', 'The database cannot be used now: its file was moved, removed or replaced')
      database.exec('PRAGMA busy_timeout = 0')
      let waitsOn = false
      try {
        database.run('BEGIN IMMEDIATE')
        return true
      } catch (error) {
        waitsOn = !isLast && isBusy(error)
        if (!waitsOn) throw error
        show()
        return false
      } finally {
        if (isWaiting && !waitsOn) hide()
        database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      }
    },
    /** Calls `attempt` until it returns true, at first immediately: `isLast` is true when the time to wait is over. */
    attempt(attempt: (isLast: boolean) => boolean, waitMs = BUSY_TIMEOUT_MS): void {
      let left = waitMs / RETRY_MS
      const again = (): void => {
        if (!attempt(--left <= 0)) setTimeout(again, RETRY_MS)
      }
      again()
    },
    /** For a writer of transaction after transaction: resolves when one that waited has the lock, with whether one did. */
    async giveWay(): Promise<boolean> {
      if (!existsSync(mark)) return false
      for (let left = GIVE_WAY_MS_MAX; existsSync(mark); left -= RETRY_MS) {
        if (left <= 0) {
          hide()
          break
        }
        await pause(RETRY_MS)
      }
      return true
    },
  }
}
