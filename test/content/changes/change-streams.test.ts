/** Streams of changes below HTTP: rounds, shared pages, signs of life, and clients that do not read. */
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, it, type TestContext } from 'node:test'
import { fail } from '../../../src/base/failure.ts'
import { createChangePages } from '../../../src/content/changes/change-pages.ts'
import { createChangeStreams } from '../../../src/content/changes/change-streams.ts'
import type { Reader } from '../../../src/content/changes/following.ts'
import { HEARTBEAT_TICKS, PRESENCE_TICKS, type OpenedStream } from '../../../src/content/changes/open-streams.ts'
import { CHANGE_EVENTS } from '../../../src/content/changes/page-memo.ts'
import { createPresence } from '../../../src/content/changes/presence.ts'
import { createRounds, type Job } from '../../../src/content/changes/rounds.ts'
import type { StreamSink } from '../../../src/http/exchange.ts'
import { topic } from '../../../src/models/topic.ts'
import { recordingLog } from '../../../scripts/tools/recording-log.ts'
import { testStore } from '../../../scripts/tools/stores.ts'
import { until } from '../../support/until.ts'

const READER = { id: 'reader', appRole: 'standardUser', dashboardRole: 'none' } as const
const QUERY = { models: [topic], filter: undefined, filterText: '' }

type FollowOptions = Pick<OpenedStream, 'backlog' | 'editing'>

function open(t: TestContext) {
  const { store } = testStore(t)
  const pages = createChangePages({ store, settings: { limitDefault: 20, limitMax: 100, hideInactive: false } })
  const { log, entries } = recordingLog()
  let [wake, tick] = [(): void => {}, (): void => {}]
  let listening = false
  const streams = createChangeStreams({
    ...{ pages, log, changes: store.versions.changes, ticks: () => 0, presence: createPresence(() => 0) },
    listen(onCommit, everySecond) {
      listening = true
      wake = onCommit
      tick = everySecond
      return () => void (listening = false)
    },
  })
  const follow = (seq: number, reader: Reader = () => READER, { backlog, editing }: FollowOptions = {}) => {
    const written: string[] = []
    const state = { unread: 0, ended: 0, cut: 0, drained: (): void => {} }
    const sink: StreamSink = {
      get unread() {
        return state.unread
      },
      write: (bytes) => void written.push(Buffer.from(bytes).toString()),
      whenDrained: (proceed) => void (state.drained = proceed),
      end: () => void state.ended++,
      cut: () => void state.cut++,
    }
    const following = { query: QUERY, reader, view: pages.view(QUERY, reader()), seq }
    const close = streams.follow(following, { format: CHANGE_EVENTS, sink, mustStartOver: false, backlog, ...(editing && { editing }) })
    const ids = (): string[] => [...written.join('').matchAll(/"model":"topic","id":"(t\d+)"/g)].map(([, id = '']) => id)
    return { state, close, ids, text: () => written.join('') }
  }
  const insert = (n: number) => store.insert(topic, { id: `t${n}`, value: { id: `t${n}`, status: 'active' } })
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn++) await nextTurn()
  }
  return { streams, follow, insert, settled, entries, wake: () => wake(), tick: () => tick(), isListening: () => listening }
}

describe('streams of changes', () => {
  it('that are behind get all in order, page after page', async (t) => {
    const { follow, insert } = open(t)
    const wanted = Array.from({ length: 250 }, (_, i) => i)
    for (const n of wanted) await insert(n)
    const [quick, late] = [follow(0), follow(0)]
    late.state.unread = 200_000
    await until(() => quick.ids().length === wanted.length)
    assert.deepEqual(quick.ids(), wanted.map((n) => `t${n}`))
    assert.equal(late.ids().length, 100, 'the next page waits until this one is read')
    late.state.unread = 0
    late.state.drained()
    // The next page is no reason to wait either: nothing is unread now.
    await until(() => late.ids().length === wanted.length)
    assert.deepEqual(late.ids(), quick.ids())
  })

  it('that are behind pay for that, wait where they cannot, and pay for nothing that comes later', async (t) => {
    const { follow, insert, settled, wake, tick } = open(t)
    for (let n = 0; n < 250; n++) await insert(n)
    const state = { mayPay: false, paid: 0 }
    const weigh = (steps: number): void => {
      if (!state.mayPay) throw fail('tooManyRequests', 'no more')
      state.paid += steps
    }
    const stream = follow(0, undefined, { backlog: { upTo: 250, weigh } })
    await until(() => stream.ids().length > 0)
    tick()
    await settled()
    assert.deepEqual([stream.ids().length, stream.state.ended], [100, 0])
    state.mayPay = true
    tick()
    await until(() => stream.ids().length === 250)
    const { paid } = state
    assert.ok(paid > 0)
    await insert(250)
    wake()
    await until(() => stream.ids().length === 251)
    assert.equal(state.paid, paid)
  })

  it('give a sign of life when nothing else was written for a while', async (t) => {
    const { follow, insert, wake, tick } = open(t)
    const stream = follow(0)
    for (let i = 1; i < HEARTBEAT_TICKS; i++) tick()
    assert.ok(!stream.text().includes(':\n\n'))
    await insert(1)
    wake()
    await until(() => stream.ids().length > 0)
    tick()
    assert.ok(!stream.text().includes(':\n\n'), 'the event was one')
    for (let i = 0; i < HEARTBEAT_TICKS; i++) tick()
    assert.equal(stream.text().split(':\n\n').length, 2)
  })

  it('end with their token, though nothing is written', async (t) => {
    const { streams, follow, settled, tick } = open(t)
    let isExpired = false
    const ending = follow(0, () => {
      if (isExpired) throw fail('unauthorized', 'expired')
      return READER
    })
    const going = follow(0)
    await settled()
    isExpired = true
    for (let i = 0; i < HEARTBEAT_TICKS; i++) tick()
    assert.deepEqual([ending.state.ended, going.state.ended, streams.counts().open], [1, 0, 1])
    assert.ok(!ending.text().includes(':\n\n') && going.text().includes(':\n\n'))
  })

  it('tell who else edits their documents, until the stream or the role of that user ends', async (t) => {
    const { follow, settled, tick } = open(t)
    const roles: Record<string, 'admin' | 'publisher' | 'none'> = { ann: 'admin', ben: 'publisher' }
    const edit = (id: string, ...ids: readonly string[]) =>
      follow(0, () => ({ ...READER, id, dashboardRole: roles[id] ?? 'none' }), { editing: ids.map((one) => ({ model: 'topic', id: one })) })
    const told = async ({ text }: { readonly text: () => string }): Promise<readonly unknown[]> => {
      for (let n = 0; n < PRESENCE_TICKS; n++) tick()
      await settled()
      const events = [...text().matchAll(/event: presence\ndata: (.*)\n/g)].map(([, data = '']) => JSON.parse(data) as { items: { people: unknown }[] })
      return events.map(({ items }) => items.map(({ people }) => people))
    }
    const ann = edit('ann', 't1', 't2')
    const alone = [[], []]
    assert.deepEqual(await told(ann), [alone])
    const [first, bystander] = [edit('ben', 't2'), follow(0)]
    assert.deepEqual(await told(ann), [alone, [[], ['ben']]])
    assert.deepEqual(await told(ann), [alone, [[], ['ben']]], 'what is no news is not told again')
    first.close()
    assert.deepEqual(await told(ann), [alone, [[], ['ben']], alone])
    edit('ben', 't1')
    assert.deepEqual((await told(ann)).at(-1), [['ben'], []])
    roles['ben'] = 'none'
    // The first look of these finds that the role has ended, and the next one that the user is gone.
    await told(ann)
    assert.deepEqual((await told(ann)).at(-1), alone)
    assert.deepEqual(await told(bystander), [])
  })

  it('with slow filters let other requests in between, and other callers', async () => {
    const order: string[] = []
    let ms = 0
    /** Each slice is longer than it may be. */
    const job = (caller: string, name: string, slices: number): Job => ({
      ...{ caller, class: 'guest' },
      run() {
        order.push(name)
        ms += 30
        return --slices > 0 ? 'unfinished' : 'done'
      },
    })
    const rounds = createRounds(() => [job('greedy', 'a', 3), job('greedy', 'b', 1), job('other', 'c', 1)], () => ms)
    rounds.wake()
    for (const wanted of ['a', 'ac', 'aca', 'acaa', 'acaab']) {
      assert.equal(order.join(''), wanted)
      await nextTurn()
    }
  })

  it('are cut where a client leaves more than a mebibyte unread, and not before', async (t) => {
    const { streams, follow, insert, wake, entries } = open(t)
    const [slow, slower] = [follow(0), follow(0)]
    slow.state.unread = 1024 * 1024
    slower.state.unread = 1024 * 1024 + 1
    await insert(1)
    wake()
    await until(() => slow.ids().length > 0 && slower.state.cut > 0)
    assert.deepEqual([slow.state.cut, slower.state.cut, slow.ids(), slower.ids()], [0, 1, ['t1'], []])
    assert.equal(streams.counts().cuts, 1)
    assert.ok(entries.some(({ event }) => event === 'stream.cut'))
  })

  it('listen only while there are any', (t) => {
    const { streams, follow, isListening } = open(t)
    assert.equal(isListening(), false)
    const [a, b] = [follow(0), follow(0)]
    a.close()
    assert.equal(isListening(), true)
    b.close()
    assert.equal(isListening(), false)
    streams.close()
    const late = follow(0)
    assert.equal(late.state.ended, 1, 'none begins behind the end')
  })
})
