/**
 * The process that runs the cases of pattern-oracle.ts.
 *
 * A thread of it asks V8, which may take forever and cannot be interrupted: the main thread still sees when the process
 * that asks is gone. It ends by SIGKILL then, since `process.exit` waits for the thread.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import type { OracleResult } from './pattern-oracle.ts'
import type { PatternCase } from './pattern-generator.ts'

if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url))
  thread.on('message', (results: readonly OracleResult[]) => process.send?.(results))
  process.on('message', (cases) => thread.postMessage(cases))
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
} else {
  parentPort?.on('message', (cases: readonly PatternCase[]) => parentPort?.postMessage(cases.map(result)))
}

function result({ source, flags, texts }: PatternCase): OracleResult {
  try {
    new RegExp(source, flags)
  } catch {
    return 'no pattern'
  }
  // The alternative never matches; see pattern-generator.ts.
  const expression = new RegExp(`${source}|[]`, flags)
  return texts.map((text) => expression.test(text))
}
