/** Upkeep that would hold up the event loop, in a thread that lives as long as one task. */
import { startThread } from '../../base/thread.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import type { UpkeepAnswer, UpkeepTask } from './upkeep-message.ts'

const HEAP_MB_MAX = 64

export interface Upkeep {
  /** Rejects with what went wrong, also when the thread was ended. */
  readonly answer: Promise<Exclude<UpkeepAnswer, { kind: 'refused' | 'failed' }>>
  /** Ends the thread; resolves when it has closed its files. */
  end(): Promise<void>
}

/** A thread does not keep the process alive. */
export function startUpkeep(task: UpkeepTask): Upkeep {
  const worker = startThread(new URL('./upkeep-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    // Settings of the process are none of its business.
    env: {},
  })
  worker.unref()
  const answer = new Promise<UpkeepAnswer>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The thread was ended')))
  }).then((message) => {
    if (message.kind === 'refused') throw new DatabaseFileError(message.message)
    if (message.kind === 'failed') throw message.error
    return message
  })
  return {
    answer,
    async end() {
      await worker.terminate()
    },
  }
}
