/**
 * Threads, which need their program as a file of its own.
 *
 * Run from the sources, that is the file itself. The executable has no files: there each worker is embedded as one
 * script, with all that it imports, under the name of its source. Only its text is handed to the thread.
 */
import { basename } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts `new URL('./x-worker.ts', import.meta.url)` in a thread, wherever the program comes from. */
export function startThread(file: URL, options: WorkerOptions): Worker {
  if (!isSea()) return new Worker(file, options)
  return new Worker(getAsset(basename(file.pathname), 'utf8'), { ...options, eval: true })
}
