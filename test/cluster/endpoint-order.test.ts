/** Which of the etcd servers a client asks. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEndpointOrder } from '../../src/cluster/etcd/endpoint-order.ts'

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
})
