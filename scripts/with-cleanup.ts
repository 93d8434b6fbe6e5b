/** What a run starts is ended, and what it makes is removed, however the run ends. */
import type { Cleanup } from './tools/temporary-directory.ts'

/** Runs the work, and in the end what it registered to clean up, newest first. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanups: (() => void | Promise<void>)[] = []
  try {
    return await work({ after: (one) => void cleanups.unshift(one) })
  } finally {
    for (const one of cleanups) await one()
  }
}
