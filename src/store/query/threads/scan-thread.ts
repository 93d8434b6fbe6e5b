/**
 * One thread for queries that take long, with one query at a time.
 *
 * A query that misses its deadline, or whose client has disconnected, is requested to stop: the thread checks between two
 * rows. A thread that does not stop is ended. Whatever the caller has been told by then, the thread counts as busy until
 * it has posted the result or is really gone, which `terminate()` alone does not promise (base/thread.ts).
 */
import { fail } from '../../../base/failure.ts'
import { errorCode } from '../../../base/system-error.ts'
import { endThreads, startTaskThread } from '../../../base/thread.ts'
import type { ScanResultMessage, ScanTask, ScanTaskMessage, ThreadData } from './query-message.ts'

/** V8 wants room to breathe: a thread holds one page and one document. */
const HEAP_MB_MAX = 64
/** Documents are short-lived. With V8's default of 48 MiB for new objects, threads take twice the memory and are no faster. */
const YOUNG_HEAP_MB_MAX = 4
/** For a thread to load its program, on a busy machine. */
const START_MS_MAX = 10_000
/** For a query that was requested to stop to do so. */
const STOP_MS_MAX = 250

export type ScanResult = Extract<ScanResultMessage, { kind: 'found' | 'counted' | 'explained' }>

export interface ScanOptions {
  readonly deadlineMs: number
  /** What is said past the deadline, and where the thread runs out of memory. */
  readonly advice: string
  readonly signal: AbortSignal | undefined
  readonly onLate: () => void
  /** Called when the thread is done with the query or gone, before the result is known. */
  readonly onFree: () => void
}

export type ScanThread = ReturnType<typeof startScanThread>

export function startScanThread({ file, program }: { readonly file: string; readonly program: URL }) {
  /** The number of the query that is to stop. */
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  const thread = startTaskThread<ScanTaskMessage, ScanResultMessage>(program, {
    workerData: { file, stopped } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
  })
  let queries = 0
  let stopCurrent: (error: unknown) => void = () => {}
  return {
    worker: thread.worker,
    isAlive: (): boolean => thread.isAlive,
    /** Runs the task in the thread, which has nothing else to do. */
    run(task: ScanTask, { deadlineMs, advice, signal, onLate, onFree }: ScanOptions): Promise<ScanResult> {
      const pending = Promise.withResolvers<ScanResult>()
      const number = ++queries
      const stop = (error: unknown): void => {
        pending.reject(error)
        Atomics.store(stopped, 0, number)
        setTimer(() => void thread.end(), STOP_MS_MAX)
      }
      const onAbort = (): void => stop(signal?.reason)
      const onTime = (): void => {
        onLate()
        stop(fail('badRequest', advice))
      }
      let timer: NodeJS.Timeout | undefined
      const setTimer = (callback: () => void, ms: number): void => {
        clearTimeout(timer)
        timer = setTimeout(callback, ms)
      }
      let isDone = false
      setTimer(onTime, START_MS_MAX)
      // The time that the program takes to load is not the query's.
      void thread.ready.then(() => {
        if (!isDone && Atomics.load(stopped, 0) !== number) setTimer(onTime, deadlineMs)
      })
      signal?.addEventListener('abort', onAbort)
      stopCurrent = stop
      thread.worker.ref()
      void thread
        .run({ ...task, number })
        .finally(() => {
          isDone = true
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          stopCurrent = () => {}
          // An idle thread must not keep the process alive.
          thread.worker.unref()
          onFree()
        })
        .then((message) => pending.resolve(resultOf(message)))
        .catch((error: unknown) => {
          // The documents of a page, or one of them and what is made of it, may be larger than the heap of a thread.
          pending.reject(errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? fail('badRequest', advice, { cause: error }) : error)
        })
      return pending.promise
    },
    /** Rejects what runs with this error, and ends the thread. */
    end(error: Error): void {
      stopCurrent(error)
      void thread.end()
    },
  }
}

/** Ends the threads, and waits for it for a bounded time. */
export async function endScanThreads(threads: readonly ScanThread[], ms: number, error: Error): Promise<void> {
  for (const { end } of threads) end(error)
  await endThreads(
    ms,
    threads.map(({ worker }) => worker),
  )
}

function resultOf(message: ScanResultMessage): ScanResult {
  switch (message.kind) {
    case 'found':
    case 'counted':
    case 'explained':
      return message
    case 'failed':
      throw fail('badRequest', message.message)
    case 'unavailable':
      throw fail('networkError', message.message, { cause: message.cause })
    case 'stopped':
      // Its caller has been told why.
      throw new Error('A scan stopped without being requested to')
  }
}
