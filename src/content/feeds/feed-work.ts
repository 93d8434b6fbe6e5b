/**
 * Fetches feeds as they are due, eight at a time. While there is no feed there is no timer, and nothing leaves the machine.
 *
 * What is due stands in the store (feed-state.ts): a restart goes on there, and of the nodes of a cluster one does the work.
 * A feed that cannot be stored, as where the disk is full, stays due and is tried again later.
 */
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import { parseJson } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import { repeat } from '../../base/repeating.ts'
import { feed, type FeedDocument } from '../../models/feed-model.ts'
import type { DueFeed } from '../../store/feeds/feed-state.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writable } from '../../store/writes/writer.ts'
import type { FeedFetches } from './feed-fetches.ts'

/** Fetches at once: as many as the client has connections. */
export const FETCHES_MAX = 8
/** Feeds whose items wait to be stored: more of them would be garbage that has grown old in memory. */
const READ_MAX = 2
/** Feeds that are looked up together: to find those that are due costs as much as all feeds. */
const WAITING_MAX = 50
/** Timers do not follow a clock that is set, and a node may become the keeper: the store is looked at so often. */
const LOOK_MS = MINUTE_MS
/** Between two looks, whatever is due. */
const LOOK_MIN_MS = 1_000

export interface FeedWorkOptions {
  readonly store: Pick<ReadStore, 'feeds' | 'documents' | 'history'> & Writable
  readonly fetches: FeedFetches
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export type FeedWork = ReturnType<typeof startFeedWork>

export function startFeedWork({ store, fetches, isOnDuty = () => true, now, log }: FeedWorkOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  /** What runs: `done` rejects where it cannot be stored, `settled` does not. */
  const running = new Map<string, { readonly done: Promise<unknown>; readonly settled: Promise<void> }>()
  /** Feeds that could not be stored, and when each is tried again. */
  const postponed = new Map<string, number>()
  /** Due, and next in line. */
  let waiting: DueFeed[] = []

  const begin = (due: DueFeed): Promise<unknown> => {
    waiting = waiting.filter(({ id }) => id !== due.id)
    const done = fetches.fetch(due, signal)
    const settled = done
      .then(() => void postponed.delete(due.id))
      .catch((error: unknown) => {
        log.error('feed.failed', { feed: due.id, error })
        postponed.set(due.id, now() + LOOK_MS)
      })
      .finally(() => {
        running.delete(due.id)
        void looks.wake()
      })
    running.set(due.id, { done, settled })
    return done
  }
  /** While items wait to be stored, one fetch begins where one ends; while none do, as where servers are slow, as many as may run. */
  const placesLeft = (): number => {
    const [free, read] = [Math.max(0, FETCHES_MAX - running.size), fetches.waiting()]
    return read === 0 ? free : read < READ_MAX ? Math.min(1, free) : 0
  }
  /** Begins what is due. Returns how long to wait for the next look; Infinity where a fetch that ends, or a new feed, looks again. */
  const beginDue = (): number => {
    if (signal.aborted) return Infinity
    if (!isOnDuty()) waiting = []
    else if (waiting.length === 0) {
      const due = store.feeds.dueFeeds(now(), WAITING_MAX + running.size + postponed.size)
      waiting = due.filter(({ id }) => !running.has(id) && (postponed.get(id) ?? 0) <= now())
    }
    for (const one of waiting.splice(0, placesLeft())) void begin(one)
    if (waiting.length > 0 || running.size >= FETCHES_MAX) return Infinity
    const nextAt = store.feeds.nextFeedAt()
    return nextAt === undefined ? Infinity : Math.min(LOOK_MS, Math.max(LOOK_MIN_MS, nextAt - now()))
  }
  const onError = (error: unknown): number => {
    log.error('feeds.failed', { error })
    return LOOK_MS
  }
  const looks = repeat(beginDue, { onError })
  const onFeeds = (): void => {
    waiting = []
    void looks.wake()
  }
  const stopListening = store.history.onChanges(onFeeds, { models: [feed] })

  return {
    /**
     * Fetches a feed now, whenever it is due; joins a fetch that runs. Rejects where it cannot be stored. A process that is not
     * on duty makes it due.
     */
    async fetchNow(id: string): Promise<void> {
      const text = store.documents.get(feed, id)
      if (text === undefined) return
      const known = store.feeds.feedState(id)
      if (isOnDuty()) return void (await (running.get(id)?.done ?? begin({ id, text, state: known?.state })))
      const { address } = parseJson(text) as unknown as FeedDocument
      if (known !== undefined) await store.as({ kind: 'feed', id }).putFeedState({ ...known, nextAt: now() }, address)
    },
    /** Resolves when nothing is due and nothing runs. */
    async idle(): Promise<void> {
      for (await looks.wake(); running.size > 0; await looks.wake()) await Promise.all([...running.values()].map(({ settled }) => settled))
    },
    /** Aborts what runs: it stays due. */
    async stop(): Promise<void> {
      stopListening()
      stopping.abort()
      await looks.stop()
      await Promise.all([...running.values()].map(({ settled }) => settled))
    },
  }
}
