/** How far the log is trimmed, and when what was deleted leaves etcd. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/duration.ts'
import { EtcdError } from '../../src/cluster/etcd/etcd-error.ts'
import type { KnownNode } from '../../src/cluster/membership.ts'
import { createTrimming } from '../../src/cluster/trimming.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'

const MIB = 1024 * 1024
const NOW = 1_700_000_000_000
const OWN = 'a'.repeat(16)

function nodeAt(position: number, facts: Partial<KnownNode> = {}): KnownNode {
  return {
    ...{ node: OWN, url: undefined, version: '1.2.3', state: 'in-step', time: NOW, startedAt: NOW },
    ...{ position, durable: position, isAlive: true, snapshot: undefined, ...facts },
  }
}

/** A keeper whose clock, log and etcd the test moves. `erasedAgo` is the time since etcd was rid of what was deleted. */
function startKeeper({ usedMib = 1, erasedAgo = 0 } = {}) {
  const state = { now: NOW, ticks: 0, usedMib, trimmedTo: 0, marks: 0, backups: 0, erasures: 0, erasedAt: NOW - erasedAgo, isCut: false }
  const asked: string[] = []
  const faults = new Set<string>()
  const trimming = createTrimming({
    etcd: {
      endpoints: ['gone', 'there'],
      async statusAt(url) {
        if (url === 'gone') throw new Error('it does not answer')
        return { version: '3.4.0', dbBytes: 0, dbBytesInUse: state.usedMib * MIB, member: 1n, leader: 1n, raftTerm: 1, errors: [] }
      },
      async range({ key }) {
        assert.equal(key, '/site/erased')
        const pair = { key: Buffer.from(key), value: Buffer.from(String(state.erasedAt)), createRevision: 1, modRevision: 1, version: 1 }
        return { revision: 1, pairs: [pair] }
      },
      async transact({ success }) {
        const [put] = success
        assert.ok(put?.kind === 'put')
        state.erasedAt = Number(Buffer.from(put.put.value).toString())
        return { hasSucceeded: true, revision: 2, ranges: [] }
      },
      async defragmentAt(url) {
        asked.push(url)
        if (faults.has(url)) throw new EtcdError('it does not answer', { code: 'unavailable', isSent: false })
      },
    },
    prefix: '/site/',
    commitLog: { trim: async (before) => void (state.trimmedTo = before) },
    own: OWN,
    backUp: async () => void state.backups++,
    erasures: () => state.erasures,
    position: () => 90 + state.marks,
    async mark() {
      if (state.isCut) throw new Error('the log does not answer')
      state.marks++
    },
    log: recordingLog().log,
    now: () => state.now,
    ticks: () => state.ticks,
  })
  return { state, trimming, asked, faults }
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
      assert.deepEqual([state.trimmedTo, trimming.trimmedTo()], [before, before])
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
    assert.equal(state.trimmedTo, 50)
  })

  it('after a backup, where it is full and the last one is old', async () => {
    const { state, trimming } = startKeeper({ usedMib: 257 })
    await trimming.trim([backedUp], 90)
    assert.equal(state.backups, 0)
    state.now += 10 * MINUTE_MS
    state.ticks += 10 * MINUTE_MS + 1
    await trimming.trim([backedUp], 90)
    assert.equal(state.backups, 1)
  })
})

describe('what was deleted', () => {
  const pass = ({ state }: ReturnType<typeof startKeeper>, ms: number): void => {
    state.now += ms
    state.ticks += ms
  }
  /** The nodes with a backup of now. */
  const nodesAt = (position: number, at = NOW): readonly KnownNode[] => [nodeAt(position, { snapshot: { position, at } })]

  it('leaves etcd within an hour: a backup, the log trimmed behind new entries, then each server in turn', async () => {
    const keeper = startKeeper()
    const { state, trimming, asked } = keeper
    state.erasures = 1
    pass(keeper, 45 * MINUTE_MS)
    await trimming.trim(nodesAt(90), 90)
    assert.equal(state.marks, 0)
    pass(keeper, 1)
    await trimming.trim(nodesAt(90), 90)
    // Compaction keeps an entry ahead of where it compacts, so that the log must be trimmed behind two new ones.
    assert.deepEqual([state.marks, state.backups, asked], [3, 1, []])
    await trimming.trim(nodesAt(92, state.now), 93)
    assert.deepEqual([state.trimmedTo, asked], [92, []])
    for (const url of ['gone', 'there']) {
      await trimming.trim(nodesAt(93, state.now), 93)
      assert.equal(asked.at(-1), url)
    }
    assert.deepEqual([state.trimmedTo, asked.length, state.erasedAt], [93, 2, state.now])
    // Nothing was deleted since.
    pass(keeper, HOUR_MS)
    await trimming.trim(nodesAt(93, state.now), 93)
    assert.equal(state.marks, 3)
  })

  it('waits for a server that does not answer behind the others, and says so until it has answered', async () => {
    const keeper = startKeeper({ erasedAgo: HOUR_MS })
    const { state, trimming, asked, faults } = keeper
    state.erasures = 1
    faults.add('gone')
    for (let i = 0; i < 4; i++) await trimming.trim(nodesAt(93), 93)
    assert.deepEqual(asked, ['gone', 'there', 'gone', 'gone'])
    assert.match(trimming.concerns().map(({ message }) => message).join(), /etcd keeps what was deleted: it does not answer: start gone, or run "etcdctl defrag" there/)
    faults.clear()
    await trimming.trim(nodesAt(93), 93)
    assert.deepEqual([asked.length, trimming.concerns(), state.erasedAt], [5, [], state.now])
  })

  it('begins with its entries as soon as the log answers', async () => {
    const { state, trimming } = startKeeper({ erasedAgo: 2 * DAY_MS })
    state.isCut = true
    await assert.rejects(trimming.trim([nodeAt(90)], 90), /does not answer/)
    state.isCut = false
    for (let i = 0; i < 2; i++) await trimming.trim([nodeAt(90)], 90)
    assert.equal(state.marks, 3)
  })

  for (const [name, erasedAgo, marks] of [
    ['leaves etcd a day after the last time, also where a keeper knows of no deletion: another one may have known', DAY_MS + 1, 3],
    ['does not sooner', DAY_MS, 0],
    ['does where the clock was set back by more than a day', -DAY_MS - 1, 3],
  ] as const) {
    it(name, async () => {
      const { state, trimming } = startKeeper({ erasedAgo })
      await trimming.trim([nodeAt(90)], 90)
      assert.equal(state.marks, marks)
    })
  }
})
