/** Turns between nodes that write at the same time. Revisions are plain numbers here. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEndpointOrder } from '../../src/cluster/etcd/endpoint-order.ts'
import { createWriteTurns } from '../../src/cluster/log/write-turns.ts'

/** Whether a turn is there at once. */
async function isFree(turns: ReturnType<typeof createWriteTurns>): Promise<boolean> {
  return Promise.race([turns.turn().then(() => true), new Promise<false>((resolve) => void setImmediate(() => resolve(false)))])
}

describe('a turn', () => {
  it('is free where no other node waits, and where this one has written nothing', async () => {
    const turns = createWriteTurns('a')
    assert.equal(await isFree(turns), true)
    turns.wanted('b', 5)
    assert.equal(await isFree(turns), true)
  })

  it('goes to a node that has waited since before the last entry of this one', async () => {
    const turns = createWriteTurns('a')
    turns.won(10)
    turns.wanted('b', 11)
    assert.equal(await isFree(turns), true)
    turns.won(12)
    assert.equal(await isFree(turns), false)
    turns.served('b')
    assert.equal(await isFree(turns), true)
  })

  it('goes by age between nodes that wait', async () => {
    const turns = createWriteTurns('a')
    turns.wanted('a', 7)
    turns.wanted('b', 8)
    assert.equal(await isFree(turns), true)
    turns.wanted('c', 6)
    assert.equal(await isFree(turns), false)
  })

  it('ends its wait when an entry comes', async () => {
    const turns = createWriteTurns('a')
    turns.won(10)
    turns.wanted('b', 5)
    const turn = turns.turn()
    turns.entryCame()
    await turn
  })

  it('waits for a node that is gone once, for 200 ms', async () => {
    const turns = createWriteTurns('a')
    turns.won(10)
    turns.wanted('gone', 5)
    await turns.turn()
    assert.equal(await isFree(turns), true)
  })
})

describe('the order of servers', () => {
  const urls = ['http://1', 'http://2', 'http://3']

  it('begins anywhere, and stays at a server until it fails', () => {
    assert.deepEqual([0, 0.4, 0.99].map((value) => createEndpointOrder(urls, { now: () => 0, random: () => value }).current), urls)
    const order = createEndpointOrder(urls, { now: () => 0, random: () => 0 })
    order.succeeded('http://1')
    assert.equal(order.current, 'http://1')
    order.failed('http://2')
    assert.equal(order.current, 'http://1')
  })

  it('goes to the one that rests the least, and lets each rest longer after each failure, up to a second', () => {
    let now = 0
    const order = createEndpointOrder(urls, { now: () => now, random: () => 0 })
    const rests: number[] = []
    for (let i = 0; i < 24; i++) {
      const { current } = order
      order.failed(current)
      assert.notEqual(order.current, current)
      rests.push(order.restMs())
      now += order.restMs()
    }
    assert.deepEqual(rests.slice(0, 3), [0, 0, 25])
    assert.ok(Math.max(...rests) <= 500)
    order.succeeded(order.current)
    const { current } = order
    now += 10_000
    order.failed(current)
    assert.equal(order.restMs(), 0)
  })

  it('calls a single server again after its rest', () => {
    const order = createEndpointOrder(['http://1'], { now: () => 0, random: () => 0 })
    order.failed('http://1')
    assert.equal(order.current, 'http://1')
    assert.equal(order.restMs(), 25)
  })
})
