/** Feeds over the API: who may do what, what their items became, and passwords that nothing gives back. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DAY_MS } from '../../src/base/duration.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { ingestItems } from '../../src/content/feeds/ingest.ts'
import type { FeedItem } from '../../src/feeds/feed.ts'
import { COUNTRY, FEED, HEADLINE, LANGUAGE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../support/feeds/unpaced.ts'
import { databaseOf, type ApiResponse } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startSite, type By } from '../support/service/site.ts'

const site = await startSite({ auditDays: '0' })
const { service, admin, publisher, standard, guest } = site
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = FEED
let addresses = 0
/** A paused feed, so that nothing is fetched, with an address of its own. */
const made = async (more: object = {}): Promise<JsonObject> => {
  const response = await site.create('feed', { ...BODY, paused: true, address: `https://harbour.example.org/${++addresses}.xml`, ...more })
  assert.equal(response.status, 201, response.text)
  return response.at('data') as JsonObject
}
const call = (method: string, path: string, by: By = publisher, body?: unknown): Promise<ApiResponse> =>
  service.call(method, `/api/v1/${path}`, { token: by.token, ...(body === undefined ? {} : { body }) })
/** A file, which is no JSON. */
const file = (path: string, { token }: By = publisher): Promise<Response> => fetch(`${service.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
const STRANGER: By = { token: undefined }
const rule = (filter: string, more: object = {}): object => ({ filter, topic: null, country: null, arrival: null, drop: false, ...more })

const item = (n: number, more: Partial<FeedItem> = {}): FeedItem => ({
  ...{ id: `tag:${n}`, title: `Story ${n}`, link: `https://harbour.example.org/feeds/${n}`, excerpt: '', picture: 'https://harbour.example.org/p.jpg' },
  ...{ categories: n % 2 === 0 ? ['Even'] : [], ...more },
})
/** As the job that fetches does. */
async function ingest({ id, address }: JsonObject, items: readonly FeedItem[]): Promise<void> {
  const { store, newId } = service.app.services
  await ingestItems({ store, newId, pace: UNPACED }, { feedId: String(id), address: String(address), items, now: service.now(), state: undefined })
}

describe('a feed', () => {
  it('is written by administrators, read by publishers, and hidden from all others', async () => {
    const { id, ...feed } = await made()
    for (const by of [publisher, standard, guest]) {
      assert.equal((await site.create('feed', BODY, by)).status, 403)
      assert.equal((await site.patch('feed', id, { paused: false }, by)).status, 403)
      assert.equal((await site.remove('feed', id, by)).status, 403)
    }
    assert.equal((await site.read('feed', id, publisher)).at('data.address'), feed['address'])
    for (const by of [standard, guest]) {
      for (const read of [site.read('feed', id, by), site.list({ model: 'feed' }, by), site.list({ model: 'feed_rules' }, by)]) assert.equal((await read).status, 403)
      assert.equal((await call('GET', 'changes?models=feed', by)).status, 403)
      assert.equal((await call('GET', 'changes', by)).text.includes('feed.xml'), false)
    }
    assert.equal((await site.read('feed', id, STRANGER)).status, 401)
  })

  it('takes references, keeps copies that follow, and null where it has no topic', async () => {
    const topic = await site.madeId('topic', { name: 'Tides' })
    const { id } = await made({ topic: { id: topic }, country: null, rules: [rule('{}', { topic: { id: topic } })] })
    await site.patch('topic', topic, { name: 'Currents' })
    const named = async (): Promise<unknown[]> => {
      const feed = await site.stored('feed', id)
      return [(feed['topic'] as JsonObject)['name'], ((feed['rules'] as JsonObject[])[0]?.['topic'] as JsonObject)['name'], feed['country']]
    }
    for (let tries = 0; tries < 1_000 && (await named())[0] !== 'Currents'; tries++);
    assert.deepEqual(await named(), ['Currents', 'Currents', null])
    const refused = await site.create('feed', { ...BODY, address: 'https://harbour.example.org/unknown', topic: { id: 'unknown' } })
    assert.match(refused.error, /^invalidInput: topic: expected the id of a topic/)
  })

  it('is refused without an address of the web, with one that another feed has, and with a password in it', async () => {
    const { address } = await made()
    const rows: readonly [unknown, RegExp][] = [
      ['', /^invalidInput: address: expected the address of a feed/],
      [address, /^conflict: /],
      ['https://user:secret@harbour.example.org/feed', /^invalidInput: address: .*without spaces, user or password/],
      ['file:///etc/passwd', /^invalidInput: address: /],
    ]
    for (const [given, error] of rows) assert.match((await site.create('feed', { ...BODY, address: given })).error, error)
  })

  it('is refused with a rule that no item can meet, and told where', async () => {
    const rows: readonly [string, RegExp][] = [
      ['', /rules\[1\]\.filter: .*malformed JSON/],
      ['[]', /rules\[1\]\.filter: Cannot read filter/],
      ['{"status":"active"}', /rules\[1\]\.filter: .*members of an item: title, excerpt, url, categories, author, language/],
      ['{"$or":[{"title":"a"},{"source.name":"b"}]}', /rules\[1\]\.filter: .*members of an item/],
      ['{"title":{"$where":"1"}}', /rules\[1\]\.filter: /],
    ]
    for (const [filter, error] of rows) {
      assert.match((await site.create('feed', { ...BODY, address: 'https://harbour.example.org/rules', rules: [rule('{}'), rule(filter)] })).error, error)
    }
    const many = Array.from({ length: 51 }, () => rule('{}'))
    assert.match((await site.create('feed', { ...BODY, rules: many })).error, /rules: expected at most 50 entries/)
  })
})

describe('the endpoints of feeds', () => {
  it('are for publishers and administrators', async () => {
    const { id } = await made()
    const reads = [['GET', 'feeds'], ['GET', `feeds/${String(id)}/items`], ['POST', 'feeds/rules', { rules: [] }], ['POST', 'feeds/origins', { ids: ['x'] }]] as const
    for (const [method, path, body] of reads) {
      assert.equal((await call(method, path, publisher, body)).status, 200, path)
      for (const [by, status] of [[standard, 403], [guest, 403], [STRANGER, 401]] as const) assert.equal((await call(method, path, by, body)).status, status, path)
    }
    for (const [by, status] of [[publisher, 200], [standard, 403], [guest, 403], [STRANGER, 401]] as const) assert.equal((await file('feeds/opml', by)).status, status)
    assert.match((await call('GET', 'feeds/unknown/items')).error, /^notFound: /)
  })

  it('tell how feeds are doing', async () => {
    const { id, address } = await made({ title: 'Health' })
    const items = (await call('GET', 'feeds')).at('data.items') as JsonObject[]
    assert.deepEqual(items.find((one) => one['id'] === id), {
      ...{ id, title: 'Health', address, status: 'paused', sentence: null, problem: null, notes: [], failingSince: null, fetchedAt: null, succeededAt: null, nextAt: null },
      ...{ failures: 0, itemsOfDay: 0, movedTo: null, suggestedAddress: null, hasPassword: false },
    })
  })

  it('refuse bodies that are none', async () => {
    for (const [path, body, error] of [
      ['feeds/rules', { rules: {} }, /rules: expected an array/],
      ['feeds/rules', { rules: [{ filter: '{}' }] }, /rules\[0\]\.drop: expected true or false/],
      ['feeds/rules', { rules: [rule('{"x":1}')] }, /Cannot read filter/],
      ['feeds/rules', { rules: [], feed: 7 }, /feed: expected the id/],
      ['feeds/rules', { rules: [], feed: 'unknown' }, /^notFound: /],
      ['feeds/origins', { ids: [] }, /ids: expected 1 to 200 texts/],
      ['feeds/origins', { ids: [7] }, /ids: expected 1 to 200 texts/],
    ] as const) {
      assert.match((await call('POST', path, admin, body)).error, error)
    }
  })

  it('write feeds as OPML, with texts that are no markup', async () => {
    await made({ title: '<b>&"x"\n', topic: null, address: 'https://harbour.example.org/?a=1&b=2' })
    const response = await file('feeds/opml')
    assert.match(String(response.headers.get('content-disposition')), /feeds\.opml/)
    const text = await response.text()
    assert.ok(text.includes('text="&lt;b&gt;&amp;&quot;x&quot;\n"'), text)
    assert.ok(text.includes('xmlUrl="https://harbour.example.org/?a=1&amp;b=2"'))
    assert.ok(/<outline text="Harbours">\n<outline type="rss"/.test(text))
  })
})

describe('items of a feed', { skip: ONLY_HERE }, () => {
  it('are shown with what became of them, and headlines with where they are from, to dashboard roles alone', async () => {
    const feed = await made({ title: 'Items', rules: [rule('{"title":"Story 3"}', { drop: true })] })
    await ingest(feed, [item(1), { id: 'tag:2', title: 'Story 2', picture: 'https://harbour.example.org/p.jpg', categories: [] }, item(3), { ...item(4), id: 'again', link: item(1).link as string }])
    const items = (await call('GET', `feeds/${String(feed['id'])}/items`)).at('data.items') as JsonObject[]
    assert.deepEqual(items.map(({ title, outcome, reasons }) => [title, outcome, (reasons as JsonObject[])[0]?.['message'] ?? null]), [
      ['Story 1', 'known', 'Another item led to this page'],
      ['Story 2', 'created', 'It lacks a link'],
      ['Story 3', 'dropped', 'A rule drops it'],
      ['Story 4', 'created', null],
    ])
    const id = items[3]?.['headline']
    const origins = (await call('POST', 'feeds/origins', publisher, { ids: [id, 'typed by hand'] })).at('data.items') as JsonObject[]
    assert.deepEqual(origins.map(({ title, item: from, isAlsoIn }) => [title, from, isAlsoIn]), [['Items', 'again', false], ['Items', 'tag:1', true]])
    for (const by of [standard, admin]) {
      const { status, text } = await site.read('headline', id, by)
      assert.equal(status, 200)
      assert.equal(text.includes(String(feed['id'])) || text.includes('again'), false)
    }
  })

  it('tell which headlines of other feeds have the same story: title, day and topic', async () => {
    const [one, other, sport] = [await made(), await made({ title: 'Rival' }), await made({ topic: null })]
    const story = (n: number, title: string): FeedItem => item(n, { title })
    await ingest(one, [story(901, 'Quay “reopens”,  today'), story(902, 'QUAY reopens today')])
    await ingest(other, [story(903, 'Quay reopens – Today!'), story(904, 'Quay reopens'), story(905, 'Storm')])
    await ingest(sport, [story(906, 'Quay reopens today')])
    const idOf = async (feed: JsonObject, title: RegExp): Promise<string> => {
      const items = (await call('GET', `feeds/${String(feed['id'])}/items`)).at('data.items') as JsonObject[]
      return String(items.find((of) => title.test(String(of['title'])))?.['headline'])
    }
    const same = async (id: string, by: By = publisher): Promise<ApiResponse> => call('GET', `feeds/stories/${id}`, by)
    const own = await idOf(one, /“/)
    const rival = await idOf(other, /Today!/)
    assert.deepEqual((await same(own)).at('data.items'), [
      { id: rival, title: 'Quay reopens – Today!', url: 'https://harbour.example.org/feeds/903', status: 'active', feed: other['id'] as string, feedTitle: 'Rival', isIncomplete: false },
    ])
    for (const none of [await idOf(other, /Storm/), await idOf(sport, /Quay/), await site.madeId('headline', { title: 'Quay reopens today', topic: TOPIC })]) {
      assert.deepEqual((await same(none)).at('data.items'), [])
    }
    service.advance(DAY_MS)
    await ingest(other, [story(907, 'Quay reopens today.')])
    assert.deepEqual(((await same(own)).at('data.items') as JsonObject[]).map(({ id }) => id), [rival], 'that of the next day is another story')
    // Merged: the kept one takes its place.
    assert.equal((await service.data('DELETE', `/${rival}`, { model: 'headline', replaceBy: own }, { token: admin.token })).status, 204)
    assert.deepEqual((await same(own)).at('data.items'), [])
    for (const [by, status] of [[standard, 403], [guest, 403], [STRANGER, 401]] as const) assert.equal((await same(own, by)).status, status)
    assert.match((await same('unknown')).error, /^notFound: /)
  })

  it('of one story come in the order of their publication, then of their ids, and drafts last, in whatever order they were stored', async () => {
    const title = 'Lighthouse is lit'
    const times = ['2026-02-10T08:00:00.000Z', '2026-02-10T06:00:00.000Z', undefined, '2026-02-10T06:00:00.000Z', '2026-02-10T07:00:00.000Z']
    const idOf = async (feed: JsonObject): Promise<string> => String(((await call('GET', `feeds/${String(feed['id'])}/items`)).at('data.items') as JsonObject[])[0]?.['headline'])
    const own = await made()
    await ingest(own, [item(950, { title })])
    const ids: string[] = []
    for (const [n, published] of times.entries()) {
      const feed = await made({ arrival: published === undefined ? 'draft' : 'published' })
      await ingest(feed, [item(951 + n, { title, ...(published === undefined ? {} : { published }) })])
      ids.push(await idOf(feed))
    }
    const [eight, six, draft, alsoSix, seven] = ids as [string, string, string, string, string]
    const found = (await call('GET', `feeds/stories/${await idOf(own)}`)).at('data.items') as JsonObject[]
    assert.deepEqual(found.map(({ id }) => id), [...[six, alsoSix].sort(), seven, eight, draft])
  })

  it('show which of them each rule would find, without effect on any', async () => {
    const feed = await made()
    await ingest(feed, [item(11), item(12), item(13), item(14)])
    const before = (await call('GET', `feeds/${String(feed['id'])}/items`)).text
    const rules = [rule('{"categories":"Even"}', { topic: { id: TOPIC.id } }), rule('{"title":{"$regex":"1[34]"}}', { drop: true, country: COUNTRY }), rule('{"author":"no one"}')]
    const tried = (await call('POST', 'feeds/rules', publisher, { feed: feed['id'], rules })).at('data')
    const shown = (n: number): object => ({ title: `Story ${n}`, url: item(n).link })
    assert.deepEqual(tried, {
      ...{ tried: 4, dropped: 2 },
      rules: [{ found: 2, items: [shown(12), shown(14)] }, { found: 2, items: [shown(13), shown(14)] }, { found: 0, items: [] }],
    })
    assert.equal((await call('GET', `feeds/${String(feed['id'])}/items`)).text.length, before.length)
  })

  it('are tried by rules for all feeds: the newest hundred, each with the language of its feed', async () => {
    const [icelandic, other, gone] = [await made({ language: LANGUAGE }), await made(), await made()]
    await ingest(gone, [item(40)])
    assert.equal((await site.remove('feed', gone['id'])).status, 204)
    for (const [feed, from] of [[other, 1_000], [icelandic, 2_000]] as const) await ingest(feed, Array.from({ length: 60 }, (_, n) => item(from + n)))
    const { code } = LANGUAGE
    const tried = (await call('POST', 'feeds/rules', publisher, { rules: [rule(`{"language":"${code}"}`), rule('{"language":""}')] })).at('data') as JsonObject
    assert.deepEqual([tried['tried'], (tried['rules'] as JsonObject[]).map(({ found }) => found)], [100, [60, 40]])
  })

  it('are found by no rule beyond what all rules together may cost, so that a rule cannot stop the service', async () => {
    const feed = await made()
    await ingest(feed, [item(50, { title: 'a'.repeat(900), categories: ['Tides'] })])
    const costly = Array.from({ length: 49 }, (_, n) => rule(`{"title":{"$regex":"(a|aa){${150 + n}}[^a]"}}`))
    const found = async (rules: readonly object[]): Promise<unknown[]> => {
      const tried = (await call('POST', 'feeds/rules', publisher, { feed: feed['id'], rules })).at('data.rules') as JsonObject[]
      return tried.map((one) => one['found'])
    }
    assert.deepEqual([(await found([rule('{"categories":"Tides"}'), ...costly]))[0], (await found([...costly, rule('{"categories":"Tides"}')])).at(-1)], [1, 0])
  })

})

describe('the password of a feed', () => {
  const PASSWORD = 'dQw4-a-password-that-is-nowhere'
  const set = (id: unknown, password: unknown, by: By = admin): Promise<ApiResponse> => call('PUT', `admin/feeds/${String(id)}/password`, by, { password })

  it('attack: cannot be read back, through no endpoint, file or log', async () => {
    const { id } = await made({ username: 'reader' })
    assert.equal((await set(id, PASSWORD)).status, 204)
    const health = (await call('GET', 'feeds')).at('data.items') as JsonObject[]
    assert.equal(health.find((one) => one['id'] === id)?.['hasPassword'], true)
    const texts = [
      ...(await Promise.all([site.read('feed', id), site.list({ model: 'feed', limit: 100 }), call('GET', 'feeds', admin)])),
      await service.data('GET', `/${String(id)}/history`, { model: 'feed' }, { token: admin.token }),
      await call('GET', 'changes?models=feed', admin),
      await call('GET', 'admin/audit?limit=100', admin),
    ].map(({ text }) => text)
    const exported = { method: 'POST', headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }, body: JSON.stringify({ model: 'feed', format: 'ndjson' }) }
    texts.push(await (await file('feeds/opml', admin)).text(), await (await fetch(`${service.url}/api/v1/data/export`, exported)).text())
    const files = ['', '-wal'].map((end) => readFileSync(`${databaseOf(service)}${end}`, 'latin1'))
    for (const text of [...texts, ...files, ...(await service.logged())]) assert.equal(text.includes(PASSWORD), false)
    assert.ok(texts[0]?.includes('reader'))
    assert.equal((await site.records({ event: 'feed.secret-set', documentId: id })).length, 1)
    assert.equal((await set(id, null)).status, 204)
    assert.equal(((await call('GET', 'feeds')).at('data.items') as JsonObject[]).find((one) => one['id'] === id)?.['hasPassword'], false)
  })

  it('is set by administrators alone, for a feed that is there, and is told in no message', async () => {
    const { id } = await made()
    for (const by of [publisher, standard, guest]) assert.equal((await set(id, PASSWORD, by)).status, 403)
    assert.equal((await set('unknown', PASSWORD)).status, 404)
    for (const wrong of ['', 7, `${PASSWORD}\n`, PASSWORD.repeat(100), undefined]) {
      const response = await set(id, wrong)
      assert.match(response.error, /^invalidInput: password: /)
      assert.equal(response.text.includes(PASSWORD), false)
    }
  })
})

it('a reader who asks for all changes gets those of what readers see', async () => {
  await site.made('headline', { ...HEADLINE, title: 'For readers' })
  const page = await call('GET', 'changes?limit=1000', standard)
  assert.equal(page.status, 200)
  assert.equal((page.at('data.items') as JsonObject[]).some(({ model }) => model === 'feed'), false)
  const ofEditor = await call('GET', 'changes?limit=1000', publisher)
  assert.equal((ofEditor.at('data.items') as JsonObject[]).some(({ model }) => model === 'feed'), true)
})
