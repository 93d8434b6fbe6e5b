/**
 * Runs a query in one of two places: a short one immediately (short-queries.ts), everything else in a thread (scan-pool.ts).
 * A query that turns out longer than expected starts again in a thread.
 */
import type { Arrivals } from '../../../base/arrivals.ts'
import type { Clock } from '../../../base/clock.ts'
import { MINUTE_MS } from '../../../base/duration.ts'
import type { CallerClass } from '../../../models/caller.ts'
import type { QueryPlan } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import type { Database } from '../../db/database.ts'
import { indexColumns } from '../../schema/indexes.ts'
import type { FindQuery, QueryCaller } from '../find-query.ts'
import type { FairSlots, SlotCounts } from './fair-slots.ts'
import { writeQuery } from './query-message.ts'
import { createScanPool } from './scan-pool.ts'
import { createShortQueries, createShortWork, type AnswerInThread } from './short-queries.ts'
import { createTurnLane, createTurnShare } from './turn-lane.ts'

/** Counts of queries since the start, and of those that run and wait now. */
export interface QueryCounts {
  /** On the main thread. */
  readonly inline: number
  /** In a thread, those that failed, were aborted or timed out included. */
  readonly worker: number
  readonly timedOut: number
  /** For any of the reasons below. */
  readonly refused: number
  readonly refusedBecause: {
    /** The maximum of queries of the caller waited. */
    readonly lineFull: number
    /** The maximum of queries of all callers waited. */
    readonly allFull: number
    readonly waitedTooLong: number
  }
  /** Those whose client disconnected while they waited. */
  readonly abandoned: number
  /** Those that had to wait and got their turn, and how long they waited in all. */
  readonly waited: number
  readonly waitedMs: number
  readonly running: Readonly<Record<CallerClass, number>>
  readonly waiting: Readonly<Record<CallerClass, number>>
}

export interface FinderOptions {
  readonly file: string
  readonly now: Clock
  readonly arrivals: Pick<Arrivals, 'areMany'>
  readonly queryDeadlineMs: number | undefined
  /** Makes all reads of this turn of the event loop see one snapshot. */
  readonly beginRead: () => void
  /** A number that differs when a row may have changed since, in the snapshot of this turn. */
  readonly changes: () => number
}

export function createFinder(database: Database, options: FinderOptions) {
  const { file, now, arrivals, queryDeadlineMs, beginRead, changes } = options
  const limits = queryDeadlineMs === undefined ? {} : { deadlineMs: queryDeadlineMs }
  const pool = createScanPool({ file, now, limits })
  const share = createTurnShare(arrivals)
  const lane = createTurnLane({ now, arrivals })
  const pause = createReaderPause(pool.slots, now)
  let inline = 0

  const inThread: AnswerInThread = (model, query, caller) => pool.run(writeQuery(model.name, query), caller, advice(model))

  const answer = createShortQueries(database, { share, beginRead, changes, inThread, onAnswer: () => inline++ })

  return {
    answer,
    inTurns: createShortWork({ share, lane }),
    explain: (model: Model, query: FindQuery, caller: QueryCaller): Promise<QueryPlan> =>
      pool.explain(writeQuery(model.name, query), caller, advice(model)),
    counts(): QueryCounts {
      const { done, timedOut, ...threads } = pool.counts()
      return { inline, worker: done, timedOut, ...together(threads, lane.slots.counts()) }
    },
    /** Starts no long query until the running ones are done and `settle` has succeeded, for some seconds at most. */
    pauseFor: pause.request,
    async close(): Promise<void> {
      pause.close()
      share.close()
      await Promise.all([lane.close(), pool.close()])
    },
  }
}

function together(threads: SlotCounts, lane: SlotCounts): Omit<QueryCounts, 'inline' | 'worker' | 'timedOut'> {
  const added = <Name extends string>(
    a: Readonly<Record<Name, number>>,
    b: Readonly<Record<Name, number>>,
  ): Record<Name, number> => {
    const names = Object.keys(a) as Name[]
    return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<Name, number>
  }
  const refusedBecause = added(threads.refused, lane.refused)
  return {
    refused: refusedBecause.lineFull + refusedBecause.allFull + refusedBecause.waitedTooLong,
    refusedBecause,
    abandoned: threads.abandoned + lane.abandoned,
    waited: threads.waited + lane.waited,
    waitedMs: threads.waitedMs + lane.waitedMs,
    running: added(threads.running, lane.running),
    waiting: added(threads.waiting, lane.waiting),
  }
}

function advice(model: Model): string {
  const paths = [...new Set(model.indexes.flatMap((index) => indexColumns(index).map(({ path }) => path)))]
  const fast = paths.length === 0 ? '"id"' : paths.map((path) => `"${path}"`).join(', ')
  return `Cannot answer this query of ${model.name} in time: narrow the filter or sort by what has an index, which is ${fast}`
}

/*
 * A moment without long queries, so that the WAL can be restarted.
 *
 * SQLite appends to its WAL while a reader is in it (sqlite.org/wal.html#avoiding_excessively_large_wal_files). A flood of
 * long queries always leaves a reader in it: the WAL would grow with every write until the disk is full, and keep what
 * was deleted. So now and then no query starts until the running ones are done and the WAL is empty. Queries wait in
 * their lines meanwhile, as they do for their turn.
 */

const POLL_MS = 20
/** Longer than a query may run by default, and than moving a WAL of 16 MiB takes. */
const PAUSE_MS_MAX = 4_000
/** After a pause without success: something else reads an old state, such as a backup. */
const RETRY_MS = MINUTE_MS

type Pausable = Pick<FairSlots, 'counts' | 'hold' | 'resume'>

function createReaderPause(threads: Pausable, now: Clock) {
  let timer: NodeJS.Timeout | undefined
  let notBefore = Number.NEGATIVE_INFINITY

  const isQuiet = (): boolean => {
    const { guest, user, dashboard } = threads.counts().running
    return guest + user + dashboard === 0
  }
  const end = (): void => {
    clearInterval(timer)
    timer = undefined
    threads.resume()
  }
  return {
    /** Starts a pause where there is none. `settle` is called while no query runs, until it returns true. */
    request(settle: () => boolean): void {
      if (timer !== undefined || now() < notBefore) return
      threads.hold()
      let polls = 0
      timer = setInterval(() => {
        if (isQuiet() && settle()) return end()
        if (++polls * POLL_MS < PAUSE_MS_MAX) return
        notBefore = now() + RETRY_MS
        end()
      }, POLL_MS)
    },
    close: end,
  }
}
