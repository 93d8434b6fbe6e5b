/** When feeds are fetched: by one process, as they are due, and never while there is none. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { DAY_MS } from '../../../src/base/duration.ts'
import { idGenerator } from '../../../src/base/ids.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createFeedFetches } from '../../../src/content/feeds/feed-fetches.ts'
import { startFeedWork } from '../../../src/content/feeds/feed-work.ts'
import { createFeedReader } from '../../../src/feeds/reading/feed-reader.ts'
import { feed } from '../../../src/models/feed-model.ts'
import { parseOutboundAllow } from '../../../src/outbound/outbound-allow.ts'
import { createOutboundClient } from '../../../src/outbound/outbound-client.ts'
import { FEED } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { recordingLog } from '../../../scripts/tools/recording-log.ts'
import { testStore } from '../../../scripts/tools/stores.ts'
import { serverThat } from '../../support/service/scripted-http.ts'

const ITEM = '<item><guid>1</guid><title>One</title><link>https://harbour.example.org/one</link></item>'

async function openWork(t: TestContext, respond: (response: ServerResponse) => void, pace = UNPACED) {
  const { store } = testStore(t)
  const { url, seen } = await serverThat(t, (_, response) => respond(response))
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  let clock = Date.parse('2026-03-01T12:00:00.000Z')
  const now = (): number => clock
  const { log, entries } = recordingLog()
  const rules = { allow: parseOutboundAllow('127.0.0.1'), proxyFor: () => undefined, ca: [] }
  const client = createOutboundClient({ rules, userAgent: () => 'a test', resolve })
  const fetches = createFeedFetches({ store, newId: idGenerator(now), pace, client, reader: createFeedReader(), credentialsOf: () => undefined, metrics: createMetrics(), now, random: () => 0, log })
  const start = (isOnDuty?: () => boolean) => {
    const work = startFeedWork({ store, fetches, isOnDuty, now, log })
    t.after(() => work.stop())
    return work
  }
  const add = (id: string = FEED.id): Promise<unknown> => {
    const value = { ...FEED, id, address: `${url.replace('127.0.0.1', 'feeds.example')}/${id}` } as unknown as JsonObject
    return store.insert(feed, { id, value })
  }
  return { store, seen, asked, start, add, entries, advance: (ms: number) => void (clock += ms) }
}
const rss = (response: ServerResponse): void => void response.writeHead(200).end(`<rss version="2.0"><channel><title>x</title>${ITEM}</channel></rss>`)

it('no name is looked up, and nothing is connected to, while there is no feed', async (t) => {
  const { start, add, seen, asked, store } = await openWork(t, rss)
  const work = start()
  await work.idle()
  assert.deepEqual([seen, asked, store.feeds.nextFeedAt()], [[], [], undefined])
  await add()
  await work.idle()
  assert.deepEqual([seen.length, asked], [1, ['feeds.example']])
  await store.remove(feed, FEED.id)
  await work.idle()
  assert.equal(store.feeds.nextFeedAt(), undefined)
})

it('of two processes, the one on duty fetches, and the other goes on where that has come', async (t) => {
  const { start, add, seen, advance } = await openWork(t, rss)
  let keeper = 'one'
  const [one, other] = [start(() => keeper === 'one'), start(() => keeper === 'other')]
  await add()
  await Promise.all([one.idle(), other.idle()])
  assert.equal(seen.length, 1)
  keeper = 'other'
  advance(DAY_MS)
  await Promise.all([one.idle(), other.idle()])
  assert.equal(seen.length, 2)
})

it('fetchNow() of a process that is not on duty makes the feed due for the one that is', async (t) => {
  const { start, add, seen, store } = await openWork(t, rss)
  const [keeper, other] = [start(() => true), start(() => false)]
  await add()
  await keeper.idle()
  await other.fetchNow(FEED.id)
  assert.equal(seen.length, 1)
  await keeper.idle()
  assert.equal(seen.length, 2)
  assert.ok((store.feeds.feedState(FEED.id)?.nextAt ?? 0) > 0)
})

it('a feed that changes its address while it is fetched gets nothing of the former one', async (t) => {
  let ready = (): void => {}
  const waiting = new Promise<void>((resolve) => void (ready = resolve))
  let respond = (): void => {}
  const { start, add, store } = await openWork(t, (response) => {
    respond = () => rss(response)
    ready()
  })
  const work = start()
  await add()
  await waiting
  await store.update(feed, FEED.id, (stored) => ({ ...stored, paused: true, address: 'https://elsewhere.example/feed' }))
  respond()
  await work.idle()
  assert.equal(store.feeds.feedState(FEED.id), undefined)
  assert.deepEqual(store.feeds.keptItems(FEED.id), [])
})

it('stop() aborts what runs, which stays due', async (t) => {
  let ready = (): void => {}
  const waiting = new Promise<void>((resolve) => void (ready = resolve))
  let isHanging = true
  const { start, add, store, seen } = await openWork(t, (response) => (isHanging ? ready() : rss(response)))
  const work = start()
  await add()
  await waiting
  await work.stop()
  assert.deepEqual([store.feeds.feedState(FEED.id), store.feeds.nextFeedAt()], [undefined, 0])
  isHanging = false
  await start().idle()
  assert.deepEqual([seen.length, store.feeds.keptItems(FEED.id).length], [2, 1])
})

it('a hundred feeds are fetched, each once, and one that fails holds up no other', async (t) => {
  let broken = 0
  const { start, add, seen, store, entries } = await openWork(t, (response) => (broken++ % 10 === 0 ? response.writeHead(500).end() : rss(response)))
  for (let n = 0; n < 100; n++) await add(`feed-${n}`)
  await start().idle()
  assert.equal(new Set(seen).size, 100)
  const failing = [...store.feeds.feedStates().values()].filter(({ state }) => state['problem'] !== undefined)
  assert.deepEqual([failing.length, entries.filter(({ event }) => event === 'feed.failed').length], [10, 10])
})

it('feeds whose items wait to be stored are few, however long that takes', async (t) => {
  const most: number[] = []
  const slow: typeof UNPACED = {
    async run(transaction) {
      // Those that are begun are read meanwhile.
      for (let turns = 0; turns < 200 || seen.length < 8; turns++) await turn()
      const stored = store.feeds.feedStates().size
      most[stored] = Math.max(most[stored] ?? 0, seen.length - stored)
      return transaction(() => {})
    },
  }
  const { start, add, seen, store } = await openWork(t, rss, slow)
  for (let n = 0; n < 20; n++) await add(`feed-${n}`)
  await start().idle()
  assert.equal(most[0], 8, 'while none waits, as many as may run')
  assert.ok(most.slice(7).every((count) => count <= 3), `read ahead: ${most}`)
})
