/** The program of the thread in which many copies follow a change. */
import { getPriority, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { runTasks } from '../../base/thread.ts'
import { VERSION } from '../../base/version.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { SYSTEM } from '../../store/actor.ts'
import type { FollowedStep } from '../../store/references/reference-progress.ts'
import { openedDataDir } from '../../store/db/data-dir.ts'
import { openStore } from '../../store/open-store.ts'

/** Documents that a step changes: it has the write lock for some milliseconds. */
const DOCUMENTS_PER_STEP = 4
const BURST_MS = 100
const PAUSE_MS = { min: 1, max: 100 }
/** On Linux, the priority is that of the thread that sets it (setpriority(2), notes); elsewhere of the whole process. */
const [LOWER_BY, PRIORITY_LOWEST] = [10, 19]

export interface FollowThreadData {
  readonly dataDir: string
  /** Whether deleted content goes to the trash. */
  readonly trash: boolean
  /** Of the store of the service. */
  readonly pageDescriptor: number
}

export interface FollowTask {
  /** The change up to which there was nothing to do. */
  readonly upTo: number
  /** How many times as long as a step the pause behind it is. */
  readonly pausesPerStep: number
}

const { dataDir, trash, pageDescriptor } = workerData as FollowThreadData
if (process.platform === 'linux') setPriority(Math.min(PRIORITY_LOWEST, getPriority() + LOWER_BY))
const dir = openedDataDir(dataDir)
const store = openStore({ dir, models: STORED_MODELS, version: VERSION, now: systemClock, trash, pageDescriptor })
const own = store.as(SYSTEM)

runTasks(async ({ upTo, pausesPerStep }: FollowTask): Promise<FollowedStep> => {
  const until = performance.now() + BURST_MS
  let [changed, from] = [0, upTo]
  for (;;) {
    const since = performance.now()
    await store.giveWay()
    const step = await own.followReferences(from, DOCUMENTS_PER_STEP)
    changed += step.changed
    from = step.progress.seq
    const now = performance.now()
    await pause(Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, (now - since) * pausesPerStep)))
    if (now > until || (step.changed === 0 && step.progress.work === undefined)) return { ...step, changed }
  }
})
