import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTurnBudget, createTurns } from '../../src/http/body-limits.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

describe('createTurns()', () => {
  it('lets one caller go on in a turn of the event loop, in the order of the calls', async () => {
    const turn = createTurns()
    const order: string[] = []
    for (const name of ['a', 'b', 'c']) void turn().then(() => order.push(name))
    const seen: string[] = []
    while (order.length < 3) {
      await nextTurn()
      seen.push(order.join(''))
    }
    assert.deepEqual([...new Set(seen)].filter((names) => names !== ''), ['a', 'ab', 'abc'])
  })
})

describe('createTurnBudget()', () => {
  it('is exceeded by what is past its maximum, and renewed in the next turn', async () => {
    const isExceeded = createTurnBudget(2)
    assert.deepEqual([isExceeded(1), isExceeded(1), isExceeded(0.5), isExceeded(1)], [false, false, true, true])
    await nextTurn()
    assert.deepEqual([isExceeded(2), isExceeded(1)], [false, true])
  })
})
