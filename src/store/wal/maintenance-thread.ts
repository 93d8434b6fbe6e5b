/** Maintenance that would block the event loop, in a thread that lives as long as one task. */
import { startTaskThread } from '../../base/thread.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import type { MaintenanceResult, MaintenanceTask } from './maintenance-worker.ts'

const HEAP_MB_MAX = 64

export type Maintenance = ReturnType<typeof startMaintenance>

export function startMaintenance(task: MaintenanceTask) {
  const program = new URL('./maintenance-worker.ts', import.meta.url)
  const thread = startTaskThread<MaintenanceTask, MaintenanceResult>(program, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  return {
    /** Rejects with what went wrong, also when the thread was ended. */
    result: thread.run(task).then((result) => {
      if (result.kind === 'refused') throw new DatabaseFileError(result.message)
      return result
    }),
    /** Ends the thread; resolves when it has closed its files. */
    end: thread.end,
  }
}
