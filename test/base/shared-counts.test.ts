import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countsMemory, createSharedCounts } from '../../src/base/shared-counts.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

it('sums under keys are those of all threads, and lose what a thread held that has ended', (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const memory = countsMemory(3, 64)
  const threads = [0, 1, 2].map((thread) => createSharedCounts(memory, thread))
  const held = new Map<string, [number, number, number]>()
  const sum = (key: string): number => (held.get(key) ?? [0, 0, 0]).reduce((a, b) => a + b, 0)
  for (let i = 0; i < 5_000; i++) {
    const [thread, key] = [random.below(3), `client ${random.below(40)}`]
    const own = held.get(key) ?? [0, 0, 0]
    const by = (own[thread] as number) > 0 && random.oneIn(2) ? -(own[thread] as number) : 1 + random.below(5)
    threads[thread]?.add(key, by)
    own[thread] = (own[thread] as number) + by
    held.set(key, own)
    assert.equal(threads[random.below(3)]?.of(key), sum(key))
    if (!random.oneIn(500)) continue
    threads[0]?.forget(2)
    for (const one of held.values()) one[2] = 0
  }
  for (const key of held.keys()) assert.equal(threads[1]?.of(key), sum(key))
})

it('a sum without a key is that of all threads', () => {
  const memory = countsMemory(2, 16)
  const [first, second] = [createSharedCounts(memory, 0), createSharedCounts(memory, 1)]
  first.addToTotal(5)
  second.addToTotal(7)
  assert.equal(first.total(), 12)
  first.forget(1)
  assert.equal(second.total(), 5)
})

it('what was not counted since there were too many keys is not taken off later', () => {
  const memory = countsMemory(1, 2)
  const counts = createSharedCounts(memory, 0)
  for (const key of ['a', 'b', 'c']) counts.add(key, 8)
  assert.deepEqual(['a', 'b', 'c'].map(counts.of), [8, 8, 0])
  counts.add('a', -8)
  counts.add('c', -8)
  assert.equal(counts.of('c'), 0, 'a sum below zero would let its caller hold more')
  counts.add('c', 5)
  counts.add('c', -8)
  counts.add('d', 3)
  assert.deepEqual(['b', 'c', 'd'].map(counts.of), [8, 0, 3])
})
