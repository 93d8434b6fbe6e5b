/**
 * Rounds of jobs, one after the other for as long as there is something to do. A round runs in slices, so that other
 * requests are served in between, and rounds take at most half of the time. Within a round, callers take turns
 * (fair-queue.ts): one with many jobs, or long ones, delays the others by a slice for each of theirs.
 */
import { nextTurn, pause } from '../../base/pause.ts'
import { createFairQueue, type Waiting } from '../../store/query/threads/fair-queue.ts'

/** What a turn of the event loop may take: a request that comes meanwhile waits for one slice in each of its turns. */
const SLICE_MS = 0.5
/** A shorter round is followed by the next immediately. */
const PAUSED_MS_MIN = 5

export interface Job extends Pick<Waiting, 'caller' | 'class'> {
  /** Works for as long as it is allowed, and at least a little. `again`: there is more to do in the next round, immediately. */
  run(mayGoOn: () => boolean): 'unfinished' | 'again' | 'done'
}

/** The jobs of one caller in a round. One is unfinished at a time, so that pages that are read in part are few. */
interface JobsOfCaller extends Waiting {
  readonly jobs: Job[]
}

/** `jobs` gives those of a round, and none where there is nothing to do; `ticks` is in milliseconds. */
export function createRounds(jobs: () => readonly Job[], ticks: () => number) {
  let [isRunning, isDue, rounds] = [false, false, 0]

  async function round(): Promise<void> {
    rounds++
    const queue = createFairQueue<JobsOfCaller>({ lineMax: 1, weightMax: Infinity })
    for (const [caller, ofCaller] of Map.groupBy(jobs(), ({ caller }) => caller)) {
      queue.add({ caller, class: ofCaller[0]?.class ?? 'guest', weight: 1, jobs: ofCaller })
    }
    let since = ticks()
    const mayGoOn = (): boolean => ticks() - since < SLICE_MS
    for (let next = queue.take(() => true); next !== undefined; next = queue.take(() => true)) {
      if (!mayGoOn()) {
        await nextTurn()
        since = ticks()
      }
      const outcome = next.jobs[0]?.run(mayGoOn)
      if (outcome === 'again') isDue = true
      if (outcome !== 'unfinished') next.jobs.shift()
      if (next.jobs.length > 0) queue.add(next)
    }
  }
  async function run(): Promise<void> {
    isRunning = true
    while (isDue) {
      isDue = false
      const start = ticks()
      await round()
      const took = ticks() - start
      if (isDue) await (took > PAUSED_MS_MIN ? pause(took) : nextTurn())
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
