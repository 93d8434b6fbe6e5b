/** Pictures of items that the service keeps: behind their headlines, each once, by the rules of feeds, and never against a person. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/duration.ts'
import { idGenerator } from '../../../src/base/ids.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { healthOfFeed } from '../../../src/content/feeds/feed-health.ts'
import { itemsOfFeed } from '../../../src/content/feeds/feed-items-view.ts'
import { ingestItems } from '../../../src/content/feeds/ingest.ts'
import { startItemPictures } from '../../../src/content/feeds/item-picture-work.ts'
import { createKeptItemPictures } from '../../../src/content/feeds/kept-item-pictures.ts'
import { createPictures } from '../../../src/content/kept-pictures.ts'
import type { FeedItem } from '../../../src/feeds/feed.ts'
import { feed } from '../../../src/models/feed-model.ts'
import { headline } from '../../../src/models/headline.ts'
import { parseOutboundAllow } from '../../../src/outbound/outbound-allow.ts'
import { createOutboundClient } from '../../../src/outbound/outbound-client.ts'
import { OPERATOR, type Actor } from '../../../src/store/actor.ts'
import { pictureFiles } from '../../../src/store/media/picture-files.ts'
import { FEED } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { PRIVATE_NOTE, samplePicture } from '../../../scripts/tools/media/sample-pictures.ts'
import { recordingLog } from '../../../scripts/tools/recording-log.ts'
import { testStore, type SystemStore, writerWith } from '../../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'
import { serverThat } from '../../support/service/scripted-http.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const SITE = 'https://news.example.org/'
const OTHER_FEED = '66f000000000000000000777'
const OURS = /^https:\/\/news\.example\.org\/media\/[0-9a-f]{64}\.jpg$/

type Respond = (request: IncomingMessage, response: ServerResponse) => void
const jpeg: Respond = (_, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(samplePicture('jpeg turned'))

/** A store with two feeds that keep pictures, and a server that has the pictures under any name but those of `addresses`. */
async function openKeeping(t: TestContext, respond: Respond = jpeg, addresses: Readonly<Record<string, string>> = {}, totalMs = 30_000) {
  const { store } = testStore(t)
  const { url, seen } = await serverThat(t, respond)
  let [clock, siteAddress, bytesMax] = [NOW, SITE as string | undefined, Number.MAX_SAFE_INTEGER]
  const now = (): number => clock
  const files = pictureFiles(join(temporaryDirectory(t), 'media'))
  const allow = parseOutboundAllow('pictures.example,slow.example')
  const client = createOutboundClient({
    rules: { allow, proxyFor: () => undefined, ca: [] },
    userAgent: () => 'a test',
    resolve: (host) => Promise.resolve([{ address: addresses[host] ?? '127.0.0.1', family: 4 }]),
    limits: { totalMs },
  })
  const { log, entries } = recordingLog()
  for (const id of [FEED.id, OTHER_FEED]) {
    const value = { ...FEED, id, address: `https://harbour.example.org/${id}`, keepsPictures: true, rules: [], arrival: 'published' } as unknown as JsonObject
    await store.insert(feed, { id, value })
  }
  const newId = idGenerator(now)
  const address = (name: string, host = 'pictures.example'): string => url.replace('127.0.0.1', host) + `/${name}`
  const item = (name: string, more: Partial<FeedItem> = {}): FeedItem => ({
    ...{ id: name, title: name, link: `https://harbour.example.org/${name}`, excerpt: '', categories: [], picture: address(name) },
    ...more,
  })
  const start = ({ isOnDuty, from = store }: { isOnDuty?: () => boolean; from?: Pick<SystemStore, 'as'> } = {}) => {
    const writable = { ...store, as: from.as }
    const pictures = createPictures({ store: writable, files, limit: () => ({ bytesMax, isDiskShort: false }), now })
    const keeping = createKeptItemPictures({ store: writable, client, pictures, pace: UNPACED, siteAddress: () => siteAddress, metrics: createMetrics(), now })
    const work = startItemPictures({ store, keeping, isOnDuty, now, log })
    t.after(() => work.stop())
    return work
  }
  return {
    ...{ store, seen, files, address, item, start, entries, url },
    read: (items: readonly FeedItem[], feedId: string = FEED.id) =>
      ingestItems({ store, newId, pace: UNPACED }, { feedId, address: `https://harbour.example.org/${feedId}`, items, now: now(), state: undefined }),
    advance: (ms: number) => void (clock += ms),
    setAddress: (next: string | undefined) => void (siteAddress = next),
    setBytesMax: (next: number) => void (bytesMax = next),
    /** The headline of an item by its title. */
    stored: (title: string): JsonObject => {
      const rows = [FEED.id, OTHER_FEED].flatMap((id) => store.feeds.keptItems(id))
      const texts = rows.flatMap(({ headline: id }) => store.documents.get(headline, id ?? '') ?? [])
      return texts.map((text) => JSON.parse(text) as JsonObject).find((one) => one['title'] === title) as JsonObject
    },
    reasons: (feedId: string = FEED.id) => itemsOfFeed(store, feedId).items.map(({ reasons }) => reasons.map(({ message }) => message)),
    note: () => healthOfFeed(store, FEED.id, { now: now(), lacksAddress: siteAddress === undefined })?.sentence,
    known: () => store.pictures.pictureTotals().pictures,
  }
}

describe('the picture of an item', () => {
  it('is elsewhere first, and is then kept as one that is sent, by the feed', async (t) => {
    const { read, item, start, stored, address, seen, files, store, reasons, note, known } = await openKeeping(t)
    await read([item('ferry')])
    assert.equal(stored('ferry')['imageUrl'], address('ferry'))
    await start().idle()
    const { imageUrl } = stored('ferry')
    assert.match(String(imageUrl), OURS)
    const picture = store.pictures.listPictures({ limit: 1, unused: false, after: undefined }).items[0]
    assert.ok(picture !== undefined && String(imageUrl).includes(picture.hash))
    assert.deepEqual([picture.actor, picture.uses, files.read(picture)?.includes(PRIVATE_NOTE)], ['feed', 1, false])
    assert.deepEqual([seen, reasons(), note(), known()], [['GET /ferry'], [[]], null, 1])
    const [change] = store.history.historyOf(headline, String(stored('ferry')['id']), { limit: 1, before: undefined } as never).items
    assert.equal(change?.actor, 'feed')
  })

  it('is fetched once, however many items name it, and again for an item of the next day', async (t) => {
    const { read, item, start, stored, address, seen, advance, known } = await openKeeping(t)
    const picture = address('logo')
    const many = Array.from({ length: 50 }, (_, n) => item(`story-${n}`, { picture }))
    await read(many)
    await read([item('other', { picture })], OTHER_FEED)
    const work = start()
    await work.idle()
    for (const { title = '' } of many) assert.match(String(stored(title)['imageUrl']), OURS)
    assert.match(String(stored('other')['imageUrl']), OURS)
    advance(HOUR_MS)
    await read([item('later', { picture })], OTHER_FEED)
    await work.idle()
    assert.match(String(stored('later')['imageUrl']), OURS)
    assert.deepEqual(seen, ['GET /logo'])
    advance(DAY_MS)
    await read([item('tomorrow', { picture })])
    await work.idle()
    assert.deepEqual([seen.length, known()], [2, 1])
  })

  it('stays elsewhere where the feed does not keep pictures, or does so no more', async (t) => {
    const { read, item, start, stored, address, seen, store } = await openKeeping(t)
    await store.update(feed, OTHER_FEED, (before) => ({ ...before, keepsPictures: false }))
    await read([item('not-kept', { picture: address('shared') })], OTHER_FEED)
    await read([item('kept', { picture: address('shared') }), item('no-more')])
    await store.update(feed, FEED.id, (before) => ({ ...before, keepsPictures: false }))
    const work = start()
    await work.idle()
    assert.deepEqual([seen, store.feeds.nextPictureAt()], [[], undefined])
    assert.equal(stored('no-more')['imageUrl'], address('no-more'))
    await store.update(feed, FEED.id, (before) => ({ ...before, keepsPictures: true }))
    await read([item('new', { picture: address('shared') })])
    await work.idle()
    assert.equal(stored('not-kept')['imageUrl'], address('shared'))
    assert.match(String(stored('new')['imageUrl']), OURS)
  })

  it('does not come back where its headline got another one from a person, and comes where only the title did', async (t) => {
    let waiting: (() => void) | undefined
    let asked = (): void => {}
    const begun = new Promise<void>((resolve) => void (asked = resolve))
    const { read, item, start, stored, store } = await openKeeping(t, (request, response) => {
      if (request.url !== '/chosen') return jpeg(request, response)
      waiting = () => jpeg(request, response)
      asked()
    })
    const byPerson = (title: string, more: JsonObject): Promise<unknown> =>
      store.as(OPERATOR).update(headline, String(stored(title)['id']), (before) => ({ ...before, ...more }))
    await read([item('chosen'), item('before'), item('renamed')])
    await byPerson('before', { imageUrl: 'https://harbour.example.org/mine.jpg' })
    await byPerson('renamed', { title: 'A better title' })
    const work = start()
    await begun
    await byPerson('chosen', { imageUrl: 'https://harbour.example.org/other.jpg' })
    waiting?.()
    await work.idle()
    assert.equal(stored('before')['imageUrl'], 'https://harbour.example.org/mine.jpg')
    assert.equal(stored('chosen')['imageUrl'], 'https://harbour.example.org/other.jpg')
    assert.match(String(stored('A better title')['imageUrl']), OURS)
    assert.equal(store.feeds.nextPictureAt(), undefined)
  })

  it('stays where the item changes its title, and follows it to another picture', async (t) => {
    const { read, item, start, stored, address, seen, store } = await openKeeping(t, (request, response) =>
      request.url === '/ferry' ? jpeg(request, response) : response.writeHead(200).end(samplePicture('png')),
    )
    await read([item('ferry')])
    const work = start()
    await work.idle()
    const { imageUrl } = stored('ferry')
    await read([item('ferry', { title: 'The ferry is late' })])
    await work.idle()
    assert.deepEqual([stored('The ferry is late')['imageUrl'], seen.length], [imageUrl, 1])
    await read([item('ferry', { title: 'Late', picture: address('other') })])
    assert.equal(stored('Late')['imageUrl'], address('other'))
    await work.idle()
    assert.match(String(stored('Late')['imageUrl']), /\.png$/)
    assert.deepEqual([seen.length, store.feeds.duePicture(address('ferry'), Infinity)], [2, undefined])
  })

  it('is tried some times where it cannot be fetched, and the item and its feed say why', async (t) => {
    let isThere = false
    const { read, item, start, stored, address, seen, advance, reasons, note } = await openKeeping(t, (request, response) =>
      isThere ? jpeg(request, response) : response.writeHead(404).end(),
    )
    await read([item('ferry')])
    const work = start()
    for (const [waitMs, tries] of [[0, 1], [9 * MINUTE_MS, 1], [MINUTE_MS, 2], [HOUR_MS, 3], [6 * HOUR_MS, 4], [DAY_MS, 5], [30 * DAY_MS, 5]] as const) {
      advance(waitMs)
      await work.idle()
      assert.equal(seen.length, tries, `after ${waitMs}`)
    }
    assert.equal(stored('ferry')['imageUrl'], address('ferry'))
    assert.deepEqual(reasons(), [['Its picture is not kept: The server responded with 404, expected 200']])
    assert.equal(note(), '1 of its newest pictures could not be fetched: the items say why.')
    isThere = true
    await read([item('later', { picture: address('ferry') })])
    await work.idle()
    for (const title of ['ferry', 'later']) assert.match(String(stored(title)['imageUrl']), OURS)
    assert.deepEqual([reasons().flat(), note()], [[], null])
  })

  it('waits while the site has no address, or another process does the work, and no longer', async (t) => {
    const { read, item, start, stored, seen, setAddress, note } = await openKeeping(t)
    setAddress(undefined)
    await read([item('ferry')])
    let isKeeper = false
    const work = start({ isOnDuty: () => isKeeper })
    await work.idle()
    isKeeper = true
    await work.idle()
    assert.deepEqual([seen, note()], [[], 'Its pictures are not kept, as the address of the site is not known: set --public-url.'])
    setAddress(SITE)
    isKeeper = false
    await work.idle()
    assert.deepEqual(seen, [])
    isKeeper = true
    await work.idle()
    assert.match(String(stored('ferry')['imageUrl']), OURS)
  })

  it('that is one of ours already is not fetched', async (t) => {
    const { read, item, start, stored, seen } = await openKeeping(t)
    await read([item('ferry')])
    const work = start()
    await work.idle()
    const picture = String(stored('ferry')['imageUrl'])
    await read([item('again', { picture })], OTHER_FEED)
    await work.idle()
    assert.deepEqual([stored('again')['imageUrl'], seen.length], [picture, 1])
  })

  it('is not fetched where pictures have no more room, and says so', async (t) => {
    const { read, item, start, seen, setBytesMax, reasons, advance, stored } = await openKeeping(t)
    setBytesMax(0)
    await read([item('ferry')])
    const work = start()
    await work.idle()
    assert.deepEqual(seen, [])
    assert.match(reasons().flat()[0] ?? '', /^Its picture is not kept: Cannot keep the picture: all pictures together may take 0 bytes, which are in use/)
    setBytesMax(1_000_000)
    advance(HOUR_MS)
    await work.idle()
    assert.match(String(stored('ferry')['imageUrl']), OURS)
  })

  it('of a server that is too slow holds up its own feed alone', async (t) => {
    const { read, item, start, stored, seen, address, advance, reasons } = await openKeeping(t, (request, response) => {
      if (request.headers.host?.startsWith('slow') !== true) jpeg(request, response)
    }, {}, 1_000)
    await read(Array.from({ length: 30 }, (_, n) => item(`slow-${n}`, { picture: address(`slow-${n}`, 'slow.example') })))
    await read([item('fast')], OTHER_FEED)
    const work = start()
    await work.idle()
    assert.match(String(stored('fast')['imageUrl']), OURS)
    const slow = (): number => seen.filter((one) => one.includes('slow')).length
    const first = slow()
    assert.ok(first >= 1 && first <= 2, `${first} at the same time`)
    assert.match(reasons().flat()[0] ?? '', /did not|within|seconds/)
    await work.idle()
    assert.equal(slow(), first)
    advance(10 * MINUTE_MS)
    await work.idle()
    assert.ok(slow() <= first + 2)
  })

  it('stays due where the service stops, and where it ends behind any write', async (t) => {
    const { read, item, start, stored, store, known, address } = await openKeeping(t)
    const picture = address('logo')
    const many = Array.from({ length: 50 }, (_, n) => item(`story-${n}`, { picture }))
    await read(many)
    for (let left = 0; left < 3; left++) {
      let writes = 0
      const die = <A extends readonly unknown[], R>(write: (...values: A) => R) => (...values: A): R => {
        if (writes++ >= left) throw new Error('killed')
        return write(...values)
      }
      const from = {
        as: (actor: Actor) => {
          const writer = store.as(actor)
          return writerWith(writer, { together: die(writer.together), addPicture: die(writer.addPicture) })
        },
      } as unknown as Pick<SystemStore, 'as'>
      const work = start({ from })
      await work.idle()
      await work.stop()
      assert.notEqual(store.feeds.nextPictureAt(), undefined)
    }
    await start().idle()
    for (const { title = '' } of many) {
      assert.match(String(stored(title)['imageUrl']), OURS)
      const changes = store.history.historyOf(headline, String(stored(title)['id']), { limit: 10, before: undefined } as never).items
      assert.equal(changes.length, 2)
    }
    assert.equal(known(), 1)
  })
})

const POLYGLOT = Buffer.concat([samplePicture('jpeg turned'), Buffer.from('PK\x03\x04<script>alert(1)</script>')])
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
/** A PNG whose header declares 40,000 x 40,000 pixels. */
function bomb(): Buffer {
  const png = samplePicture('png')
  png.writeUInt32BE(40_000, 16)
  png.writeUInt32BE(40_000, 20)
  return png
}

describe('an attack by the picture of an item', () => {
  it('on this machine, the network and the metadata of a cloud is refused, also behind a redirect', async (t) => {
    const { read, item, start, stored, seen, reasons, url } = await openKeeping(
      t,
      (request, response) => void response.writeHead(302, { location: decodeURIComponent(request.url?.slice(1) ?? '') }).end(),
      { 'metadata.example': '169.254.169.254', 'private.example': '10.0.0.1' },
    )
    const targets = [`${url}/secret`, 'http://169.254.169.254/latest/meta-data/', 'http://metadata.example/', 'http://private.example/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://2130706433/']
    const items = targets.flatMap((target, n) => [item(`direct-${n}`, { picture: target }), item(`led-${n}`, { picture: `${url.replace('127.0.0.1', 'pictures.example')}/${encodeURIComponent(target)}` })])
    await read(items)
    await start().idle()
    assert.equal(seen.filter((one) => one.startsWith('GET /secret')).length, 0)
    for (const { title = '', picture } of items) assert.equal(stored(title)['imageUrl'], picture)
    assert.equal(reasons().filter(([reason]) => /^Its picture is not kept: .*(?:not public|--outbound-allow)/.test(reason ?? '')).length, items.length, JSON.stringify(reasons()))
  })

  const attacks: readonly (readonly [string, Respond, RegExp])[] = [
    ['a body of 64 MiB', (_, response) => {
      const endless = Readable.from(Array<Buffer>(1_000).fill(Buffer.alloc(65_536, 0xff)))
      response.on('close', () => endless.destroy())
      endless.pipe(response.writeHead(200, { 'content-type': 'image/jpeg' }))
    }, /: It is longer than 10 MiB$/],
    ['a length beyond the limit', (_, response) => void response.writeHead(200, { 'content-length': 11 * 1024 ** 2 }).write('x'), /: It is longer than 10 MiB$/],
    ['a gzip bomb', (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 * 1024 ** 2))), /longer than/],
    ['a pixel bomb', (_, response) => void response.writeHead(200).end(bomb()), /sides of at most 16384 pixels, found 40000 x 40000/],
    ['an SVG', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(SVG), /found SVG, which can hold scripts/],
    ['HTML that calls itself JPEG', (_, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<!doctype html><script>1</script>'), /found HTML/],
    ['nothing', (_, response) => void response.writeHead(200).end(), /found nothing/],
  ]
  for (const [name, respond, reason] of attacks) {
    it(`with ${name} leaves the headline as it is, and no file`, async (t) => {
      const { read, item, start, stored, address, reasons, known, files } = await openKeeping(t, respond)
      await read([item('attack')])
      await start().idle()
      assert.deepEqual([stored('attack')['imageUrl'], known(), [...files.all()]], [address('attack'), 0, []])
      assert.match(reasons().flat()[0] ?? '', reason)
    })
  }

  it('with a file of two kinds keeps the picture alone, whatever its type is said to be', async (t) => {
    const { read, item, start, stored, store, files } = await openKeeping(t, (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(POLYGLOT))
    await read([item('two')])
    await start().idle()
    assert.match(String(stored('two')['imageUrl']), OURS)
    const [picture] = store.pictures.listPictures({ limit: 1, unused: false, after: undefined }).items
    assert.ok(picture)
    assert.equal(files.read(picture)?.includes('<script>'), false)
  })

  it('whose bytes are refused is not fetched again and again', async (t) => {
    const { read, item, start, seen, advance } = await openKeeping(t, (_, response) => void response.writeHead(200).end(SVG))
    await read([item('attack')])
    const work = start()
    for (let n = 0; n < 5; n++) {
      await work.idle()
      advance(DAY_MS)
    }
    assert.equal(seen.length, 1)
  })
})
