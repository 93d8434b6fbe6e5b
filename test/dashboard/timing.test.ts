// isolated: it replaces the timers of the process and stands in for what a browser has once
/** What the page puts off. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { atMostEvery, everySeen } from '../../src/dashboard/timing.ts'

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

it('everySeen passes over times at which the page is hidden, and runs when it is seen again, until the signal', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const page = Object.assign(new EventTarget(), { hidden: false })
  Object.assign(globalThis, { document: page })
  const turn = (hidden: boolean): void => {
    page.hidden = hidden
    page.dispatchEvent(new Event('visibilitychange'))
  }
  const ended = new AbortController()
  let runs = 0
  everySeen(2_000, ended.signal, () => runs++)
  t.mock.timers.tick(4_000)
  assert.equal(runs, 2, 'it is seen')
  turn(true)
  t.mock.timers.tick(10_000)
  assert.equal(runs, 2, 'it is hidden')
  turn(false)
  assert.equal(runs, 3, 'it is seen again')
  ended.abort()
  turn(false)
  t.mock.timers.tick(4_000)
  assert.equal(runs, 3, 'it has ended')
})
