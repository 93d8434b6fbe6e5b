/** Waiting: for a time, for something that may take too long, or for the next turn of the event loop. */

export type Pause = (ms: number) => Promise<void>

/**
 * Resolves after so many milliseconds, or once the signal has aborted. Without a signal it keeps the process alive meanwhile; what
 * has one is work in the background, which does not.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal === undefined) return
    timer.unref()
    signal.addEventListener('abort', end)
  })
}

/** Waits for something, but no longer than this: undefined when the time is over. What it waits for goes on. */
export async function within<T>(ms: number, awaited: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([awaited, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves in the next turn of the event loop, when what has come meanwhile was served. */
export { setImmediate as nextTurn } from 'node:timers/promises'
