// isolated: it mocks timers
/** How long a node waits for further jobs of an entry. */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { createEntryGathering } from '../../../src/store/cluster/entry-gathering.ts'

function gatheringOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const state = { waiting: 0, time: 0 }
  const gathering = createEntryGathering({ waiting: () => state.waiting, ticks: () => state.time })
  const arrive = (): void => {
    state.waiting++
    gathering.jobCame()
  }
  /** Begins to wait for the next entry, and tells whether it may be proposed. */
  const begin = () => {
    let isFree = false
    void gathering.wait().then(() => (isFree = true))
    return async (): Promise<boolean> => {
      await new Promise((resolve) => void setImmediate(resolve))
      return isFree
    }
  }
  return { state, gathering, arrive, begin }
}

it('a client that writes alone never waits', async (t) => {
  const { state, gathering, begin } = gatheringOf(t)
  state.waiting = 1
  assert.equal(await begin()(), true)
  state.waiting = 0
  gathering.won(1, 0)
  state.waiting = 1
  assert.equal(await begin()(), true)
})

it('an entry waits for as many jobs as there were clients at the last commit', async (t) => {
  const { state, gathering, arrive, begin } = gatheringOf(t)
  state.waiting = 1
  gathering.won(2, 0)
  const isFree = begin()
  arrive()
  assert.equal(await isFree(), false)
  arrive()
  assert.equal(await isFree(), true)
})

for (const [took, ms] of [[0, 4], [4, 4], [12, 12], [5_000, 20]] as const) {
  it(`an entry waits for ${ms} ms at most where the one before took ${took}, and the next one for as many jobs as came`, async (t) => {
    const { state, gathering, begin } = gatheringOf(t)
    gathering.won(16, took)
    state.waiting = 1
    const isFree = begin()
    t.mock.timers.tick(ms - 1)
    assert.equal(await isFree(), false)
    t.mock.timers.tick(1)
    assert.equal(await isFree(), true)
    state.waiting = 0
    gathering.won(1, took)
    state.waiting = 1
    assert.equal(await begin()(), true)
  })
}

it('a node that has written leaves the log to another one that wrote lately, until that one writes', async (t) => {
  const { state, gathering, begin } = gatheringOf(t)
  gathering.rivalWrote()
  gathering.won(1, 0)
  state.waiting = 1
  const isFree = begin()
  assert.equal(await isFree(), false)
  gathering.entryCame()
  assert.equal(await isFree(), true)
  state.time += 1_000
  assert.equal(await begin()(), true)
})

it('a node whose entry came too late does not wait', async (t) => {
  const { state, gathering, begin } = gatheringOf(t)
  gathering.won(16, 0)
  gathering.rivalWrote()
  gathering.lost()
  state.waiting = 1
  assert.equal(await begin()(), true)
})

it('a node that stops waits for nothing', async (t) => {
  const { gathering, begin } = gatheringOf(t)
  gathering.won(16, 0)
  const isFree = begin()
  gathering.stop()
  assert.equal(await isFree(), true)
})
