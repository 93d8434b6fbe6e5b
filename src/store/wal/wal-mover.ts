/**
 * Moves the WAL, here or in a thread, and knows which part of it is blanked.
 *
 * A busy writer fills a long WAL many times a second, and starting a thread takes longer than a move. So the thread stays
 * for a while, and ends when no move has needed it for THREAD_IDLE_MS.
 */
import { startMaintenance, type Maintenance } from './maintenance-thread.ts'
import { moveWal, type WalConnections, type WalFiles } from './move-wal.ts'
import { NO_PART } from './wal-file.ts'

const THREAD_IDLE_MS = 5_000

export function createWalMover(connections: WalConnections, files: WalFiles) {
  let blanked = NO_PART
  let thread: Maintenance | undefined
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
      thread ??= startMaintenance()
      const result = await thread.run({ kind: 'move', move: { ...files, blanked } })
      if (result.kind === 'moved') blanked = result.blanked
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
