/**
 * What follows changes in this thread: streams, and requests that wait. A commit that has changed a document causes a round
 * over all of them, in which a page is read, matched and written as text once for those that see the same.
 */
import type { Log } from '../../base/log.ts'
import type { ChangePages } from './change-pages.ts'
import { createChangeWaits } from './change-waits.ts'
import type { Following } from './following.ts'
import { CATCH_UP_BYTES, createOpenStreams, type OpenedStream } from './open-streams.ts'
import { createPageMemo } from './page-memo.ts'
import type { PageBounds, ChangePage } from './page-reading.ts'
import type { Presence } from './presence.ts'
import { createRounds } from './rounds.ts'

export const TICK_MS = 1_000
/** Of one page of a stream: what may be unread ahead of the next. */
const PAGE: PageBounds = { limit: 100, charsMax: CATCH_UP_BYTES }

export interface StreamsOptions {
  readonly pages: ChangePages
  /** A number that differs whenever anything may have changed in the database. */
  readonly changes: () => number
  readonly ticks: () => number
  readonly log: Log
  /** Who edits what, over the streams of all threads. */
  readonly presence: Presence
  /** Calls `wake` behind commits and `tick` every second until it is stopped: only while something follows. */
  readonly listen: (wake: () => void, tick: () => void) => () => void
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>

export function createChangeStreams({ pages, changes, ticks, log, presence, listen }: StreamsOptions) {
  let [read, checkedAt, isClosing] = [0, Number.NaN, false]
  let stopListening: (() => void) | undefined
  const streams = createOpenStreams({ pages, log, presence, onChange: listenWhileOpen, wake: () => rounds.wake() })
  const waits = createChangeWaits(pages, listenWhileOpen)
  const rounds = createRounds(() => [...streams.jobs(createPageMemo(pages, PAGE, () => read++)), ...waits.jobs()], ticks)

  function listenWhileOpen(): void {
    if (streams.size() + waits.size() > 0) stopListening ??= listen(rounds.wake, tick)
    else {
      stopListening?.()
      stopListening = undefined
    }
  }
  /** A sign-out changes no document: it is found out here. */
  function tick(): void {
    const now = changes()
    if (now !== checkedAt) rounds.wake()
    checkedAt = now
    streams.tick()
  }

  return {
    counts: () => ({ open: streams.size(), waiting: waits.size(), rounds: rounds.count(), pages: read, cuts: streams.cuts() }),
    /** Sends what is behind the seq, and from then on every change, until the session or the connection ends. */
    follow(reading: Following, opened: OpenedStream): () => void {
      const remove = streams.add(reading, opened)
      if (isClosing) opened.sink.end()
      else rounds.wake()
      return remove
    },
    /** The first page with a change behind the seq; an empty one when the signal aborts. Rejects when the session ends. */
    wait(reading: Following, limit: number, signal: AbortSignal): Promise<ChangePage> {
      const page = waits.wait(reading, limit, signal)
      if (isClosing) waits.close()
      else rounds.wake()
      return page
    },
    /** Ends all streams, whose clients connect again after a moment, and answers what waits. */
    close(): void {
      isClosing = true
      streams.close()
      waits.close()
    },
  }
}
