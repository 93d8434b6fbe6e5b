/**
 * Threads, which need their program as a file of its own. The executable has no files: there each worker is embedded as
 * one script, with all that it imports, under the name of its source.
 *
 * A thread in native code that does not end (V8 compiling a pattern, a system call on a disk that hangs) ignores
 * `terminate()`, and Node waits for it before the process can exit. So every thread is known here until its `exit`.
 */
import { getCompileCacheDir } from 'node:module'
import { basename, dirname } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import { within } from './pause.ts'

const living = new Set<Worker>()

/** Starts `new URL('./x-worker.ts', import.meta.url)` in a thread. */
export function startThread(file: URL, options: WorkerOptions): Worker {
  // The thread has no use for the settings of the process.
  const all = { env: ofCompileCache(), ...options }
  const worker = isSea()
    ? new Worker(getAsset(basename(file.pathname), 'utf8'), { ...all, eval: true })
    : new Worker(file, all)
  living.add(worker)
  worker.once('exit', () => living.delete(worker))
  return worker
}

/** The setting that lets a thread find compiled sources where the main thread does: Node adds a folder of its version. */
function ofCompileCache(): Record<string, string> {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

/** Ends threads, by default all that live; false where one of them still lives after `ms`. */
export async function endThreads(ms: number, threads: Iterable<Worker> = living): Promise<boolean> {
  const ending = [...threads].filter((worker) => living.has(worker))
  if (ending.length === 0) return true
  return (await within(ms, Promise.all(ending.map((worker) => worker.terminate())))) !== undefined
}

type Message<Result> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: Error }

/**
 * Starts `new URL('./x-worker.ts', import.meta.url)` in a thread, for one task at a time. The program calls runTasks().
 * The thread does not keep the process alive.
 */
export function startTaskThread<Task, Result>(program: URL, options: WorkerOptions) {
  const worker = startThread(program, options)
  const ready = Promise.withResolvers<void>()
  let pending: PromiseWithResolvers<Result> | undefined
  let [isAlive, isEnding] = [true, false]
  let failure: unknown = new Error('The thread was ended')
  worker.unref()
  worker.on('message', (message: Message<Result>) => {
    if (message.kind === 'ready') return ready.resolve()
    // A result that crossed with the end: the thread is busy until it is gone.
    if (isEnding) return
    if (message.kind === 'result') pending?.resolve(message.result)
    else pending?.reject(message.error)
  })
  worker.on('error', (error) => {
    failure = error
  })
  worker.once('exit', () => {
    isAlive = false
    pending?.reject(failure)
  })
  return {
    worker,
    /** Resolves when the program is loaded. */
    ready: ready.promise,
    get isAlive() {
      return isAlive
    },
    /** Settles when the thread is done with the task or gone. Rejects with what the task threw or what ended the thread. */
    run(task: Task): Promise<Result> {
      if (!isAlive) return Promise.reject(failure)
      pending = Promise.withResolvers()
      worker.postMessage(task)
      return pending.promise
    },
    async end(): Promise<void> {
      isEnding = true
      await worker.terminate()
    },
  }
}

/** To be called by the program of a task thread. */
export function runTasks<Task, Result>(run: (task: Task) => Result | Promise<Result>): void {
  const post = (message: Message<Result>): void => parentPort?.postMessage(message)
  parentPort?.on('message', async (task: Task) => {
    try {
      post({ kind: 'result', result: await run(task) })
    } catch (error) {
      post({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
    }
  })
  post({ kind: 'ready' })
}
