/** Writing and checking backups, which would block the event loop, in a thread of its own. */
import { startTaskThread } from '../../base/thread.ts'
import type { BackupResult, BackupTask } from './backup-worker.ts'
import { DatabaseFileError } from './database-copy.ts'

const HEAP_MB_MAX = 64

export type BackupThread = ReturnType<typeof startBackupThread>

/** Starts a thread for one task after the other. */
export function startBackupThread() {
  const program = new URL('./backup-worker.ts', import.meta.url)
  const thread = startTaskThread<BackupTask, BackupResult>(program, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  return {
    /** Rejects with what went wrong, also when the thread was ended. */
    async run(task: BackupTask): Promise<Exclude<BackupResult, { readonly kind: 'failed' }>> {
      const result = await thread.run(task)
      if (result.kind === 'failed') throw new DatabaseFileError(result.message)
      return result
    },
    /** Ends the thread; resolves when it has closed its files. */
    end: thread.end,
  }
}
