/**
 * The end of a service in which something hangs. A thread in native code ignored `terminate()`: the log said `stopped`,
 * and the process stayed. Here a thread, or a call of the thread pool, waits in the system for a pipe without a writer.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { cleanEnvironment } from '../support/service/program.ts'
import { namedPipe } from '../support/service/named-pipe.ts'
import { temporaryDirectory, type Cleanup } from '../support/service/temporary-directory.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)
/**
 * A second, in ticks of a timer of this process: on a machine that is busy with other tests, the service and this timer
 * are late alike.
 */
const TICK_MS = 20
const GONE_TICKS_MAX = 1_000 / TICK_MS

/** What runs in the process before the program, with the name of a pipe. */
const HUNG = {
  'a thread that never ends': `
    const { startTaskThread } = await import(${url('../../src/base/thread.ts')})
    const { worker } = startTaskThread(new URL(${url('../support/service/hung-worker.ts')}), { workerData: { file: pipe } })
    worker.on('message', () => worker.postMessage('hang'))`,
  'a system call that never returns': `
    const { open } = await import('node:fs/promises')
    void open(pipe, 'r')`,
} as const

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  /** From the line `stopped`; undefined where it never came. */
  readonly ticks: number | undefined
}

async function stopService(t: Cleanup, preload: string, signals: readonly NodeJS.Signals[] = ['SIGTERM']): Promise<Ended> {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'preload.mjs')
  writeFileSync(file, `import { isMainThread } from 'node:worker_threads'\nif (isMainThread) {${preload}\n}\n`)
  const words = ['--import', file, MAIN, 'serve', '--port', '0', '--data-dir', join(directory, 'data')]
  const child = spawn(process.execPath, words, { env: cleanEnvironment({}), stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => void child.kill('SIGKILL'))
  const closed = once(child, 'exit') as Promise<[number | null, string | null]>
  let [log, ticks] = ['', undefined as number | undefined]
  const timer = setInterval(() => {
    if (ticks !== undefined) ticks++
  }, TICK_MS)
  t.after(() => clearInterval(timer))
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
    if (log.includes('"event":"stopped"')) ticks ??= 0
  })
  await once(child.stdout, 'data')
  for (const signal of signals) child.kill(signal)
  const [code, signal] = await closed
  return { code, signal, ticks }
}

describe('after the line `stopped` the process is gone within a second', () => {
  for (const [name, preload] of Object.entries(HUNG)) {
    it(`with ${name}, by the signal that asked for it`, async (t) => {
      const { signal, ticks } = await stopService(t, `const pipe = ${JSON.stringify(namedPipe(t))}${preload}`)
      assert.equal(signal, 'SIGTERM')
      assert.ok(ticks !== undefined && ticks < GONE_TICKS_MAX, `${ticks} ticks of ${TICK_MS} ms`)
    })
  }

  it('with a timer that keeps the event loop busy, with status 0', async (t) => {
    const { code, ticks } = await stopService(t, 'setInterval(() => {}, 60_000)')
    assert.equal(code, 0)
    assert.ok(ticks !== undefined && ticks < GONE_TICKS_MAX, `${ticks} ticks of ${TICK_MS} ms`)
  })

  it('and at once when another signal comes, also with a thread that never ends', async (t) => {
    const pipe = `const pipe = ${JSON.stringify(namedPipe(t))}`
    const { signal } = await stopService(t, pipe + HUNG['a thread that never ends'], ['SIGTERM', 'SIGINT'])
    assert.ok(signal === 'SIGINT' || signal === 'SIGTERM', String(signal))
  })
})
