// isolated: it replaces the timers of the process
/** What the page puts off. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { atMostEvery } from '../../src/dashboard/timing.ts'

it('atMostEvery runs at once, while calls go on without a pause, and once more behind the last', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const runs: number[] = []
  let elapsed = 0
  const soon = atMostEvery(2_000, new AbortController().signal, () => runs.push(elapsed))
  for (; elapsed < 5_000; elapsed += 100) {
    soon()
    t.mock.timers.tick(100)
  }
  t.mock.timers.tick(5_000)
  assert.deepEqual([runs.length, runs[0]], [4, 0])
})
