/**
 * Lets many copies follow a change in a thread with a connection of its own, so that the event loop goes on serving. What
 * the service writes waits for a step of the thread, and what it reads for none.
 */
import { startTaskThread } from '../../base/thread.ts'
import type { FollowedStep } from '../../store/references/reference-progress.ts'
import type { FollowTask, FollowThreadData } from './reference-worker.ts'
import type { Store } from '../../store/store.ts'

const HEAP_MB_MAX = 128

export type ReferenceThread = ReturnType<typeof startReferenceThread>

export interface ReferenceThreadOptions extends Pick<FollowThreadData, 'dataDir' | 'trash'> {
  /** That of the service. */
  readonly store: Pick<Store, 'pageDescriptor'>
}

export function startReferenceThread({ store: { pageDescriptor }, ...data }: ReferenceThreadOptions) {
  const workerData: FollowThreadData = { ...data, pageDescriptor }
  const thread = startTaskThread<FollowTask, FollowedStep>(new URL('./reference-worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  return {
    /** Takes steps for a while, or until there is nothing to do. Gives the last step, with the changes of all. */
    follow: (task: FollowTask): Promise<FollowedStep> => thread.run(task),
    /** Resolves when the thread has closed its files. */
    end: thread.end,
  }
}
