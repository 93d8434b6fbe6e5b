// isolated: it mocks timers
/** Turns between nodes that write at the same time. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createEndpointOrder } from '../../src/cluster/etcd/endpoint-order.ts'
import { createEtcdLog, type EtcdLogOptions } from '../../src/cluster/log/etcd-log.ts'
import { createWriteTurns, type TurnParts } from '../../src/cluster/log/write-turns.ts'
import type { CommitLog } from '../../src/store/cluster/commit-log.ts'
import { collect, describeLogContract } from '../support/cluster/log-contract.ts'
import { createMemoryEtcd, pass } from '../support/cluster/memory-etcd.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'

const PREFIX = '/test/'

/** A log in memory; a message of each node takes as many turns of the event loop as it says. No time passes. */
function logInMemory(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const etcd = createMemoryEtcd()
  let nodes = 0
  const connect = (turns = 1, changed: Partial<EtcdLogOptions['etcd']> = {}): CommitLog => {
    const log = createEtcdLog({ etcd: { ...etcd.connect(turns), ...changed }, prefix: PREFIX, node: String(nodes++), log: recordingLog().log })
    t.after(() => log.close())
    return log
  }
  const wants = async (): Promise<readonly string[]> => {
    const { pairs } = await etcd.connect(0).range({ key: `${PREFIX}log/want/`, end: `${PREFIX}log/want0` })
    return pairs.map(({ key }) => key.toString().slice(-1))
  }
  return { etcd, connect, wants }
}

describeLogContract('over an etcd in memory', (t) => Promise.resolve(logInMemory(t)))

/** Revisions are plain numbers here. */
function turnsOf(parts: Partial<TurnParts> = {}): ReturnType<typeof createWriteTurns> {
  return createWriteTurns({ node: 'a', announce: () => new Promise(() => {}), withdraw: () => Promise.resolve(), ...parts })
}

/** Whether a turn is there at once. */
async function isFree(turns: ReturnType<typeof createWriteTurns>): Promise<boolean> {
  return Promise.race([turns.turn().then(() => true), new Promise<false>((resolve) => void setImmediate(() => resolve(false)))])
}

describe('a turn', () => {
  it('is free where no other node waits', async (t) => {
    const turns = turnsOf()
    t.after(turns.close)
    assert.equal(await isFree(turns), true)
    turns.wanted('b', 5)
    assert.equal(await isFree(turns), false)
    turns.served('b', 6)
    assert.equal(await isFree(turns), true)
  })

  it('goes by age between nodes that wait, and to nodes that wait ahead of those that do not', async (t) => {
    const turns = turnsOf()
    t.after(turns.close)
    turns.wanted('a', 7)
    turns.wanted('b', 8)
    assert.equal(await isFree(turns), true)
    turns.wanted('c', 6)
    assert.equal(await isFree(turns), false)
    turns.served('c', 9)
    assert.equal(await isFree(turns), true)
    turns.won(10)
    assert.equal(await isFree(turns), false)
  })

  it('ends its wait when an entry comes', async (t) => {
    const turns = turnsOf()
    t.after(turns.close)
    turns.wanted('b', 5)
    const turn = turns.turn()
    turns.entryCame()
    await turn
  })

  it('waits for a node that is gone once, for 200 ms in all', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const turns = turnsOf()
    turns.wanted('gone', 5)
    const turn = turns.turn()
    t.mock.timers.tick(150)
    turns.entryCame()
    await turn
    assert.equal(await isFree(turns), false)
    t.mock.timers.tick(49)
    assert.equal(await isFree(turns), false)
    t.mock.timers.tick(1)
    assert.equal(await isFree(turns), true)
  })
})

const ENTRIES = 90

/** Writes whenever it can until there are enough entries, as the queue of a store does. Returns how many appends were lost. */
async function writeBusily(log: CommitLog, { turns, name }: { turns: number; name: string }) {
  const { seen, raw } = collect(log, 0)
  const last = (): number => seen.at(-1)?.position ?? 0
  let [applied, lost] = [0, 0]
  while (seen.length < ENTRIES) {
    if (last() === applied) await log.turn()
    const reached = last()
    // Applying entries, and running jobs, takes its time.
    await pass(turns)
    if (reached > applied) {
      applied = reached
      continue
    }
    const outcome = await log.append(applied, Buffer.from(name))
    if (outcome.kind === 'lost') {
      lost++
      while (last() === applied) await raw(seen.length + 1)
    } else {
      applied = outcome.position
      await pass(turns)
    }
  }
  return { lost, winners: seen.slice(0, ENTRIES).map(({ body }) => Buffer.from(body).toString()) }
}

describe('nodes that write all the time', () => {
  // The first of these nodes wrote every other entry, and each entry cost one or two others an append that was lost.
  for (const turns of [[1, 1, 1], [4, 3, 2]] as const) {
    it(`take turns, and race seldom, where messages and work take ${turns.join(', ')} turns of the event loop`, async (t) => {
      const { connect } = logInMemory(t)
      const nodes = turns.map((some, i) => writeBusily(connect(some), { turns: some, name: 'abc'[i] ?? '' }))
      const results = await Promise.all(nodes)
      const lost = results.reduce((sum, result) => sum + result.lost, 0)
      const winners = results[0]?.winners.join('') ?? ''
      assert.ok(lost <= ENTRIES / 10, `${lost} appends were lost: ${winners}`)
      for (let i = 0; i + 5 <= ENTRIES; i++) assert.equal(new Set(winners.slice(i, i + 5)).size, 3, winners)
    })
  }
})

it('a node that waits and has nothing to write takes its want back', async (t) => {
  const { connect, wants } = logInMemory(t)
  const [a, b] = [connect(), connect()]
  const { raw } = collect(a, 0)
  for (const log of [a, b]) collect(log, 0)
  const first = await b.append(0, Buffer.from('first'))
  assert.equal(first.kind, 'appended')
  assert.deepEqual(await a.append(0, Buffer.from('late')), { kind: 'lost' })
  assert.deepEqual(await wants(), ['0'])
  await raw(1)
  a.pass()
  await a.append(0, Buffer.from('late again'))
  await b.append(first.kind === 'appended' ? first.position : 0, Buffer.from('second'))
  await raw(2)
  assert.deepEqual(await wants(), ['0'])
  a.pass()
  while ((await wants()).length > 0) await pass(1)
  await b.turn()
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
})
