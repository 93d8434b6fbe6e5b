/**
 * A thread that `terminate()` does not end: it opens a named pipe, `file` of its data, which nothing writes to. The
 * system call ends when the pipe is opened for writing, or with the process. Each thread first makes a file `FILE.NUMBER`:
 * before that, `terminate()` would end it.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { parentPort, threadId, workerData } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'ready' })
parentPort?.on('message', () => {
  const { file } = workerData as { readonly file: string }
  writeFileSync(`${file}.${threadId}`, '')
  closeSync(openSync(file, 'r'))
})
