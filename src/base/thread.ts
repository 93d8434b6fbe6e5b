/**
 * Threads, which need their program as a file of its own.
 *
 * Run from the sources, that is the file itself. The executable has no files: there each worker is embedded as one
 * script, with all that it imports, under the name of its source. Only its text is handed to the thread.
 *
 * A thread in native code that does not end (V8 compiling a pattern, a system call on a disk that hangs) ignores
 * `terminate()`, and Node waits for it before the process can exit. So every thread is known here until its `exit`.
 */
import { basename } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const living = new Set<Worker>()

/** Starts `new URL('./x-worker.ts', import.meta.url)` in a thread, from the sources or the executable. */
export function startThread(file: URL, options: WorkerOptions): Worker {
  const worker = isSea()
    ? new Worker(getAsset(basename(file.pathname), 'utf8'), { ...options, eval: true })
    : new Worker(file, options)
  living.add(worker)
  worker.once('exit', () => living.delete(worker))
  return worker
}

/** Ends threads, all that live where none are named; false where one of them still lives after `ms`. */
export async function endThreads(ms: number, threads: Iterable<Worker> = living): Promise<boolean> {
  const ending = [...threads].filter((worker) => living.has(worker))
  if (ending.length === 0) return true
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const ended = Promise.all(ending.map((worker) => worker.terminate())).then(() => true)
  try {
    return await Promise.race([ended, late])
  } finally {
    clearTimeout(timer)
  }
}
