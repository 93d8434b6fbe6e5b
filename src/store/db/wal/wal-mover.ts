/**
 * Moves the WAL, here or in a thread, and knows which part of it is blanked.
 *
 * A busy writer fills a long WAL many times a second, and starting a thread takes longer than a move. So the thread stays
 * for a while, and ends when no move has needed it for THREAD_IDLE_MS.
 */
import { startTaskThread } from '../../../base/thread.ts'
import { moveWal, type LongMove, type WalConnections, type WalFiles } from './move-wal.ts'
import { NO_PART, type WalPart } from './wal-file.ts'

const THREAD_IDLE_MS = 5_000
const HEAP_MB_MAX = 64

const startMover = () =>
  startTaskThread<LongMove, WalPart>(new URL('./wal-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } })

export function createWalMover(connections: WalConnections, files: WalFiles) {
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
