/** How far the log is trimmed, and which keys go with it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/duration.ts'
import type { KnownNode } from '../../src/cluster/membership.ts'
import { createTrimming } from '../../src/cluster/trimming.ts'

const MIB = 1024 * 1024
const NOW = 1_700_000_000_000
const OWN = 'a'.repeat(16)

function nodeAt(position: number, facts: Partial<KnownNode> = {}): KnownNode {
  return {
    ...{ node: OWN, url: undefined, version: '1.2.3', state: 'in-step', time: NOW, startedAt: NOW },
    ...{ position, durable: position, isAlive: true, snapshot: undefined, ...facts },
  }
}

/** A keeper whose clock and log the test moves. */
function startKeeper({ usedMib = 1, begunAt = NOW } = {}) {
  const state = { now: NOW, ticks: 0, usedMib, begunAt, trimmedTo: 0, destroyed: 0, marks: 0, backups: 0, erasures: 0, isCut: false }
  const trimming = createTrimming({
    etcd: {
      endpoints: ['gone', 'there'],
      async statusAt(url) {
        if (url === 'gone') throw new Error('it does not answer')
        return { version: '3.4.0', dbBytes: 0, dbBytesInUse: state.usedMib * MIB, member: 1n, leader: 1n, raftTerm: 1, errors: [] }
      },
    },
    log: { trim: async (before) => void (state.trimmedTo = before) },
    epochs: {
      begunAt: () => state.begunAt,
      async rotate() {
        state.begunAt = state.now
        return true
      },
      destroyBefore: async (before) => (state.destroyed = before),
    },
    own: OWN,
    backUp: async () => void state.backups++,
    erasures: () => state.erasures,
    async mark() {
      if (state.isCut) throw new Error('the log does not answer')
      state.marks++
    },
    now: () => state.now,
    ticks: () => state.ticks,
  })
  return { state, trimming }
}

const BACKUP = { position: 50, at: NOW - MINUTE_MS }
const backedUp = nodeAt(90, { snapshot: BACKUP })
const other = { node: 'b'.repeat(16) }

describe('the log is trimmed', () => {
  for (const [name, nodes, before, usedMib] of [
    ['not at all without a backup', [nodeAt(90)], 0],
    ['up to the last backup', [backedUp], 50],
    ['up to the last backup of any node', [nodeAt(90), nodeAt(90, { ...other, snapshot: { ...BACKUP, position: 60 } })], 60],
    ['not behind the backup of a node that may be lost', [nodeAt(90), nodeAt(90, { ...other, isAlive: false, snapshot: BACKUP })], 0],
    ['behind the slowest node', [backedUp, nodeAt(40, other)], 40],
    ['behind what a power cut leaves, attack: all machines lose power at once', [backedUp, nodeAt(90, { ...other, durable: 30 })], 30],
    ['behind a silent node, within the window', [backedUp, nodeAt(20, { ...other, isAlive: false })], 20],
    ['past a silent node, where the log is full', [backedUp, nodeAt(20, { ...other, isAlive: false })], 50, 257],
    ['behind a slow node that lives, also where the log is full', [backedUp, nodeAt(20, other)], 20, 257],
    ['behind a silent node, where the log is just not full', [backedUp, nodeAt(20, { ...other, isAlive: false })], 20, 256],
  ] as const) {
    it(name, async () => {
      const { state, trimming } = startKeeper({ usedMib: usedMib ?? 1 })
      await trimming.trim(nodes, 90)
      assert.deepEqual([state.trimmedTo, trimming.trimmedTo(), state.destroyed], [before, before, before])
    })
  }

  it('past a node that has been behind for longer than the window, whatever the clock says meanwhile', async () => {
    const { state, trimming } = startKeeper()
    const nodes = [backedUp, nodeAt(20, { ...other, isAlive: false })]
    trimming.sample(30)
    state.now -= 3 * DAY_MS
    state.ticks = DAY_MS
    trimming.sample(90)
    await trimming.trim(nodes, 90)
    assert.equal(state.trimmedTo, 20)
    state.ticks = DAY_MS + 1
    await trimming.trim(nodes, 90)
    assert.equal(state.trimmedTo, 50)
  })

  it('never backward', async () => {
    const { state, trimming } = startKeeper()
    await trimming.trim([backedUp], 90)
    await trimming.trim([backedUp, nodeAt(10, other)], 90)
    assert.deepEqual([state.trimmedTo, state.destroyed], [50, 50])
  })

  it('after a backup, where it is full and the last one is old', async () => {
    const { state, trimming } = startKeeper({ usedMib: 257 })
    await trimming.trim([backedUp], 90)
    assert.equal(state.backups, 0)
    state.now += 10 * MINUTE_MS
    await trimming.trim([backedUp], 90)
    assert.equal(state.backups, 1)
  })
})

describe('an epoch begins', () => {
  it('an hour after the last one where an account was deleted, once for each hour with a deletion', async () => {
    const { state, trimming } = startKeeper()
    const marksAfter = async (ms: number, erasures: number): Promise<number> => {
      state.now += ms
      state.erasures = erasures
      await trimming.trim([nodeAt(90)], 90)
      return state.marks
    }
    assert.equal(await marksAfter(HOUR_MS, 1), 0)
    assert.equal(await marksAfter(1, 1), 1)
    assert.equal(await marksAfter(HOUR_MS + 1, 1), 1)
    assert.equal(await marksAfter(1, 2), 2)
  })

  it('with its entry as soon as the log answers', async () => {
    const { state, trimming } = startKeeper({ begunAt: 0 })
    state.isCut = true
    await assert.rejects(trimming.trim([nodeAt(90)], 90), /does not answer/)
    state.isCut = false
    for (let i = 0; i < 2; i++) await trimming.trim([nodeAt(90)], 90)
    assert.equal(state.marks, 1)
  })

  for (const [name, passed, marks] of [
    ['a day after the last one, with an entry of its own, so that the key of an idle site goes too', DAY_MS + 1, 1],
    ['no sooner', DAY_MS, 0],
    ['where the clock was set back by more than a day', -DAY_MS - 1, 1],
  ] as const) {
    it(name, async () => {
      const { state, trimming } = startKeeper()
      state.now += passed
      await trimming.trim([nodeAt(90)], 90)
      assert.equal(state.marks, marks)
    })
  }
})
