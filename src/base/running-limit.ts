/** Lets a number of tasks run at the same time; others wait for their turn in the order of their calls. */

export function createRunningLimit(max: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // The turn passes on.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
