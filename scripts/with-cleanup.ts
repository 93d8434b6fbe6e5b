/** What a run starts is ended, and what it makes is removed, however the run ends. */
import { once } from 'node:events'
import type { Cleanup } from './tools/temporary-directory.ts'

/** Runs the work, and in the end what it registered to clean up, newest first: also where Ctrl-C or SIGTERM ends the run. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanups: (() => void | Promise<void>)[] = []
  const over = new AbortController()
  const ended = ['SIGINT', 'SIGTERM'].map(async (signal): Promise<never> => {
    await once(process, signal, { signal: over.signal })
    throw new Error(`ended by ${signal}`)
  })
  try {
    return await Promise.race([work({ after: (one) => void cleanups.unshift(one) }), ...ended])
  } finally {
    over.abort()
    await Promise.allSettled(ended)
    for (const one of cleanups) await one()
  }
}
