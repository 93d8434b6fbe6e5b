/**
 * A thread that `terminate()` does not end: it opens a named pipe, `file` of its data, which nothing writes to. The
 * system call ends when the pipe is opened for writing, or with the process.
 */
import { closeSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'ready' })
parentPort?.on('message', () => closeSync(openSync((workerData as { readonly file: string }).file, 'r')))
