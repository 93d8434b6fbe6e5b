/**
 * Lets copies of documents follow the change log, beside all other work: in steps of less than a millisecond, each followed by
 * a pause of several times as long, so that requests have most of the time. What others write waits for one step at most.
 */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { SYSTEM } from '../store/actor.ts'
import type { FollowedStep } from '../store/references/reference-progress.ts'
import type { Store } from '../store/store.ts'

/** A step has a fifth of the time. */
const PAUSES_PER_STEP = 4
const PAUSE_MS_MAX = 250
/** The place in the log is stored at the latest behind so many changes that need nothing. */
const CHANGES_UNSTORED_MAX = 5_000
/** Behind an error of the disk, and how often a node looks whether it has become the keeper. */
const RETRY_MS = 1_000

export interface ReferenceWorkOptions {
  readonly store: Pick<Store, 'as' | 'onChanges' | 'referenceWork' | 'referenceProgress' | 'changeRange'>
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty: (() => boolean) | undefined
  readonly metrics: Metrics
  /** Milliseconds of a clock that is never set. */
  readonly ticks?: () => number
  /** Called behind each step. */
  readonly onStep?: (step: FollowedStep) => void
  readonly log: Log
}

export type ReferenceWork = ReturnType<typeof startReferenceWork>

export function startReferenceWork(options: ReferenceWorkOptions) {
  const { store, isOnDuty = () => true, metrics, ticks = () => performance.now(), onStep, log } = options
  const own = store.as(SYSTEM)
  let looked = 0
  let stored = store.referenceProgress().seq
  let isStopped = false
  let isWanted = false
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let endPause = (): void => {}
  const followed = metrics.counter('dateline_references_followed_total', 'Documents whose copies of others were brought up to date.')
  metrics.gauge('dateline_references_waiting', 'Documents that hold copies of the document whose change they follow now.', () => {
    const { work } = store.referenceProgress()
    return [[{}, work === undefined ? 0 : Math.max(0, work.total - work.done)]]
  })

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wait = setTimeout(resolve, ms).unref()
      endPause = () => {
        clearTimeout(wait)
        resolve()
      }
    })
  const step = async (): Promise<void> => {
    const since = ticks()
    const done = await own.followReferences(looked)
    looked = stored = done.progress.seq
    if (done.changed > 0) followed({}, done.changed)
    onStep?.(done)
    if (!isStopped) await pause(Math.min(PAUSE_MS_MAX, Math.max(1, (ticks() - since) * PAUSES_PER_STEP)))
  }
  const work = async (): Promise<void> => {
    while (!isStopped && isOnDuty()) {
      isWanted = false
      const { upTo, found, hasMore } = store.referenceWork(looked)
      looked = upTo
      if (found || looked - stored > CHANGES_UNSTORED_MAX) await step()
      else if (hasMore) await pause(1)
      else return
    }
  }
  const wake = (): void => {
    isWanted = true
    if (running !== undefined || isStopped) return
    running = work()
      .catch((error: unknown) => {
        log.error('references.failed', { error })
        later()
      })
      .finally(() => {
        running = undefined
        // One that is not on duty may be later, and is not told.
        if (!isOnDuty()) later()
        else if (isWanted && timer === undefined) wake()
      })
  }
  const later = (): void => {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      wake()
    }, RETRY_MS).unref()
  }
  const stopListening = store.onChanges(wake)
  wake()
  return {
    /** Resolves when all copies have followed. */
    async idle(): Promise<void> {
      wake()
      while (running !== undefined) await running
    },
    async stop(): Promise<void> {
      isStopped = true
      stopListening()
      clearTimeout(timer)
      endPause()
      await running
    },
  }
}
