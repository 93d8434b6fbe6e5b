/**
 * Keeps the pictures of items as they are due, two at a time, beside the fetches of feeds and behind their headlines. What is due
 * stands in the store (store/feeds/item-pictures.ts): a restart goes on there, and of the nodes of a cluster one does the work.
 */
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import { repeat } from '../../base/repeating.ts'
import { createRunningLimit } from '../../base/running-limit.ts'
import { headline } from '../../models/headline.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { KeptItemPictures } from './kept-item-pictures.ts'

/** Of the connections that fetches of feeds have as well, and each with a picture in memory. */
const PICTURES_MAX = 2
const ROUND_MAX = 20
/** Timers do not follow a clock that is set, and a node may become the keeper: the store is looked at so often. */
const LOOK_MS = MINUTE_MS

export interface ItemPictureWorkOptions {
  readonly store: Pick<ReadStore, 'feeds' | 'history'>
  readonly keeping: KeptItemPictures
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export function startItemPictures({ store, keeping, isOnDuty = () => true, now, log }: ItemPictureWorkOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  const inTurn = createRunningLimit(PICTURES_MAX)
  const isReady = (): boolean => isOnDuty() && keeping.isAddressKnown()

  /** Returns how long to wait for the next look. */
  const keepDue = async (): Promise<number> => {
    while (!signal.aborted) {
      if (!isReady()) return LOOK_MS
      const due = store.feeds.duePictures(now(), ROUND_MAX)
      if (due.length === 0) break
      const done = await Promise.allSettled(due.map((address) => inTurn(() => keeping.keep(address, signal))))
      const failed = done.find((one) => one.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
    return Math.min(LOOK_MS, Math.max(SECOND_MS, (store.feeds.nextPictureAt() ?? Infinity) - now()))
  }
  const onError = (error: unknown): number => {
    if (!signal.aborted) log.error('feed.pictures_failed', { error })
    return LOOK_MS
  }
  const work = repeat(keepDue, { onError })
  /** Items that came since; what runs looks for them itself. */
  const onItems = (): void => {
    if (work.current() === undefined && isReady() && (store.feeds.nextPictureAt() ?? Infinity) <= now()) void work.wake()
  }
  const stopListening = store.history.onChanges(onItems, { models: placesOf(headline, true) })

  return {
    /** Resolves when nothing is due and nothing runs. */
    idle: work.wake,
    /** Aborts what runs: it stays due. */
    async stop(): Promise<void> {
      stopListening()
      stopping.abort()
      await work.stop()
    },
  }
}
