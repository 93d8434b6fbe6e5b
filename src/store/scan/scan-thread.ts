/**
 * One thread for queries that take long, and one query at a time in it.
 *
 * A query that misses its deadline, or whose client has disconnected, is asked to stop: the thread looks between two
 * rows. One that does not heed is ended. Whatever its query's asker has been told by then, the thread counts as busy
 * until it has answered or is really gone, which `terminate()` alone does not promise (base/thread.ts).
 */
import type { Worker } from 'node:worker_threads'
import { fail } from '../../base/failure.ts'
import { endThreads, startThread } from '../../base/thread.ts'
import type { AnswerMessage, Question, ReadyMessage, TaskMessage, ThreadData } from './query-message.ts'

/** V8 wants room to breathe: a thread holds one page and one document. */
const HEAP_MB_MAX = 64
/** Documents come and go. With V8's default of 48 MiB for what is new, threads take twice the memory and are no faster. */
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
}

export interface ScanThread {
  readonly worker: Worker
  /** Asks the thread, which has nothing else to do. `free` resolves when it is done with that or gone. */
  ask(question: Question, options: AskOptions): { readonly answer: Promise<GoodAnswer>; readonly free: Promise<void> }
  readonly isAlive: boolean
  /** Rejects what runs with this error, and ends the thread. */
  end(error: Error): void
}

interface Run {
  readonly number: number
  readonly advice: string
  timer: NodeJS.Timeout
  readonly onTime: () => void
  readonly deadlineMs: number
  readonly resolve: (answer: GoodAnswer) => void
  readonly reject: (error: unknown) => void
  /** The thread has nothing more to do with it. */
  readonly finish: () => void
}

export interface ScanThreadOptions {
  /** The database. */
  readonly file: string
  readonly program: URL
}

export function startScanThread({ file, program }: ScanThreadOptions): ScanThread {
  /** The number of the run that is to stop. */
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  const worker = startThread(program, {
    workerData: { file, stopped } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
    // Settings of the process are none of its business.
    env: {},
  })
  let [isReady, isAlive, isEnding, runs] = [false, true, false, 0]
  let current: Run | undefined

  const terminate = (): void => {
    isEnding = true
    void worker.terminate()
  }
  const stop = (run: Run, error: unknown): void => {
    run.reject(error)
    if (run !== current) return
    Atomics.store(stopped, 0, run.number)
    clearTimeout(run.timer)
    run.timer = setTimeout(terminate, STOP_MS_MAX)
  }
  const finish = (): Run | undefined => {
    const run = current
    current = undefined
    if (run === undefined) return undefined
    clearTimeout(run.timer)
    // A thread without work must not keep the process alive.
    worker.unref()
    run.finish()
    return run
  }
  worker.on('message', (message: AnswerMessage | ReadyMessage) => {
    if (message.kind !== 'ready') {
      if (isEnding) return // Its last answer, which crossed with its end: it is busy until it is gone.
      const run = finish()
      if (run !== undefined) settle(run, message)
      return
    }
    // The program is loaded; the time that took is not the query's.
    isReady = true
    if (current === undefined || Atomics.load(stopped, 0) === current.number) return
    clearTimeout(current.timer)
    current.timer = setTimeout(current.onTime, current.deadlineMs)
  })
  worker.on('error', (error) => {
    current?.reject(isOutOfMemory(error) ? fail('badRequest', current.advice, { cause: error }) : error)
  })
  worker.on('exit', () => {
    isAlive = false
    finish()?.reject(new Error('A scan thread ended by itself'))
  })
  return {
    worker,
    ask(question, { deadlineMs, advice, signal, onLate }) {
      const [answer, free] = [Promise.withResolvers<GoodAnswer>(), Promise.withResolvers<void>()]
      const number = ++runs
      const onAbort = (): void => stop(run, signal?.reason)
      const onTime = (): void => {
        onLate()
        stop(run, fail('badRequest', advice))
      }
      const run: Run = {
        ...{ number, advice, onTime, deadlineMs },
        timer: setTimeout(onTime, isReady ? deadlineMs : START_MS_MAX),
        resolve: answer.resolve,
        reject: answer.reject,
        finish() {
          signal?.removeEventListener('abort', onAbort)
          free.resolve()
        },
      }
      signal?.addEventListener('abort', onAbort)
      current = run
      worker.ref()
      const task: TaskMessage = { ...question, number }
      worker.postMessage(task)
      return { answer: answer.promise, free: free.promise }
    },
    get isAlive() {
      return isAlive
    },
    end(error) {
      if (current !== undefined) stop(current, error)
      terminate()
    },
  }
}

/** Ends the threads, and waits for it for a bounded time. */
export async function endScanThreads(threads: readonly ScanThread[], ms: number, error: Error): Promise<void> {
  for (const thread of threads) thread.end(error)
  await endThreads(
    ms,
    threads.map(({ worker }) => worker),
  )
}

/** The documents of a page, or one of them and what is made of it, are larger than the heap of a thread. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function settle({ resolve, reject }: Run, answer: AnswerMessage): void {
  switch (answer.kind) {
    case 'found':
    case 'explained':
      return resolve(answer)
    case 'refused':
      return reject(fail('badRequest', answer.message))
    case 'unavailable':
      return reject(fail('networkError', answer.message, { cause: answer.cause }))
    case 'failed':
      return reject(answer.error)
    case 'stopped':
      // Its asker has been told why.
      return reject(new Error('A scan stopped without being asked to'))
  }
}
