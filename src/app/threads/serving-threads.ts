/**
 * The threads that serve beside the main thread. One that ends by itself, after an error or out of memory, loses its
 * connections and nothing else: what the main thread did for it is aborted, and another takes its place.
 */
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import { addCounters, type Metrics, type ThreadSamples } from '../../base/metrics.ts'
import { within } from '../../base/pause.ts'
import { endThreads } from '../../base/thread.ts'
import { startServingThread, type ServingThread } from './serving-thread.ts'
import type { MainView } from './shared-memory.ts'
import type { ServingData, TellServing } from './thread-messages.ts'
import type { ThreadRequests } from './thread-requests.ts'

/** Before a thread takes the place of one that ended: twice as long each time, until one has lived for a while. */
const RESTART_MS = { min: 100, max: 30_000 }
const LIVED_MS = MINUTE_MS
/** The number of the main thread. */
const MAIN = 0
/** For a thread to end after its connections have. */
const END_MS_MAX = 2_000

export interface ThreadsOptions {
  /** With the main thread. */
  readonly threads: number
  /** Ends a connection of a client in the main thread. */
  readonly endOneOf: (clientKey: string) => boolean
  /** What a thread gets at its start, as it is then. */
  readonly dataOf: (thread: number) => ServingData
  readonly requests: ThreadRequests
  readonly view: Pick<MainView, 'forget'>
  readonly metrics: Metrics
  readonly now: Clock
  readonly log: Log
  /** For running requests when the threads are closed. */
  readonly closeMs: number
}

export function startServingThreads(options: ThreadsOptions) {
  const { threads, endOneOf, dataOf, requests, view, metrics, now, log, closeMs } = options
  const running = new Map<number, ServingThread>()
  const timers = new Set<NodeJS.Timeout>()
  const allReady = Promise.withResolvers<void>()
  /** Counters of threads that have ended. */
  let retired: ThreadSamples = new Map()
  let [isClosing, restarts] = [false, 0]
  const all = (): readonly ServingThread[] => [...running.values()]

  /** Ends a connection of a client in the first thread that can; false where none can. */
  async function endElsewhere(clientKey: string, except: number): Promise<boolean> {
    if (except !== MAIN && endOneOf(clientKey)) return true
    for (const [thread, { endOneOf: endOneThere }] of running) {
      if (thread !== except && (await endOneThere(clientKey))) return true
    }
    return false
  }

  function start(thread: number, failures: number): void {
    const startedAt = now()
    const onReady = (): void => {
      if (running.size === threads - 1 && all().every(({ isReady }) => isReady())) allReady.resolve()
    }
    const onEnd = (error: unknown): void => {
      retired = addCounters(retired, started.lastSamples())
      running.delete(thread)
      view.forget(thread)
      if (isClosing) return
      const isEarly = now() - startedAt < LIVED_MS
      const restartMs = Math.min(RESTART_MS.max, RESTART_MS.min * 2 ** (isEarly ? failures : 0))
      restarts++
      log.error('thread.ended', { thread, error, restartMs })
      const timer = setTimeout(() => {
        timers.delete(timer)
        start(thread, isEarly ? failures + 1 : 1)
      }, restartMs)
      timers.add(timer)
    }
    const elsewhere = (clientKey: string): Promise<boolean> => endElsewhere(clientKey, thread)
    const started = startServingThread({ data: dataOf(thread), requests, endElsewhere: elsewhere, onReady, onEnd })
    running.set(thread, started)
  }

  metrics.gauge('dateline_threads', 'Threads that serve requests, the main thread included.', () => [
    [{}, 1 + all().filter(({ isReady }) => isReady()).length],
  ])
  metrics.counted('dateline_thread_restarts_total', 'Threads that ended by themselves.', () => [[{}, restarts]])
  metrics.addThreads(async () => [retired, ...(await Promise.all(all().map(({ samples }) => samples())))])
  for (let thread = 1; thread < threads; thread++) start(thread, 0)

  return {
    /** Resolves when all threads accept connections. */
    ready: allReady.promise,
    /** Ends a connection of a client in another thread than the main one; false where all of them are being served. */
    endElsewhere: (clientKey: string): Promise<boolean> => endElsewhere(clientKey, MAIN),
    /** Changes something in all of them. */
    tell: ((name, value) => all().forEach((one) => one.tell(name, value))) satisfies TellServing,
    /** Resolves when the main thread has written the lines of all that the threads have served so far. */
    async settle(): Promise<void> {
      await Promise.all(all().map(({ request }) => request('settle')))
    },
    /** Lets running requests finish, as the server of the main thread does, and ends the threads. */
    async close(): Promise<void> {
      isClosing = true
      for (const timer of timers) clearTimeout(timer)
      await within(closeMs + END_MS_MAX, Promise.all(all().map(({ request }) => request('close'))))
      await endThreads(
        END_MS_MAX,
        all().map(({ worker }) => worker),
      )
    },
  }
}
