/**
 * Repeats work: one run at a time, the next after the pause that the run resolves with, or as soon as it is woken. Behind a pause of
 * Infinity it has to be woken. Timers keep no process alive.
 */
import type { Awaitable } from './awaitable.ts'

/** setTimeout() takes no longer time than this, and calls back immediately after one that is (Node's timers.md). */
const PAUSE_MS_MAX = 2 ** 31 - 1

export interface RepeatOptions {
  /** Before the first run, which is made immediately without it. */
  readonly firstMs?: number
  /** Called with what a run throws; gives the pause then. */
  readonly onError: (error: unknown) => number
}

/** Starts to repeat `run`, which resolves with the milliseconds until the next run. */
export function repeat(run: () => Awaitable<number>, { firstMs = 0, onError }: RepeatOptions) {
  let running: Promise<void> | undefined
  let [isWoken, isStopped] = [false, false]
  let timer: NodeJS.Timeout | undefined

  const runOnce = async (): Promise<void> => {
    isWoken = false
    const pauseMs = await Promise.resolve().then(run).catch(onError)
    running = undefined
    if (isStopped) return
    if (isWoken) start()
    else sleep(pauseMs)
  }
  const start = (): void => {
    clearTimeout(timer)
    running = runOnce()
  }
  const sleep = (ms: number): void => {
    if (ms !== Infinity) timer = setTimeout(start, Math.min(ms, PAUSE_MS_MAX)).unref()
  }
  if (firstMs > 0) sleep(firstMs)
  else start()

  return {
    /** Runs now, or once more after the run that is made now. Resolves when nothing is run any more. */
    async wake(): Promise<void> {
      if (isStopped) return
      isWoken = true
      if (running === undefined) start()
      while (running !== undefined) await running
    },
    /** The run that is made now. */
    current: (): Promise<void> | undefined => running,
    /** Resolves when the last run has ended. */
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
