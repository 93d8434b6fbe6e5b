// gate: waits for processes in which something hangs
/**
 * The end of a service in which something hangs. A thread in native code ignored `terminate()`: the log said `stopped`,
 * and the process stayed. Here a thread, or a call of the thread pool, waits in the system for a pipe without a writer.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { namedPipe } from '../support/service/named-pipe.ts'
import { servePreloaded } from '../support/service/preloaded-program.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

/** The sources have them: a thread that the bundle knows could not be started from outside. */
const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)

/** What runs in the process before the program, with the name of a pipe. */
const HUNG_THREAD = `
  const { startTaskThread } = await import(${url('../../src/base/thread.ts')})
  const { worker } = startTaskThread(new URL(${url('../support/service/hung-worker.ts')}), { workerData: { file: pipe } })
  worker.on('message', () => worker.postMessage('hang'))`
const HUNG_CALL = `
  const { open } = await import('node:fs/promises')
  void open(pipe, 'r')`

/** How the process ends, which is what hangs where it does not. */
async function stopService(t: Cleanup, preload: string, signals: readonly NodeJS.Signals[] = ['SIGTERM']) {
  const pipe = `const pipe = ${JSON.stringify(namedPipe(t))}`
  const inMainThread = `import { isMainThread } from 'node:worker_threads'\nif (isMainThread) {${pipe}${preload}\n}\n`
  const { child, exited, log } = await servePreloaded(t, inMainThread)
  for (const signal of signals) child.kill(signal)
  const [code, signal] = await exited
  return { code, signal, log: log() }
}

describe('SIGTERM ends the process of serve after the line `stopped`', () => {
  for (const [name, preload, end] of [
    ['a thread that never ends', HUNG_THREAD, [null, 'SIGTERM']],
    ['a system call that never returns', HUNG_CALL, [null, 'SIGTERM']],
    ['a timer that keeps the event loop busy', '\nsetInterval(() => {}, 60_000)', [0, null]],
  ] as const) {
    it(`with ${name}`, async (t) => {
      const { code, signal, log } = await stopService(t, preload)
      assert.deepEqual([code, signal], end)
      assert.match(log, /"event":"stopped"/)
    })
  }

  it('and a second signal ends it as well, with a thread that never ends', async (t) => {
    const { signal } = await stopService(t, HUNG_THREAD, ['SIGTERM', 'SIGINT'])
    assert.ok(signal === 'SIGINT' || signal === 'SIGTERM', String(signal))
  })
})
