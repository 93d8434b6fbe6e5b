import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createArrivals } from '../../src/base/arrivals.ts'

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

it('several connections in a row are remembered for a turn, and each one more begins that again', async () => {
  const arrivals = createArrivals()
  const seen: boolean[] = []
  for (let i = 0; i < 6; i++) {
    arrivals.add()
    seen.push(arrivals.areMany())
    await turn()
  }
  assert.deepEqual(seen, [false, false, false, true, true, true])
  assert.equal(arrivals.areMany(), true, 'one turn later')
  await turn()
  assert.equal(arrivals.areMany(), false, 'two turns later')
})

it('single connections with pauses between them are no flood, however many there are', async () => {
  const arrivals = createArrivals()
  for (let i = 0; i < 10; i++) {
    arrivals.add()
    for (let turns = 0; turns < 3; turns++) await turn()
    assert.equal(arrivals.areMany(), false)
  }
})
