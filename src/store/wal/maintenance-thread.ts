/** Maintenance that would block the event loop, in a thread of its own. */
import { startTaskThread } from '../../base/thread.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import type { MaintenanceResult, MaintenanceTask } from './maintenance-worker.ts'

const HEAP_MB_MAX = 64

export type Maintenance = ReturnType<typeof startMaintenance>

/** Starts a thread for one task after the other. */
export function startMaintenance() {
  const program = new URL('./maintenance-worker.ts', import.meta.url)
  const thread = startTaskThread<MaintenanceTask, MaintenanceResult>(program, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  return {
    /** Rejects with what went wrong, also when the thread was ended. */
    async run(task: MaintenanceTask): Promise<Exclude<MaintenanceResult, { readonly kind: 'failed' }>> {
      const result = await thread.run(task)
      if (result.kind === 'failed') throw new DatabaseFileError(result.message)
      return result
    },
    /** Ends the thread; resolves when it has closed its files. */
    end: thread.end,
  }
}
