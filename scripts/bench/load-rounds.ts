/** Rounds of load on several servers in turn, so that what else the machine does meets all of them. */
import type { ChildProcess } from 'node:child_process'
import { median } from '../tools/percentile.ts'
import { measureLoad, WARM_UP_MS, WINDOW_MS, type LoadFigures, type LoadJob } from './load-job.ts'

const ROUNDS = 3
export const ROUND_SECONDS = (ROUNDS * (WARM_UP_MS + WINDOW_MS)) / 1000

export interface Summary extends LoadFigures {
  /** Largest minus smallest rate, as a share of the median. */
  readonly spread: number
}

/** Medians of each figure, in the order of the jobs. The order within a round is reversed every other time. */
export async function runRounds(generator: ChildProcess, jobs: readonly LoadJob[]): Promise<readonly Summary[]> {
  const figures = jobs.map((): LoadFigures[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const order = [...jobs.entries()]
    for (const [i, job] of round % 2 === 0 ? order : order.reverse()) figures[i]?.push(await measureLoad(generator, job))
  }
  return figures.map(summarize)
}

function summarize(rounds: readonly LoadFigures[]): Summary {
  const of = (name: keyof LoadFigures): number => median(rounds.map((one) => one[name]))
  const rates = rounds.map(({ perSecond }) => perSecond)
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuMicros: of('cpuMicros'),
    serverBusy: of('serverBusy'),
    loadBusy: of('loadBusy'),
    spread: (Math.max(...rates) - Math.min(...rates)) / of('perSecond'),
  }
}
