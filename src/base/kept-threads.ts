/**
 * Task threads for jobs that come one after the other, and sometimes side by side: one that is done is kept for the next job, since
 * starting a thread takes as long as a short job.
 */
import type { Clock } from './clock.ts'
import { startTaskThread } from './thread.ts'

type TaskThread<Task, Result> = ReturnType<typeof startTaskThread<Task, Result>>

export interface KeptThreadOptions<Task, Result> {
  readonly start: () => TaskThread<Task, Result>
  /** How long one without a job is kept. */
  readonly idleMsMax: number
  readonly now: Clock
}

export function createKeptThreads<Task, Result>({ start, idleMsMax, now }: KeptThreadOptions<Task, Result>) {
  const busy = new Set<TaskThread<Task, Result>>()
  let kept: TaskThread<Task, Result> | undefined
  let [keptAt, isEnded] = [0, false]

  const takeKept = (): TaskThread<Task, Result> | undefined => {
    const thread = kept
    kept = undefined
    return thread?.isAlive === true ? thread : undefined
  }
  return {
    /** Rejects with what the task threw or what ended its thread, which is then not kept. */
    async run(task: Task): Promise<Result> {
      if (isEnded) throw new Error('The threads were ended')
      const thread = takeKept() ?? start()
      busy.add(thread)
      try {
        const result = await thread.run(task)
        if (kept === undefined && !isEnded) [kept, keptAt] = [thread, now()]
        return result
      } finally {
        busy.delete(thread)
        if (kept !== thread) await thread.end()
      }
    },
    /** Ends the thread that had no job for so long. To be called again and again. */
    async endIdle(): Promise<void> {
      // The clock may be set back.
      if (Math.abs(now() - keptAt) >= idleMsMax) await takeKept()?.end()
    },
    /** Ends all threads, and rejects what they run. */
    async end(): Promise<void> {
      isEnded = true
      await Promise.all([...busy, takeKept()].map((thread) => thread?.end()))
    },
  }
}
