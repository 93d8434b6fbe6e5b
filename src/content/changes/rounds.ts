/**
 * Rounds of short jobs, one after the other for as long as there is something to do. A round runs in slices, so that other
 * requests are served in between, and rounds take at most half of the time.
 */
import { setTimeout as delay } from 'node:timers/promises'

/** What a turn of the event loop may take: a request that comes meanwhile waits for one slice in each of its turns. */
const SLICE_MS = 0.5
/** A shorter round is followed by the next at once. */
const PAUSED_MS_MIN = 5

/** Returns whether there is more to do at once. */
export type Job = () => boolean

/** `jobs` gives those of a round, and none where there is nothing to do; `ticks` is in milliseconds. */
export function createRounds(jobs: () => readonly Job[], ticks: () => number) {
  let [isRunning, isDue, rounds] = [false, false, 0]

  async function round(): Promise<void> {
    rounds++
    let since = ticks()
    for (const job of jobs()) {
      if (ticks() - since >= SLICE_MS) {
        await nextTurn()
        since = ticks()
      }
      if (job()) isDue = true
    }
  }
  async function run(): Promise<void> {
    isRunning = true
    while (isDue) {
      isDue = false
      const start = ticks()
      await round()
      const took = ticks() - start
      if (isDue) await (took > PAUSED_MS_MIN ? delay(took) : nextTurn())
    }
    isRunning = false
  }
  return {
    count: () => rounds,
    /** Runs a round soon: behind the one that runs, where one does. */
    wake(): void {
      isDue = true
      if (!isRunning) void run()
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
