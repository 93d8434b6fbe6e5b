/** Waiting: for a time, or for the next turn of the event loop. */

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

/** Resolves in the next turn of the event loop, when what has come meanwhile was served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
