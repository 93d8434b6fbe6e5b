/** Whose turn it is, and who loses a place when too many wait. Entries are named `caller number`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CallerClass } from '../../src/models/caller.ts'
import { createFairQueue, type FairQueue, type Waiting } from '../../src/store/query/threads/fair-queue.ts'

interface Named extends Waiting {
  readonly name: string
}

/** Callers of these tests begin with the first letter of their class; those of a group have its name behind an `@`. */
function entry(name: string, weight = 1): Named {
  const [caller = ''] = name.split(' ')
  const [, group] = caller.split('@')
  const names: Readonly<Record<string, CallerClass>> = { g: 'guest', u: 'user', d: 'dashboard' }
  return { name, caller, class: names[caller.charAt(0)] ?? 'guest', group, weight }
}

const queueOf = (names: readonly string[], weightMax = 1_000): FairQueue<Named> => {
  const queue = createFairQueue<Named>({ lineMax: 16, weightMax })
  for (const name of names) assert.deepEqual(queue.add(entry(name)), [])
  return queue
}

function order(queue: FairQueue<Named>, mayGo: (one: Named) => boolean = () => true): string[] {
  const names: string[] = []
  for (let one = queue.take(mayGo); one !== undefined; one = queue.take(mayGo)) names.push(one.name)
  return names
}

describe('the next is', () => {
  for (const { name, waiting, wanted } of [
    { name: 'the first of a single caller', waiting: ['g1 a', 'g1 b', 'g1 c'], wanted: ['g1 a', 'g1 b', 'g1 c'] },
    {
      name: 'one of each caller in turn, however many one has',
      waiting: ['g1 a', 'g1 b', 'g1 c', 'g2 a', 'g3 a', 'g3 b'],
      wanted: ['g1 a', 'g2 a', 'g3 a', 'g1 b', 'g3 b', 'g1 c'],
    },
    {
      name: 'that of a dashboard role, whenever it came',
      waiting: ['g1 a', 'u1 a', 'd1 a', 'd1 b', 'd2 a'],
      wanted: ['d1 a', 'd2 a', 'd1 b', 'u1 a', 'g1 a'],
    },
    {
      name: 'by turns that of a user and of a guest, however many guests there are',
      waiting: ['g1 a', 'g2 a', 'g3 a', 'g4 a', 'u1 a', 'u1 b'],
      wanted: ['u1 a', 'g1 a', 'u1 b', 'g2 a', 'g3 a', 'g4 a'],
    },
    {
      name: 'one of each group in turn, however many guests a client address makes',
      waiting: ['g1@x a', 'g1@x b', 'g2@x a', 'g3@x a', 'g4@x a', 'g5@y a', 'g6@y a', 'g7 a'],
      wanted: ['g1@x a', 'g5@y a', 'g7 a', 'g2@x a', 'g6@y a', 'g3@x a', 'g4@x a', 'g1@x b'],
    },
  ]) {
    it(name, () => assert.deepEqual(order(queueOf(waiting)), wanted))
  }

  it('not one that may not go, and its caller keeps its turn', () => {
    const queue = queueOf(['g1 a', 'g2 a', 'g1 b'])
    assert.equal(queue.take(({ caller }) => caller !== 'g1')?.name, 'g2 a')
    assert.equal(queue.take(() => false), undefined)
    assert.deepEqual(order(queue), ['g1 a', 'g1 b'])
  })

  it('not the first of a caller that was just served', () => {
    const queue = queueOf(['g1 a', 'g1 b', 'g2 a'])
    queue.yieldTurn(entry('g1'))
    queue.yieldTurn(entry('g9'))
    assert.deepEqual(order(queue), ['g2 a', 'g1 a', 'g1 b'])
  })

  it('not of a group that was just served', () => {
    const queue = queueOf(['g1@x a', 'g2@x a', 'g3@y a'])
    queue.yieldTurn(entry('g1@x'))
    assert.deepEqual(order(queue), ['g3@y a', 'g2@x a', 'g1@x a'])
  })

  it('none that has left', () => {
    const queue = queueOf(['g1 a', 'g2 a'])
    const gone = entry('g1 b')
    queue.add(gone)
    queue.remove(gone)
    queue.remove(gone)
    assert.deepEqual(queue.counts(), { guest: 2, user: 0, dashboard: 0 })
    assert.deepEqual(order(queue), ['g1 a', 'g2 a'])
  })
})

it('a line is full with its sixteenth entry, and only that line', () => {
  const queue = queueOf(Array.from({ length: 15 }, (_, i) => `g1 ${i}`))
  assert.equal(queue.isFull(entry('g1')), false)
  queue.add(entry('g1 15'))
  assert.equal(queue.isFull(entry('g1')), true)
  assert.equal(queue.isFull(entry('g2')), false)
  queue.take(() => true)
  assert.equal(queue.isFull(entry('g1')), false)
})

describe('when all lines together are full', () => {
  for (const { name, waiting, comes, weight = 1, dropped } of [
    { name: 'a guest among guests who wait as little is refused', waiting: ['g1 a', 'g2 a'], comes: 'g3 a', dropped: ['g3 a'] },
    { name: 'the longest line loses its newest', waiting: ['g1 a', 'g1 b'], comes: 'g2 a', dropped: ['g1 b'] },
    { name: 'of the group with most, the newest loses', waiting: ['g1@x a', 'g2@x a'], comes: 'g3@y a', dropped: ['g2@x a'] },
    { name: 'one that weighs much counts as much', waiting: ['g1 a', 'g2 a'], comes: 'g3 a', weight: 2, dropped: ['g3 a'] },
    { name: 'a guest loses to a user', waiting: ['g1 a', 'u1 a'], comes: 'u1 b', dropped: ['g1 a'] },
    { name: 'a user loses to a dashboard role', waiting: ['u1 a', 'd1 a'], comes: 'd1 b', dropped: ['u1 a'] },
    { name: 'a dashboard role loses to no guest', waiting: ['d1 a', 'd1 b'], comes: 'g1 a', dropped: ['g1 a'] },
    { name: 'a dashboard role loses to no user', waiting: ['d1 a', 'd1 b'], comes: 'u1 a', dropped: ['u1 a'] },
    { name: 'as many lose as it takes', waiting: ['g1 a', 'g2 a'], comes: 'd1 a', weight: 2, dropped: ['g2 a', 'g1 a'] },
  ]) {
    it(name, () => {
      const queue = queueOf(waiting, 2)
      const lost = queue.add(entry(comes, weight)).map((one) => one.name)
      assert.deepEqual(lost, dropped)
      const left = [...waiting, comes].filter((one) => !dropped.includes(one))
      assert.deepEqual(order(queue).sort(), left.sort())
    })
  }
})
