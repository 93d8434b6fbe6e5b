/** Waiting, in one place: everything in the page that happens later goes through here. */

/** Runs after a pause, unless it is called off by the function that comes back. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Runs again and again with pauses, until the signal ends it. */
export function every(ms: number, signal: AbortSignal, run: () => void): void {
  if (signal.aborted) return
  const timer = setInterval(run, ms)
  signal.addEventListener('abort', () => clearInterval(timer))
}

export interface Debounced<A extends readonly unknown[]> {
  /** Puts the run off again. */
  (...values: A): void
  /** Runs at once what waits. */
  flush(): void
  cancel(): void
}

/** A function that runs once its calls have paused, with the values of the last. */
export function debounce<A extends readonly unknown[]>(ms: number, run: (...values: A) => void): Debounced<A> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let last: A | undefined
  const fire = (): void => {
    clearTimeout(timer)
    const values = last
    last = undefined
    if (values !== undefined) run(...values)
  }
  const put = (...values: A): void => {
    last = values
    clearTimeout(timer)
    timer = setTimeout(fire, ms)
  }
  const cancel = (): void => {
    last = undefined
    clearTimeout(timer)
  }
  return Object.assign(put, { flush: fire, cancel })
}

/** Milliseconds since the epoch by the reader's clock. */
export function now(): number {
  return Date.now()
}
