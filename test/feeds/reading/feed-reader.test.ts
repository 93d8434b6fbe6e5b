/** Long documents are read in a thread, within bounds of time and memory: a feed that was written to take both stops no service. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFeedReader } from '../../../src/feeds/reading/feed-reader.ts'
import { readDocument, type DocumentReading } from '../../../src/feeds/reading/read-document.ts'
import { SAMPLE_ADDRESS, SAMPLE_NOW } from '../../support/feeds/sample-feeds.ts'

const ITEM = '<item><title>One &amp; more</title><link>https://harbour.example/one</link></item>'
const document = (text: string) => ({ bytes: Buffer.from(text), address: SAMPLE_ADDRESS, now: SAMPLE_NOW })
const rss = (items: string) => document(`<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`)
const LONG = rss(ITEM.repeat(3_000))
/** Takes a second for some megabytes. */
const costly = (bytes: number) => rss(`<item><description>${'&'.repeat(bytes)}</description></item>`)
const COSTLY = costly(20_000_000)
const reasonOf = (reading: DocumentReading): string => (reading.kind === 'none' ? reading.reason : 'a feed')

describe('a reader of feeds', () => {
  it('reads long documents as it reads short ones', async () => {
    const reader = createFeedReader()
    const page = (filling: number) => document(`<html><link rel="alternate" type="application/rss+xml" href="/feed.xml">${' '.repeat(filling)}</html>`)
    for (const one of [rss(ITEM), LONG, page(0), page(500_000), document(''), document('no feed'.repeat(50_000))]) {
      assert.deepEqual(await reader.read(one), readDocument(one))
    }
  })

  it('reads documents that come together one after the other', async () => {
    const reader = createFeedReader()
    const all = await Promise.all([LONG, rss(ITEM), LONG].map((one) => reader.read(one)))
    assert.deepEqual(all.map((one) => one.kind === 'feed' && one.feed.items.length), [500, 1, 500])
  })

  it('leaves the event loop free meanwhile', async () => {
    let turns = 0
    const count = setInterval(() => turns++, 1)
    await createFeedReader().read(costly(2_000_000))
    clearInterval(count)
    assert.ok(turns > 10, String(turns))
  })

  it('attack: a feed that takes more than its time is ended, says so, and holds up no other', async () => {
    const reader = createFeedReader({ cpuMsMax: 200 })
    const [costly, next] = await Promise.all([reader.read(COSTLY), reader.read(LONG)])
    assert.equal(reasonOf(costly), 'Reading the feed takes more than 0.2 s: use an address with fewer items')
    assert.equal(next.kind, 'feed')
  })

  it('attack: a feed that takes more than its memory is ended, and says so', async () => {
    const reader = createFeedReader({ heapMbMax: 24 })
    const items = '{"a":{}},'.repeat(600_000)
    assert.equal(reasonOf(await reader.read(document(`{"items":[${items}{}]}`))), 'Reading the feed takes too much memory: use an address with fewer items')
    assert.equal((await reader.read(LONG)).kind, 'feed')
  })

  it('ends what is aborted, and what waits behind it', async () => {
    const reader = createFeedReader()
    const stopping = new AbortController()
    const readings = [reader.read(COSTLY, stopping.signal), reader.read(LONG, stopping.signal), reader.read(LONG)]
    setImmediate(() => stopping.abort())
    const reasons = (await Promise.all(readings)).map(reasonOf)
    assert.deepEqual([...new Set(reasons.slice(0, 2))], ['The service is stopping: it reads the feed again after its start'])
    assert.equal(reasons[2], 'a feed')
  })
})
