/** Threads for jobs: which one gets the next, and which one ends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { createKeptThreads } from '../../src/base/kept-threads.ts'
import { startTaskThread } from '../../src/base/thread.ts'
import type { TellingTask } from '../support/threads/telling-worker.ts'

const IDLE_MS_MAX = 100

function keptThreads(t: Cleanup) {
  const clock = { now: 1_000 }
  let started = 0
  const start = () => {
    started++
    return startTaskThread<TellingTask, number>(new URL('../support/threads/telling-worker.ts', import.meta.url), {})
  }
  const threads = createKeptThreads({ start, idleMsMax: IDLE_MS_MAX, now: () => clock.now })
  t.after(() => threads.end())
  return { threads, clock, started: () => started }
}

describe('kept threads', () => {
  it('run one job after the other in one thread, and jobs side by side in one each, of which one is kept', async (t) => {
    const { threads, started } = keptThreads(t)
    const first = await threads.run('tell')
    assert.equal(await threads.run('tell'), first)
    assert.equal(new Set(await Promise.all([threads.run('tell'), threads.run('tell'), threads.run('tell')])).size, 3)
    await threads.run('tell')
    assert.equal(started(), 3)
  })

  it('end after their time without a job, also where the clock is set back', async (t) => {
    const { threads, clock, started } = keptThreads(t)
    for (const [ms, wanted] of [[0, 1], [IDLE_MS_MAX - 1, 1], [IDLE_MS_MAX, 2], [-IDLE_MS_MAX, 3]] as const) {
      clock.now += ms
      await threads.endIdle()
      await threads.run('tell')
      assert.equal(started(), wanted, `${ms} ms`)
    }
  })

  it('are not kept where a job failed or ended them', async (t) => {
    const { threads, started } = keptThreads(t)
    await assert.rejects(threads.run('fail'), /thread \d+ fails/)
    await assert.rejects(threads.run('exit'), /The thread was ended/)
    await threads.run('tell')
    assert.equal(started(), 3)
  })

  it('end with what they run, and run nothing afterwards', async (t) => {
    const { threads, started } = keptThreads(t)
    await threads.run('tell')
    const waiting = threads.run('wait')
    await Promise.all([assert.rejects(waiting, /The thread was ended/), threads.end()])
    await assert.rejects(threads.run('tell'), /The threads were ended/)
    assert.equal(started(), 1)
  })
})
