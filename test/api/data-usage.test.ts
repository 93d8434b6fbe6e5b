// also: cluster
/** What embeds a document: how many documents do, what a rename and a deletion make of them, and who may know. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'
import { until } from '../support/until.ts'

const { service, admin, publisher, standard, guest, madeId: made, read } = await startSite()

interface By {
  readonly token: string
}
const call = (method: string, path: string, query: object, { token }: By, body?: object, headers: object = {}): Promise<ApiResponse> =>
  service.data(method, path, query as Record<string, string>, { token, ...(body && { body }), headers: headers as Record<string, string> })
const usage = (id: string, by: By = admin, model = 'topic'): Promise<ApiResponse> => call('GET', `/${id}/usage`, { model }, by)
const nameOf = async (id: string): Promise<unknown> => (await read('headline', id)).at('data.topic.name')

const NO_FEEDS = ['feed', 'feed_rules'].map((model) => ({ model, total: 0, totalIsFloor: false }))

describe('copies of a document', () => {
  it('are counted for each model that the caller may list', async () => {
    const topic = await made('topic')
    await made('headline', { topic: { id: topic } })
    const copy = (await read('topic', topic)).at('data') as JsonObject
    await call('PATCH', `/${standard.id}`, { model: 'user_content_preferences' }, standard, { followedTopics: [copy] })
    const [headlines, preferences] = [
      { model: 'headline', total: 1, totalIsFloor: false },
      { model: 'user_content_preferences', total: 1, totalIsFloor: false },
    ]
    assert.deepEqual((await usage(topic)).at('data'), { items: [headlines, ...NO_FEEDS, preferences], following: null })
    assert.deepEqual((await usage(topic, publisher)).at('data.items'), [headlines, ...NO_FEEDS])
    assert.deepEqual((await usage(REMOTE, admin, 'remote_config')).at('data.items'), [])
  })

  it('follow a rename, and the headline keeps its date, gets another ETag, and its history tells nothing of it', async () => {
    const topic = await made('topic')
    const headline = await made('headline', { topic: { id: topic } })
    const before = await read('headline', headline)
    service.advance(1000)
    const renamed = await call('PATCH', `/${topic}`, { model: 'topic' }, admin, { name: 'Ports' })
    await until(async () => (await nameOf(headline)) === 'Ports')
    const after = await read('headline', headline)
    assert.deepEqual(after.at('data'), { ...(before.at('data') as object), topic: renamed.at('data') })
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'))
    await until(async () => (await usage(topic)).at('data.following') === null)
    const history = await call('GET', `/${headline}/history`, { model: 'headline' }, publisher)
    assert.deepEqual((history.at('data.items') as JsonObject[]).map(({ kind }) => kind), ['created'])
  })
})

const REMOTE = '6643b1b7a4a4e6e1a8e7b1c2'

describe('deleting a document that others embed', () => {
  it('keeps the copies, or makes them copies of another', async () => {
    const [kept, replaced, other] = [await made('topic'), await made('topic'), await made('topic', { name: 'Tides' })]
    const headlines = [await made('headline', { topic: { id: kept } }), await made('headline', { topic: { id: replaced } })] as const
    assert.equal((await call('DELETE', `/${kept}`, { model: 'topic' }, admin)).status, 204)
    assert.equal((await call('DELETE', `/${replaced}`, { model: 'topic', replaceBy: other }, admin)).status, 204)
    await until(async () => (await nameOf(headlines[1])) === 'Tides')
    assert.equal((await read('headline', headlines[0])).at('data.topic.id'), kept)
    const audit = `/api/v1/admin/audit?filter=${encodeURIComponent(JSON.stringify({ documentId: replaced, event: 'document.deleted' }))}`
    const [audited] = (await service.call('GET', audit, { token: admin.token })).at('data.items') as JsonObject[]
    assert.deepEqual(audited?.['details'], [{ name: 'replaceBy', value: other }])
  })

  it('is rejected for a replacement that is none', async () => {
    const [topic, draft, headline] = [await made('topic'), await made('topic', { status: 'draft' }), await made('headline')]
    for (const replaceBy of [topic, 'unknown', draft, headline, "' OR 1=1 --"]) {
      const response = await call('DELETE', `/${topic}`, { model: 'topic', replaceBy }, admin)
      assert.equal(response.status, 400, replaceBy)
      assert.match(response.error, /^badRequest: Cannot read replaceBy/)
    }
    assert.equal((await read('topic', topic)).status, 200)
  })

  it('is asked about for many at once, which those who may not know are refused', async () => {
    const [one, two, none] = [await made('topic'), await made('topic'), await made('topic')]
    for (const id of [one, one, two]) await made('headline', { topic: { id } })
    const copy = (await read('topic', none)).at('data') as JsonObject
    await call('PATCH', `/${standard.id}`, { model: 'user_content_preferences' }, standard, { followedTopics: [copy] })
    const ask = (ids: unknown, by: By = admin, model = 'topic'): Promise<ApiResponse> => call('POST', '/usage', { model }, by, { ids })
    const headlines = { model: 'headline', total: 3, totalIsFloor: false }
    const preferences = { model: 'user_content_preferences', total: 1, totalIsFloor: false }
    assert.deepEqual((await ask([one, two, none, one, 'unknown'])).at('data'), { used: [one, two], items: [headlines, ...NO_FEEDS, preferences] })
    assert.deepEqual((await ask([one, two], publisher)).at('data'), { used: [one, two], items: [headlines, ...NO_FEEDS] })
    assert.deepEqual((await ask([await made('headline')], publisher, 'headline')).at('data'), { used: [], items: [] })
    for (const by of [standard, guest]) assert.equal((await ask([one], by)).status, 403)
    assert.deepEqual((await ask([standard.id], publisher, 'user')).at('data.items'), [])
    for (const ids of [[], Array(201).fill(one), [7], one, null]) assert.equal((await ask(ids)).status, 400)
    assert.equal((await ask(Array(200).fill(two))).at('data.items.0.total'), 1)
  })

  it('asks for the right to delete first, whatever takes its place', async () => {
    const [topic, other] = [await made('topic'), await made('topic')]
    for (const by of [publisher, standard, guest]) {
      assert.equal((await call('DELETE', `/${topic}`, { model: 'topic', replaceBy: other }, by)).status, 403)
    }
    assert.equal((await read('topic', topic)).status, 200)
  })
})

describe('who may know what embeds a document', () => {
  // A publisher learned which ids are those of users, and of drafts that administrators had not finished.
  it('attack: a publisher asks which ids are users and incomplete drafts', async () => {
    const body = { name: 'Ports', status: 'draft' }
    const draft = String((await service.data('POST', '', { model: 'topic' }, { token: admin.token, body, isUndescribed: true })).at('data.id'))
    for (const id of [standard.id, 'unknown']) assert.equal((await usage(id, publisher, 'user')).status, 403)
    assert.equal((await usage(publisher.id, publisher, 'user')).status, 200)
    for (const id of [draft, 'unknown']) {
      assert.equal((await call('GET', `/${id}/usage`, { model: 'topic', incomplete: 'true' }, publisher)).status, 403)
    }
    assert.equal((await call('GET', `/${draft}/usage`, { model: 'topic', incomplete: 'true' }, admin)).status, 200)
    const many = (model: string, by: By): Promise<ApiResponse> => call('POST', '/usage', { model }, by, { ids: [standard.id, 'unknown'] })
    assert.deepEqual((await many('user', publisher)).at('data.used'), [])
    assert.equal((await many('dashboard_summary', publisher)).status, 200)
  })

  it('editors may, readers and guests may not', async () => {
    const topic = await made('topic')
    assert.equal((await usage(topic, publisher)).status, 200)
    for (const by of [standard, guest]) assert.equal((await usage(topic, by)).status, 403)
    assert.equal((await usage('unknown')).status, 404)
  })
})

describe('documents with one address', () => {
  const find = (url: string, by: By | undefined = publisher, query: object = {}): Promise<ApiResponse> =>
    service.data('GET', '/duplicates', { model: 'headline', url, ...query } as Record<string, string>, { token: by.token })
  const idsOf = async (url: string, query: object = {}): Promise<readonly string[]> => {
    const response = await find(url, publisher, query)
    assert.equal(response.status, 200, response.text)
    return (response.at('data.items') as JsonObject[]).map(({ id }) => String(id))
  }

  it('are found in every form that leads to one page, and no others', async () => {
    const plain = await made('headline', { title: 'Plain', url: 'https://news.example/ferry' })
    const tracked = await made('headline', { title: 'Tracked', url: 'http://news.example/ferry/?utm_source=feed&utm_medium=rss#top', status: 'draft' })
    const query = await made('headline', { title: 'Query', url: 'https://news.example/a?id=7&fbclid=x' })
    for (const url of ['https://news.example/ferry', 'http://news.example/ferry/', 'HTTPS://NEWS.example/ferry#x', 'https://news.example/ferry?utm_campaign=z']) {
      assert.deepEqual(await idsOf(url), [plain, tracked], url)
    }
    assert.deepEqual(await idsOf('https://news.example/ferry', { except: plain }), [tracked])
    assert.deepEqual(await idsOf('http://news.example/a/?id=7'), [query])
    for (const url of ['https://news.example/ferr', 'https://news.example/ferry2', 'https://news.example/ferry?page=2', 'https://news.example/a?id=70', 'https://news.example/a', 'https://other.example/ferry', 'foo bar', '']) {
      assert.deepEqual(await idsOf(url), [], url)
    }
    const [item] = (await find('https://news.example/ferry')).at('data.items') as JsonObject[]
    assert.deepEqual(item, { id: plain, title: 'Plain', url: 'https://news.example/ferry', status: 'active' })
    assert.deepEqual((await service.data('GET', '', { model: 'headline', filter: { url: 'https://news.example/ferry' } }, { token: publisher.token })).at('data.items[0].id'), plain)
  })

  it('are incomplete drafts as well, for requests that include them', async () => {
    const body = { status: 'draft', url: 'https://news.example/draft' }
    const draft = await service.data('POST', '', { model: 'headline' }, { token: publisher.token, body, isUndescribed: true })
    const id = String(draft.at('data.id'))
    assert.deepEqual(await idsOf('https://news.example/draft'), [])
    assert.deepEqual(await idsOf('https://news.example/draft', { incomplete: true }), [id])
  })

  it('are at most five, the published ones first', async () => {
    const ids = []
    for (const status of ['draft', 'archived', 'draft', 'active', 'draft', 'draft', 'active']) ids.push(await made('headline', { url: 'https://news.example/many', status }))
    const found = await idsOf('https://news.example/many')
    assert.deepEqual([found.length, new Set(found.slice(0, 2))], [5, new Set([ids[3], ids[6]])])
  })

  it('attack: are told to no stranger and no reader, and to a publisher of sources neither', async () => {
    await made('source', { url: 'https://harbour.example/secret' })
    assert.equal((await service.call('GET', '/api/v1/data/duplicates?model=headline&url=x')).status, 401)
    for (const by of [guest, standard]) assert.equal((await find('https://news.example/ferry', by)).status, 403)
    assert.equal((await find('https://harbour.example/secret', publisher, { model: 'source' })).status, 403)
    assert.equal(((await find('https://harbour.example/secret', admin, { model: 'source' })).at('data.items') as unknown[]).length, 1)
    assert.equal((await find('x', admin, { model: 'topic' })).error, 'badRequest: Cannot find duplicates of a topic: it has no address')
    assert.match((await service.data('GET', '/duplicates', { model: 'headline' }, { token: admin.token })).error, /^badRequest: .*expected the parameter url$/)
    const long = await find(`https://news.example/${'%2f'.repeat(9_000)}`, admin)
    assert.deepEqual([long.status, long.at('data.items')], [200, []])
  })

  it('of an import are counted, with their rows and what they are, in a check', async () => {
    const id = await made('headline', { title: 'Stored', url: 'https://news.example/import' })
    const row = (url: string, more: object = {}): string => JSON.stringify({ ...bodyOf('headline'), id: undefined, url, ...more })
    const rows = [row('https://news.example/new'), row('http://news.example/import/?utm_source=x'), row('https://news.example/import', { id }), row('https://news.example/new/#x', { title: 'Again' }), row('')].join('\n')
    const check = await service.call('POST', '/api/v1/admin/import', { token: admin.token, body: { model: 'headline', format: 'ndjson', rows, dryRun: true } })
    assert.deepEqual(check.at('data.sameAddress'), [
      { line: 2, id, title: 'Stored', earlierLine: null },
      { line: 4, id: null, title: bodyOf('headline')['title'], earlierLine: 1 },
    ], check.text)
  })
})
