/** The program of a thread that tells its number, waits to be ended, fails or exits, as it is asked to. */
import { threadId } from 'node:worker_threads'
import { runTasks } from '../../../src/base/thread.ts'

export type TellingTask = 'tell' | 'wait' | 'fail' | 'exit'

runTasks((task: TellingTask): number | Promise<number> => {
  if (task === 'fail') throw new Error(`thread ${threadId} fails`)
  if (task === 'exit') process.exit()
  return task === 'wait' ? new Promise<number>(() => {}) : threadId
})
