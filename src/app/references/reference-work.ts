/**
 * Lets copies of documents follow the change log, beside all other work. Few copies follow in the event loop, in steps of
 * about a millisecond; many follow in a thread, whose steps are longer. Each step is followed by a pause, which is several times as long
 * while the event loop is busy. What others write waits for one step at most.
 */
import { performance } from 'node:perf_hooks'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { pause } from '../../base/pause.ts'
import { repeat } from '../../base/repeating.ts'
import { SYSTEM } from '../../store/actor.ts'
import type { FollowedStep } from '../../store/references/reference-progress.ts'
import type { ReferenceThread } from './reference-thread.ts'
import type { Store } from '../../store/store.ts'

/** A step has a fifth of the time while the event loop is busy all the time. */
const PAUSES_PER_STEP = 4
/** A thread is started for so many documents. */
const IN_THREAD_MIN = 64
const PAUSE_MS_MAX = 250
/** The place in the log is stored at the latest behind so many changes that need nothing. */
const CHANGES_UNSTORED_MAX = 5_000
/** Behind an error of the disk, and how often a node looks whether it has become the keeper. */
const RETRY_MS = 1_000

export interface ReferenceWorkOptions {
  readonly store: Pick<Store, 'as' | 'history' | 'references'>
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty: (() => boolean) | undefined
  readonly metrics: Metrics
  /** Starts the thread in which many copies follow; without it, all follow in the event loop. */
  readonly startThread?: () => ReferenceThread
  /** Called behind each step. */
  readonly onStep?: (step: FollowedStep) => void
  readonly log: Log
}

export function startReferenceWork(options: ReferenceWorkOptions) {
  const { store, isOnDuty = () => true, metrics, startThread, onStep, log } = options
  const own = store.as(SYSTEM)
  const stopping = new AbortController()
  const { signal } = stopping
  let looked = 0
  let stored = store.references.progress().seq
  let [thread, isThreadLost] = [undefined as ReferenceThread | undefined, false]
  let lastLoad = performance.eventLoopUtilization()
  const followed = metrics.counter('dateline_references_followed_total', 'Documents whose copies of others were brought up to date.')
  metrics.gauge('dateline_references_waiting', 'Documents that hold copies of the document whose change they follow now.', () => {
    const { work } = store.references.progress()
    return [[{}, work === undefined ? 0 : Math.max(0, work.total - work.done)]]
  })

  /** The share of the time since the last call that the event loop was busy. */
  const load = (): number => {
    const [before, now] = [lastLoad, performance.eventLoopUtilization()]
    lastLoad = now
    return performance.eventLoopUtilization(now, before).utilization
  }
  const stepHere = async (): Promise<FollowedStep> => {
    const since = performance.now()
    const done = await own.followReferences(looked)
    await pause(Math.min(PAUSE_MS_MAX, Math.max(1, (performance.now() - since) * PAUSES_PER_STEP)), signal)
    return done
  }
  /** The thread pauses by itself. One that fails is not started again until nothing is left to do. */
  const stepsIn = async (start: () => ReferenceThread): Promise<FollowedStep> => {
    try {
      thread ??= start()
      return await thread.follow({ upTo: looked, pausesPerStep: PAUSES_PER_STEP * load() })
    } catch (error) {
      isThreadLost = true
      throw error
    }
  }
  const step = async (changedBefore: number): Promise<number> => {
    const isMuch = Math.max(changedBefore, store.references.progress().work?.total ?? 0) >= IN_THREAD_MIN
    const done = startThread !== undefined && isMuch && !isThreadLost ? await stepsIn(startThread) : await stepHere()
    looked = stored = done.progress.seq
    if (done.changed > 0) followed({}, done.changed)
    onStep?.(done)
    return done.changed
  }
  /** Takes steps until there is nothing to do. Returns when to look again. */
  const followAll = async (): Promise<number> => {
    let changed = 0
    try {
      while (!signal.aborted && isOnDuty()) {
        const { upTo, found, hasMore } = store.references.lookForWork(looked)
        looked = upTo
        if (found || looked - stored > CHANGES_UNSTORED_MAX) changed += await step(changed)
        else if (hasMore) await pause(1, signal)
        else {
          isThreadLost = false
          return Infinity
        }
      }
      // One that is not on duty may be later, and is not told.
      return RETRY_MS
    } finally {
      await thread?.end()
      thread = undefined
    }
  }
  const onError = (error: unknown): number => {
    log.error('references.failed', { error })
    return RETRY_MS
  }
  const work = repeat(followAll, { onError })
  const stopListening = store.history.onChanges(() => void work.wake())
  return {
    /** Resolves when all copies have followed. */
    idle: work.wake,
    async stop(): Promise<void> {
      stopping.abort()
      stopListening()
      await work.stop()
    },
  }
}
