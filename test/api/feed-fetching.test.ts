/** Feeds that the service fetches: from an address to headlines, what editors see of failures, and which servers it asks. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/base/duration.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { FEED } from '../../scripts/tools/data-bodies.ts'
import { serverThat } from '../support/service/scripted-http.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite, type By } from '../support/service/site.ts'

const site = await startSite({ outboundAllow: '127.0.0.1', rateLimits: 'on', dataPerUser: '0' })
const { service, admin, publisher, standard, guest } = site
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = FEED
const call = (method: string, path: string, body?: unknown, by: By = admin): Promise<ApiResponse> =>
  service.call(method, `/api/v1/${path}`, { token: by.token, ...(body === undefined ? {} : { body }) })

let stories = 0
const rss = (items: readonly string[], channel = '<title>The Harbour Post</title>'): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel>${channel}${items.join('')}</channel></rss>`
const story = (name: string, more = ''): string =>
  `<item><guid>${name}</guid><title>${name}</title><link>https://harbour.example.org/${name}</link><enclosure url="https://harbour.example.org/${name}.jpg" type="image/jpeg" length="1"/>${more}</item>`
const fresh = (): string => `story-${++stories}`

type Respond = (request: IncomingMessage, response: ServerResponse) => void
const feedOf = (text: () => string, headers: Record<string, string> = {}): Respond => (_, response) =>
  response.writeHead(200, { 'content-type': 'application/rss+xml', ...headers }).end(text())

/** A feed of a server on this machine, which was fetched once. */
async function started(t: TestContext, respond: Respond, more: object = {}) {
  const { url, seen } = await serverThat(t, respond)
  const response = await site.create('feed', { ...BODY, address: `${url}/feed.xml`, ...more })
  assert.equal(response.status, 201, response.text)
  const id = String(response.at('data.id'))
  t.after(() => site.remove('feed', id))
  await service.app.feeds.idle()
  const health = async (): Promise<JsonObject> => ((await call('GET', 'feeds', undefined, publisher)).at('data.items') as JsonObject[]).find((one) => one['id'] === id) as JsonObject
  return { id, url, seen, health }
}
const itemsOf = async (id: string): Promise<JsonObject[]> => (await call('GET', `feeds/${id}/items`, undefined, publisher)).at('data.items') as JsonObject[]
/** What administrators are told about feeds. */
const attention = async (): Promise<JsonObject[]> =>
  ((await call('GET', 'admin/status')).at('data.attention') as JsonObject[]).filter(({ kind }) => kind === 'feeds')
async function later(ms: number): Promise<void> {
  service.advance(ms)
  await service.app.feeds.idle()
}

describe('a feed', { skip: ONLY_HERE }, () => {
  it('is fetched when it is created, and as it is due, with the conditions of HTTP', async (t) => {
    const names = [fresh()]
    const asked: (string | undefined)[] = []
    const { id, health } = await started(t, (request, response) => {
      asked.push(request.headers['if-none-match'])
      if (request.headers['if-none-match'] === `"${names.length}"`) response.writeHead(304).end()
      else feedOf(() => rss(names.map((name) => story(name))), { etag: `"${names.length}"` })(request, response)
    })
    const [first] = await itemsOf(id)
    const headline = await site.stored('headline', first?.['headline'])
    assert.deepEqual([headline['title'], headline['status'], (headline['source'] as JsonObject)['id']], [names[0], 'active', FEED.source.id])
    const { status, sentence, fetchedAt, failures, itemsOfDay, nextAt } = await health()
    assert.deepEqual([status, sentence, fetchedAt, failures, itemsOfDay], ['working', null, new Date(service.now()).toISOString(), 0, 1])
    assert.ok(Date.parse(String(nextAt)) > service.now())
    await later(60_000)
    assert.deepEqual(asked, [undefined], 'it is not due')
    await later(DAY_MS)
    names.push(fresh())
    await later(DAY_MS)
    assert.deepEqual(asked, [undefined, '"1"', '"1"'])
    assert.equal((await itemsOf(id)).length, 2)
  })

  it('that is paused is not fetched, until an administrator says so', async (t) => {
    const { id, seen, health } = await started(t, feedOf(() => rss([story(fresh())])), { paused: true })
    await later(DAY_MS)
    assert.equal(seen.length, 0)
    const fetched = await call('POST', `admin/feeds/${id}/fetch`, {})
    assert.deepEqual([fetched.status, fetched.at('data.id'), fetched.at('data.itemsOfDay')], [200, id, 1])
    assert.deepEqual([(await health())['status'], seen.length], ['paused', 1])
    for (const by of [publisher, standard, guest]) assert.equal((await call('POST', `admin/feeds/${id}/fetch`, {}, by)).status, 403)
    assert.equal((await call('POST', 'admin/feeds/unknown/fetch', {})).status, 404)
  })

  it('that fails says since when and what helps, and names the feed that its site has now', async (t) => {
    let isLost = true
    const { id, url, health } = await started(
      t,
      ({ url: path }, response) => {
        if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<link rel="alternate" type="application/rss+xml" href="/new.xml">')
        else if (isLost) response.writeHead(404).end()
        else feedOf(() => rss([story(fresh())]))({} as IncomingMessage, response)
      },
      { siteUrl: '' },
    )
    assert.match(String((await health())['sentence']), /^The server responded with 404, .*look for its new address/)
    const { code, params } = (await health())['problem'] as JsonObject
    assert.deepEqual([code, params, (await health())['failingSince']], ['missing', { status: '404' }, new Date(service.now()).toISOString()])
    for (let round = 0; round < 4; round++) await later(DAY_MS)
    const { status, sentence, suggestedAddress, failures } = await health()
    assert.deepEqual([status, suggestedAddress, failures], ['failing', `${url}/new.xml`, 5])
    assert.deepEqual(await attention(), [{ kind: 'feeds', code: 'feedsFailing', params: { count: '1' }, message: '1 feed cannot be fetched' }])
    assert.match(String(sentence), /^For 4 days: The server responded with 404.*The site names http:.*new\.xml as its feed: use that address$/)
    isLost = false
    await later(DAY_MS)
    assert.deepEqual([(await health())['status'], (await health())['suggestedAddress']], ['working', null])
    assert.deepEqual(await attention(), [])
    assert.equal((await itemsOf(id)).length, 1)
  })

  it('that is a page names the feeds of the page', async (t) => {
    const { url, health } = await started(t, (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html><link rel="alternate" type="application/atom+xml" href="atom.xml">'))
    assert.deepEqual((await health())['suggestedAddress'], `${url}/atom.xml`)
  })

  it('that ends is not asked again', async (t) => {
    const { seen, health } = await started(t, (_, response) => response.writeHead(410).end())
    await later(10 * DAY_MS)
    assert.deepEqual([(await health())['status'], (await health())['nextAt'], seen.length], ['ended', null, 1])
  })

  it('that gets another address starts afresh there', async (t) => {
    const other = await serverThat(t, feedOf(() => rss([story(fresh())])))
    const { id, health } = await started(t, (_, response) => response.writeHead(410).end())
    await site.patch('feed', id, { address: `${other.url}/moved.xml` })
    await service.app.feeds.idle()
    assert.deepEqual([(await health())['status'], other.seen.length], ['working', 1])
  })

  it('sends its password to its own server', async (t) => {
    const asked: (string | undefined)[] = []
    const { id } = await started(
      t,
      (request, response) => {
        asked.push(request.headers.authorization)
        if (request.headers.authorization === undefined) response.writeHead(401).end()
        else feedOf(() => rss([story(fresh())]))(request, response)
      },
      { username: 'reader' },
    )
    assert.equal((await call('PUT', `admin/feeds/${id}/password`, { password: 'pass:word' })).status, 204)
    await call('POST', `admin/feeds/${id}/fetch`, {})
    assert.deepEqual(asked, [undefined, `Basic ${Buffer.from('reader:pass:word').toString('base64')}`])
    assert.equal((await itemsOf(id)).length, 1)
  })

  it('counts in the metrics', async (t) => {
    await started(t, feedOf(() => rss([story(fresh())])))
    const metrics = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })).text()
    assert.match(metrics, /dateline_feed_fetches_total\{outcome="fetched"\} \d+/)
    assert.match(metrics, /dateline_feed_items_total\{outcome="created"\} \d+/)
    assert.match(metrics, /dateline_feeds\{status="working"\} \d+/)
  })
})

describe('the preview of an address', { skip: ONLY_HERE }, () => {
  const preview = (address: unknown, more: object = { source: { id: sourceId }, topic: { id: topicId }, country: null, arrival: 'published' }, by?: By): Promise<ApiResponse> =>
    call('POST', 'admin/feeds/preview', { address, ...more }, by)
  let [sourceId, topicId] = ['', '']

  it('finds the feed of a site, and shows its items as headlines with what they lack, and stores nothing', async (t) => {
    sourceId = await site.madeId('source')
    topicId = await site.madeId('topic')
    const typed = await site.made('headline', { url: 'https://harbour.example.org/typed' })
    const { url } = await serverThat(t, ({ url: path }, response) => {
      if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<title>x</title><link rel="alternate" type="application/rss+xml" title="All" href="/all.xml">')
      else feedOf(() => rss([story('typed'), ...Array.from({ length: 12 }, (__, n) => story(`p${n}`))], '<title>A &amp; B</title><language>is</language><link>https://harbour.example.org</link>'))({} as IncomingMessage, response)
    })
    const { status, text, at } = await preview(url)
    assert.equal(status, 200, text)
    assert.deepEqual([at('data.address'), at('data.title'), at('data.language'), at('data.total'), at('data.siteUrl')], [`${url}/all.xml`, 'A & B', 'is', 13, 'https://harbour.example.org/'])
    assert.deepEqual(at('data.feeds'), [{ address: `${url}/all.xml`, title: 'All' }])
    const items = at('data.items') as JsonObject[]
    assert.equal(items.length, 10)
    assert.deepEqual([items[0]?.['title'], items[0]?.['known'], items[0]?.['status']], ['typed', typed['id'], 'draft'])
    assert.deepEqual(items[1]?.['missing'], [{ code: 'lacks', name: 'country', message: 'It lacks a country: give the feed one, or a rule' }])
    assert.deepEqual((await site.list({ model: 'headline', filter: { title: 'p1' } })).at('data.items'), [])
  })

  for (const [what, status] of [['404', 404], ['a page', 200]] as const) {
    it(`takes the usual addresses of a site that names none, and has ${what} at others`, async (t) => {
      const { url } = await serverThat(t, ({ url: path }, response) => {
        if (path === '/rss.xml') feedOf(() => rss([story('usual')]))({} as IncomingMessage, response)
        else response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Not here')
      })
      assert.equal((await preview(url)).at('data.address'), `${url}/rss.xml`)
    })
  }

  it('attack: neither a publisher nor a stranger has the service ask other servers', async (t) => {
    const { url, seen } = await serverThat(t, (_, response) => response.end())
    for (const by of [publisher, standard, guest]) assert.equal((await preview(url, {}, by)).status, 403)
    assert.equal((await call('POST', 'admin/feeds/preview', { address: url }, { token: undefined })).status, 401)
    assert.equal(seen.length, 0)
  })

  it('attack: an administrator is not led to this machine, the network around it, or files', async () => {
    const addresses = ['http://[::1]:1/', 'http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', 'http://192.168.1.1', 'http://[::ffff:10.0.0.1]/', 'http://0.0.0.0:1/', 'http://2130706434/']
    for (const address of addresses) {
      const { status, error } = await preview(address)
      assert.deepEqual([status, /^badRequest: Cannot find a feed at this address: /.test(error)], [400, true], `${address}: ${error}`)
      assert.match(error, /--outbound-allow/)
    }
    for (const address of ['file:///etc/passwd', 'gopher://x/', 'https://user:pass@example.org/', '', ' ', 7, 'http://a b/']) {
      assert.match((await preview(address)).error, /^invalidInput: address: /, String(address))
    }
  })

  it('says what is there in place of a feed', async (t) => {
    const { url } = await serverThat(t, (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Hello'))
    const refused = await preview(`${url}/x`)
    assert.match(refused.error, /^badRequest: Cannot find a feed at this address: Cannot read the feed/)
    const [{ code, params } = {} as JsonObject] = (JSON.parse(refused.text) as { error: { problems: JsonObject[] } }).error.problems
    assert.deepEqual([code, params], ['noFeed', { name: 'notAFeed' }])
  })

  it('is counted: past 200 in an hour it is refused', async () => {
    const inside = 'http://10.0.0.1/'
    let status = 0
    for (let n = 0; n < 201 && status !== 429; n++) status = (await preview(inside)).status
    assert.equal(status, 429)
    service.advance(HOUR_MS)
    assert.equal((await preview(inside)).status, 400)
  })
})

describe('OPML', { skip: ONLY_HERE }, () => {
  it('adds feeds with a report by line, what is known stays as it is, and comes out as it went in', async (t) => {
    const { url } = await serverThat(t, (_, response) => response.writeHead(410).end())
    const [source, sport] = [await site.made('source', { url: 'https://sport.example.org', name: 'Sport' }), await site.made('topic', { name: 'Sports' })]
    const other = await site.madeId('source')
    const opml = `<?xml version="1.0"?>
<opml version="1.0"><body>
<outline text="Sports">
  <outline text="A &amp; B" xmlUrl="${url}/sport" htmlUrl="http://sport.example.org/"/>
</outline>
<outline title="Second" xmlUrl="${url}/second"/>
<outline title="Again" xmlUrl="${url}/second"/>
<outline title="Bad" xmlUrl="javascript:alert(1)"/>
<outline title="No feed" htmlUrl="https://x.example/"/>
</body></opml>`
    const send = (body: object, by?: By): Promise<ApiResponse> => call('POST', 'admin/feeds/opml', { opml, source: { id: other }, ...body }, by)
    const tried = await send({ dryRun: true })
    assert.deepEqual([tried.at('data.added'), tried.at('data.known'), tried.at('data.rejected')], [2, 1, 1])
    const before = (await site.list({ model: 'feed' })).at('data.items') as unknown[]
    assert.deepEqual(before, [])
    const { at } = await send({})
    const rows = at('data.rows') as JsonObject[]
    assert.deepEqual(rows.map(({ line, outcome }) => [line, outcome]), [[4, 'added'], [6, 'added'], [7, 'known'], [8, 'rejected']])
    assert.match(String(rows[3]?.['message']), /^address: expected an address/)
    assert.deepEqual([(tried.at('data.rows') as JsonObject[])[2]?.['known'], rows[2]?.['known'], (rows[3]?.['problem'] as JsonObject)['code'], rows[0]?.['problem']], [null, 'Second', 'notHttpUrl', null])
    const feeds = (await site.list({ model: 'feed', sort: 'title' })).at('data.items') as JsonObject[]
    assert.deepEqual(
      feeds.map(({ title, source: of, topic, arrival }) => [title, (of as JsonObject)['id'], (topic as JsonObject | null)?.['id'], arrival]),
      [['A & B', source['id'], sport['id'], 'draft'], ['Second', other, undefined, 'draft']],
    )
    assert.deepEqual([(await send({})).at('data.added'), (await send({})).at('data.known')], [0, 3])
    assert.equal(((await send({ dryRun: true })).at('data.rows') as JsonObject[])[0]?.['known'], 'A & B')
    const written = await (await fetch(`${service.url}/api/v1/feeds/opml`, { headers: { authorization: `Bearer ${admin.token}` } })).text()
    assert.equal((await call('POST', 'admin/feeds/opml', { opml: written, source: { id: other } })).at('data.known'), 2)
    for (const by of [publisher, standard]) assert.equal((await send({}, by)).status, 403)
    for (const [body, error] of [[{ opml: '<html/>' }, /opml: expected a file of OPML/], [{ source: null }, /source: expected/], [{ arrival: 'now' }, /arrival: expected one of/], [{ dryRun: 1 }, /dryRun/]] as const) {
      assert.match((await send(body)).error, error)
    }
    for (const { id } of feeds) await site.remove('feed', id)
  })

  it('attack: a file of entities, of deep groups and of ten thousand feeds is bounded', async () => {
    const source = { id: await site.madeId('source') }
    const laughs = `<!DOCTYPE opml [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "${'&a;'.repeat(1_000)}">]><opml><body>${'<outline text="&b;">'.repeat(5_000)}<outline xmlUrl="javascript:1" text="&b;&b;"/></body></opml>`
    assert.equal((await call('POST', 'admin/feeds/opml', { opml: laughs, source })).status, 200)
    const many = `<opml><body>${Array.from({ length: 10_000 }, (_, n) => `<outline xmlUrl="x:${n}"/>`).join('\n')}</body></opml>`
    const { at } = await call('POST', 'admin/feeds/opml', { opml: many, source, dryRun: true })
    assert.deepEqual([at('data.rejected'), at('data.leftOut'), (at('data.rows') as JsonObject[]).at(-1)?.['line']], [1_000, 9_000, 1_000])
  })
})
