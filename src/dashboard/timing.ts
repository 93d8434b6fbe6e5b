/** Waiting, in one place: everything in the page that happens later goes through here. */

/** Runs after a pause, unless it is called off by the function that comes back. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Resolves after a pause, or when the signal ends it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const stop = after(ms, end)
    signal?.addEventListener('abort', end)
  })
}

/** Runs again and again with pauses, until the signal ends it. */
export function every(ms: number, signal: AbortSignal, run: () => void): void {
  if (signal.aborted) return
  const timer = setInterval(run, ms)
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** The same while the reader sees the page, and immediately when the page is seen again. */
export function everySeen(ms: number, signal: AbortSignal, run: () => void): void {
  const look = (): void => {
    if (!document.hidden) run()
  }
  every(ms, signal, look)
  document.addEventListener('visibilitychange', look, { signal })
}

/** A function that runs immediately, and for calls soon after that once more when the time is over. */
export function atMostEvery(ms: number, signal: AbortSignal, run: () => void): () => void {
  let isResting = false
  let isWanted = false
  const soon = (): void => {
    isWanted = isResting
    if (isResting || signal.aborted) return
    isResting = true
    after(ms, () => {
      isResting = false
      if (isWanted) soon()
    })
    run()
  }
  return soon
}

/** A function that runs once its calls have paused, with the values of the last. */
export function debounce<A extends readonly unknown[]>(ms: number, run: (...values: A) => void) {
  let timer: number | undefined
  const cancel = (): void => clearTimeout(timer)
  const soon = (...values: A): void => {
    cancel()
    timer = setTimeout(run, ms, ...values)
  }
  return Object.assign(soon, { cancel })
}

/**
 * A request that is sent once its calls have paused, or by `now` immediately. A newer request aborts the one before, and
 * the end of the screen aborts all; `request` gets a signal that tells.
 */
export function debouncedRequest<A extends readonly unknown[]>(
  ms: number,
  screen: AbortSignal,
  request: (signal: AbortSignal, ...values: A) => Promise<void>,
) {
  let current = new AbortController()
  const now = (...values: A): void => {
    cancel()
    if (screen.aborted) return
    current = new AbortController()
    void request(current.signal, ...values)
  }
  const soon = debounce(ms, now)
  const { cancel: stopWaiting } = soon
  const cancel = (): void => {
    stopWaiting()
    current.abort()
  }
  screen.addEventListener('abort', cancel)
  return Object.assign(soon, { now, cancel })
}

/** Milliseconds since the epoch by the reader's clock. */
export function now(): number {
  return Date.now()
}
