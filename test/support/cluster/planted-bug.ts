/**
 * A thread that runs schedules with a bug planted into the sources as they are loaded, until one finds a fault. The product has
 * no switch for it.
 */
import { registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const FILE = '/src/store/replica/proposals.ts'

/** What is replaced in the source, and by what. */
export const BUGS = {
  'acknowledges before the log has answered': [
    'const position = await append(body, id, jobs)',
    'settle(jobs, outcomes); const position = await append(body, id, jobs)',
  ],
  'forgets the id of its entry where the response was lost': ['idOf(next.body) === id ? next.position : undefined', 'undefined'],
  'does not ask for the newest state where nothing changes': ['(await contact.last()) === place.position()', 'true'],
} as const

export interface BugHunt {
  readonly bug: keyof typeof BUGS
  readonly seeds: readonly number[]
  readonly operations: number
}

if (parentPort !== null) await hunt(workerData as BugHunt)

async function hunt({ bug, seeds, operations }: BugHunt): Promise<void> {
  const [right, wrong] = BUGS[bug]
  let planted = 0
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(FILE)) return loaded
      planted++
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      if (!source.includes(right)) throw new Error(`Cannot plant the bug: expected "${right}" in ${FILE}`)
      return { ...loaded, source: source.replace(right, wrong) }
    },
  })
  const { runSchedule } = await import('./write-schedule.ts')
  let faults: readonly string[] = []
  for (const seed of seeds) {
    const cleanups: (() => unknown)[] = []
    faults = (await runSchedule({ after: (cleanup) => void cleanups.unshift(cleanup) }, { seed, operations })).faults
    for (const cleanup of cleanups) await cleanup()
    if (faults.length > 0) break
  }
  parentPort?.postMessage({ planted, faults })
}
