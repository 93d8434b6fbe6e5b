/**
 * The threads for queries that take long: few, bounded in time, and shared fairly (fair-slots.ts).
 *
 * A query gets a deadline from the moment it runs. The slot of one that misses it is free again when its thread has
 * stopped: immediately where the thread obeys, after its `exit` where it has to be ended. So there are never more threads than
 * slots.
 */
import { availableParallelism } from 'node:os'
import type { Clock } from '../../../base/clock.ts'
import type { QueryPlan } from '../../../models/responses.ts'
import type { Answer, FindQuery, QueryCaller } from '../find-query.ts'
import { createFairSlots, stopping } from './fair-slots.ts'
import { readAnswer, type QueryMessage, type ScanTask } from './query-message.ts'
import { endScanThreads, startScanThread, type ScanResult, type ScanThread } from './scan-thread.ts'

export interface PoolLimits {
  /** Threads that every caller may have a query in. */
  readonly threads: number
  readonly deadlineMs: number
  /** How long a query waits for a thread. */
  readonly waitMsMax?: number
}

/**
 * All cores but one, which stays free for everything else, and four at most: with its heap of 64 MiB and its program, each
 * takes 20 to 90 MiB. One more is for dashboard roles alone, so that administrators can look at the site while readers
 * keep all others busy. So one core has 1 + 1 threads, two have 1 + 1, four have 3 + 1, and eight have 4 + 1. They start
 * when they are first needed.
 */
const SHARED_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))
const RESERVED_THREADS = 1
const PROGRAM = new URL('./scan-worker.ts', import.meta.url)
const POOL_LIMITS: PoolLimits = { threads: SHARED_THREADS, deadlineMs: 2_000 }

/** Queries of one user at the same time; a guest has one, and a dashboard role never all threads. */
const PER_USER = 2
/** Of the deadline: a query that is explained is ended after it, so that there is time for the response. */
const EXPLAIN_SHARE = 0.75
/** For the threads to end when the pool is closed. */
const END_MS_MAX = 300

export interface PoolOptions {
  /** The database. */
  readonly file: string
  readonly now: Clock
  readonly limits?: Partial<PoolLimits>
  /** Another program for the threads, for tests. */
  readonly program?: URL
}

export type ScanPool = ReturnType<typeof createScanPool>

export function createScanPool({ file, now, limits: narrower, program = PROGRAM }: PoolOptions) {
  const limits: PoolLimits = { ...POOL_LIMITS, ...narrower }
  const slots = createFairSlots(
    {
      slots: limits.threads + RESERVED_THREADS,
      reserved: RESERVED_THREADS,
      perCaller: { guest: 1, user: Math.min(PER_USER, limits.threads), dashboard: limits.threads },
      ...(limits.waitMsMax === undefined ? {} : { waitMsMax: limits.waitMsMax }),
    },
    now,
  )
  const threads = new Set<ScanThread>()
  const idle: ScanThread[] = []
  let [done, timedOut] = [0, 0]
  let isClosed = false

  const readyThread = (): ScanThread => {
    for (let one = idle.pop(); one !== undefined; one = idle.pop()) if (one.isAlive()) return one
    const started = startScanThread({ file, program })
    threads.add(started)
    started.worker.once('exit', () => threads.delete(started))
    return started
  }
  const runTask = async (task: ScanTask, caller: QueryCaller, advice: string): Promise<ScanResult> => {
    const release = await slots.take(caller, task.query.filter.length)
    const { signal } = caller
    try {
      signal?.throwIfAborted()
      // A slot that was given in the moment of the end.
      if (isClosed) throw stopping()
    } catch (error) {
      release()
      throw error
    }
    const thread = readyThread()
    const onFree = (): void => {
      if (thread.isAlive()) idle.push(thread)
      release()
    }
    const { deadlineMs } = limits
    try {
      return await thread.run(task, { deadlineMs, advice, signal, onLate: () => timedOut++, onFree })
    } finally {
      done++
    }
  }
  return {
    /** Runs a query in a thread. Throws badRequest past the deadline, with `advice`; else what fair-slots.ts says. */
    async run<Query extends FindQuery>(query: QueryMessage, caller: QueryCaller, advice: string): Promise<Answer<Query>> {
      const result = await runTask({ kind: 'find', query }, caller, advice)
      if (result.kind === 'explained') throw new Error('The thread did something else')
      return readAnswer<Query>(result)
    },
    /** Explains a query within the same bounds; a run that would miss the deadline is ended before. */
    async explain(query: QueryMessage, caller: QueryCaller, advice: string): Promise<QueryPlan> {
      const msMax = Math.floor(limits.deadlineMs * EXPLAIN_SHARE)
      const result = await runTask({ kind: 'explain', query, msMax }, caller, advice)
      if (result.kind !== 'explained') throw new Error('The thread did something else')
      return result.plan
    },
    /** `done`: those that a thread had, whatever came of them. */
    counts: () => ({ ...slots.counts(), done, timedOut }),
    slots,
    /** Rejects what waits and what runs, and ends the threads; it waits for them for a moment, whatever they do. */
    async close(): Promise<void> {
      isClosed = true
      slots.close()
      await endScanThreads([...threads], END_MS_MAX, stopping())
    },
  }
}
