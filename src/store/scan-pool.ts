/**
 * The threads for queries that take long: few, bounded in time and in number.
 *
 * A query gets a deadline from the moment it runs. One that misses it loses its thread; the next query starts another.
 * What waits is bounded too, for each caller and for all together, so that no query of anybody keeps others waiting for
 * longer than a client is willing to.
 */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { fail } from '../base/failure.ts'
import { startThread } from '../base/thread.ts'
import type { QueryPlan } from '../models/replies.ts'
import {
  readAnswer,
  type AnswerMessage,
  type QueryMessage,
  type ReadyMessage,
  type TaskMessage,
} from './query-message.ts'
import type { Found } from './store.ts'

export interface PoolLimits {
  readonly threads: number
  readonly deadlineMs: number
  /** Queries that wait for a thread. Clients give up after 15 s, so more of them would wait in vain. */
  readonly waitingMax: number
  /** Queries of one caller, running and waiting. */
  readonly perCallerMax: number
}

/** One core stays free for everything else. */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))
const POOL_LIMITS: PoolLimits = { threads: THREADS, deadlineMs: 2_000, waitingMax: 6 * THREADS, perCallerMax: 3 }

/** A thread only ever holds one page and one document, but V8 wants room to breathe. */
const HEAP_MB_MAX = 64
const RETRY_AFTER_S = 2
/** For a thread to load its program, on a busy machine. */
const START_MS_MAX = 10_000
/** Of the deadline: a query that is explained is given up after it, so that there is time to tell about it. */
const EXPLAIN_SHARE = 0.75

export interface ScanPool {
  /** Answers a query in a thread. Throws badRequest past the deadline, saying `advice`; see the limits for the rest. */
  run(query: QueryMessage, caller: string, advice: string): Promise<Found>
  /** Tells how a query is answered, within the same bounds; a run that would miss the deadline is given up before. */
  explain(query: QueryMessage, caller: string, advice: string): Promise<QueryPlan>
  counts(): { readonly done: number; readonly timedOut: number; readonly refused: number }
  close(): Promise<void>
}

interface Job {
  readonly task: TaskMessage
  readonly caller: string
  readonly advice: string
  readonly resolve: (answer: GoodAnswer) => void
  readonly reject: (error: unknown) => void
}

type GoodAnswer = Extract<AnswerMessage, { kind: 'found' | 'explained' }>

/** Threads start when they are first needed. */
export function createScanPool(file: string, narrower: Partial<PoolLimits> = {}): ScanPool {
  const limits: PoolLimits = { ...POOL_LIMITS, ...narrower }
  const idle: Worker[] = []
  const running = new Map<Worker, { readonly job: Job; readonly timer: NodeJS.Timeout }>()
  const ready = new WeakSet<Worker>()
  const waiting: Job[] = []
  const perCaller = new Map<string, number>()
  let [done, timedOut, refused] = [0, 0, 0]

  const startNext = (): void => {
    if (running.size >= limits.threads) return
    const job = waiting.shift()
    if (job !== undefined) start(idle.pop() ?? newWorker(), job)
  }

  const start = (worker: Worker, job: Job): void => {
    worker.ref()
    running.set(worker, { job, timer: deadline(worker, ready.has(worker) ? limits.deadlineMs : START_MS_MAX) })
    worker.postMessage(job.task)
  }

  const deadline = (worker: Worker, ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      timedOut++
      void worker.terminate()
      end(worker, ({ reject, advice }) => reject(fail('badRequest', advice)))
    }, ms)

  /** A new thread has loaded its program; the time that took is not the query's. */
  const onReady = (worker: Worker): void => {
    ready.add(worker)
    const run = running.get(worker)
    if (run === undefined) return
    clearTimeout(run.timer)
    running.set(worker, { ...run, timer: deadline(worker, limits.deadlineMs) })
  }

  /** The job of this thread is over. */
  const end = (worker: Worker, settle: (job: Job) => void): void => {
    const run = running.get(worker)
    if (run === undefined) return
    clearTimeout(run.timer)
    running.delete(worker)
    leave(run.job)
    settle(run.job)
    startNext()
  }

  const newWorker = (): Worker => {
    const worker = startThread(new URL('./scan-worker.ts', import.meta.url), {
      workerData: { file },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      // Settings of the process are none of its business.
      env: {},
    })
    worker.on('message', (answer: AnswerMessage | ReadyMessage) => {
      if (answer.kind === 'ready') return onReady(worker)
      if (!running.has(worker)) return // Its deadline came first.
      done++
      // A thread without work must not keep the process alive.
      worker.unref()
      idle.push(worker)
      end(worker, (job) => settle(job, answer))
    })
    worker.on('error', (error) =>
      end(worker, ({ reject, advice }) =>
        reject(isOutOfMemory(error) ? fail('badRequest', advice, { cause: error }) : error),
      ),
    )
    worker.on('exit', () => {
      const place = idle.indexOf(worker)
      if (place !== -1) idle.splice(place, 1)
      end(worker, ({ reject }) => reject(new Error('A scan thread ended by itself')))
    })
    return worker
  }

  const leave = ({ caller }: Job): void => {
    const left = (perCaller.get(caller) ?? 1) - 1
    if (left === 0) perCaller.delete(caller)
    else perCaller.set(caller, left)
  }

  const ask = (task: TaskMessage, caller: string, advice: string): Promise<GoodAnswer> => {
    const mine = perCaller.get(caller) ?? 0
    const isFull = waiting.length >= limits.waitingMax
    if (mine >= limits.perCallerMax || isFull) {
      refused++
      return Promise.reject(isFull ? tooManyForUs() : tooManyOfYours(limits.perCallerMax))
    }
    perCaller.set(caller, mine + 1)
    return new Promise((resolve, reject) => {
      waiting.push({ task, caller, advice, resolve, reject })
      startNext()
    })
  }

  return {
    async run(query, caller, advice) {
      const answer = await ask({ kind: 'find', query }, caller, advice)
      if (answer.kind !== 'found') throw new Error('The thread did something else')
      return readAnswer(answer)
    },
    async explain(query, caller, advice) {
      const msMax = Math.floor(limits.deadlineMs * EXPLAIN_SHARE)
      const answer = await ask({ kind: 'explain', query, msMax }, caller, advice)
      if (answer.kind !== 'explained') throw new Error('The thread did something else')
      return answer.plan
    },
    counts: () => ({ done, timedOut, refused }),
    async close() {
      for (const job of waiting.splice(0)) job.reject(fail('networkError', 'The service is stopping'))
      const workers = [...idle.splice(0), ...running.keys()]
      for (const worker of running.keys())
        end(worker, ({ reject }) => reject(fail('networkError', 'The service is stopping')))
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

/** The documents of a page, or one of them and what is made of it, are larger than the heap of a thread. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function settle({ resolve, reject }: Job, answer: AnswerMessage): void {
  if (answer.kind === 'found' || answer.kind === 'explained') resolve(answer)
  else if (answer.kind === 'refused') reject(fail('badRequest', answer.message))
  else if (answer.kind === 'unavailable') reject(fail('networkError', answer.message, { cause: answer.cause }))
  else reject(answer.error)
}

function tooManyOfYours(max: number): Error {
  return fail(
    'tooManyRequests',
    `At most ${max} queries of one user that no index serves can run at once: try again soon`,
    {
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    },
  )
}

function tooManyForUs(): Error {
  return fail('networkError', 'Too many queries that no index serves are waiting: try again soon', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
