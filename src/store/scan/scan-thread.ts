/**
 * One thread for queries that take long, with one query at a time.
 *
 * A query that misses its deadline, or whose client has disconnected, is asked to stop: the thread checks between two
 * rows. A thread that does not stop is ended. Whatever the caller has been told by then, the thread counts as busy until
 * it has answered or is really gone, which `terminate()` alone does not promise (base/thread.ts).
 */
import { fail } from '../../base/failure.ts'
import { endThreads, startTaskThread } from '../../base/thread.ts'
import type { AnswerMessage, Question, TaskMessage, ThreadData } from './query-message.ts'

/** V8 wants room to breathe: a thread holds one page and one document. */
const HEAP_MB_MAX = 64
/** Documents are short-lived. With V8's default of 48 MiB for new objects, threads take twice the memory and are no faster. */
const YOUNG_HEAP_MB_MAX = 4
/** For a thread to load its program, on a busy machine. */
const START_MS_MAX = 10_000
/** For a query that was asked to stop to do so. */
const STOP_MS_MAX = 250

export type GoodAnswer = Extract<AnswerMessage, { kind: 'found' | 'explained' }>

export interface AskOptions {
  readonly deadlineMs: number
  /** What is said past the deadline, and where the thread runs out of memory. */
  readonly advice: string
  readonly signal: AbortSignal | undefined
  readonly onLate: () => void
  /** Called when the thread is done with the query or gone, before the answer is known. */
  readonly onFree: () => void
}

export type ScanThread = ReturnType<typeof startScanThread>

export function startScanThread({ file, program }: { readonly file: string; readonly program: URL }) {
  /** The number of the query that is to stop. */
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  const thread = startTaskThread<TaskMessage, AnswerMessage>(program, {
    workerData: { file, stopped } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
  })
  let queries = 0
  let stopCurrent: (error: unknown) => void = () => {}
  return {
    worker: thread.worker,
    isAlive: (): boolean => thread.isAlive,
    /** Asks the thread, which has nothing else to do. */
    ask(question: Question, { deadlineMs, advice, signal, onLate, onFree }: AskOptions): Promise<GoodAnswer> {
      const result = Promise.withResolvers<GoodAnswer>()
      const number = ++queries
      const stop = (error: unknown): void => {
        result.reject(error)
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
        .ask({ ...question, number })
        .finally(() => {
          isDone = true
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          stopCurrent = () => {}
          // An idle thread must not keep the process alive.
          thread.worker.unref()
          onFree()
        })
        .then((answer) => result.resolve(goodAnswer(answer)))
        .catch((error: unknown) => {
          result.reject(isOutOfMemory(error) ? fail('badRequest', advice, { cause: error }) : error)
        })
      return result.promise
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

/** The documents of a page, or one of them and what is made of it, are larger than the heap of a thread. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function goodAnswer(answer: AnswerMessage): GoodAnswer {
  switch (answer.kind) {
    case 'found':
    case 'explained':
      return answer
    case 'refused':
      throw fail('badRequest', answer.message)
    case 'unavailable':
      throw fail('networkError', answer.message, { cause: answer.cause })
    case 'stopped':
      // Its caller has been told why.
      throw new Error('A scan stopped without being asked to')
  }
}
