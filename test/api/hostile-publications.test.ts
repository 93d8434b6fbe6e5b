/** Strangers at publications: many of them, with many queries, and under names of hosts that are not ours. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { publication as publicationModel } from '../../src/models/publication-model.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { sendTo } from '../support/service/http-client.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startService, type TestService, type TestSettings } from '../support/service/service.ts'

const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = PUBLICATION
const PATH = `/p/${BODY.name}/`
const QUERIES = longRun(60, 100_000)

async function withPublication(t: Cleanup, settings: TestSettings = {}): Promise<{ readonly service: TestService; readonly token: string; readonly publication: JsonObject }> {
  const service = await startService(t, settings)
  const { token } = await service.admin()
  const response = await service.data('POST', '', { model: 'publication' }, { token, body: BODY })
  assert.equal(response.status, 201, response.text)
  return { service, token, publication: response.at('data') as JsonObject }
}

async function metric(service: TestService, token: string, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])
}

it('attack: any number of different queries leaves the memory of pages as it is', async (t) => {
  const { service, token } = await withPublication(t)
  // Of these all want the same page, whatever else they say.
  for (let n = 0; n < 10; n++) assert.equal((await fetch(`${service.url}${PATH}items.json?utm=${n}`)).status, 200)
  const before = await metric(service, token, 'dateline_cache_pages')
  for (let n = 0; n < QUERIES; n++) await (await fetch(`${service.url}${PATH}items.json?search=word${n}`)).arrayBuffer()
  assert.equal(await metric(service, token, 'dateline_cache_pages'), before)
  // What is asked for twice is remembered, within its share of the memory.
  for (let n = 0; n < 30; n++) for (let i = 0; i < 2; i++) await (await fetch(`${service.url}${PATH}?search=twice${n}`)).arrayBuffer()
  assert.ok((await metric(service, token, 'dateline_cache_pages')) > before)
  assert.ok((await metric(service, token, 'dateline_cache_bytes')) < 8 * 1024 * 1024)
})

it('a client address has a limit of its own, which is not that of the API', async (t) => {
  const { service, token } = await withPublication(t, { rateLimits: 'on', publicationsPerAddress: '4', trustedProxies: '127.0.0.1', dataPerUser: '0' })
  const get = async (client: string, file: string): Promise<Response> => fetch(`${service.url}${PATH}${file}`, { headers: { 'x-forwarded-for': client } })
  for (const file of ['', 'feed.atom', 'items.json', 'feed.rss']) await (await get('192.0.2.1', file)).arrayBuffer()
  const refused = await get('192.0.2.1', '')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
  assert.equal((await get('192.0.2.2', '')).status, 200)
  assert.equal((await service.call('GET', '/api/v1/publications', { token, headers: { 'x-forwarded-for': '192.0.2.1' } })).status, 200)
  service.advance(61_000)
  assert.equal((await get('192.0.2.1', '')).status, 200)
  assert.equal(await metric(service, token, 'dateline_rate_limited_total\\{limit="publications_per_address"\\}'), 1)
})

it('attack: a host that is not ours gets nothing, and names no link for others', async (t) => {
  const { service } = await withPublication(t, { allowedHosts: 'news.example.org,other.example.org' })
  const get = (host: string, headers: Record<string, string> = {}) => sendTo(new URL(`${service.url}${PATH}feed.atom`), { headers: { host, 'accept-encoding': 'identity', ...headers } })
  const textAs = async (host: string, headers?: Record<string, string>): Promise<string> => (await get(host, headers)).text
  for (let n = 0; n < 3; n++) {
    for (const host of ['news.example.org', 'other.example.org:8443']) assert.match(await textAs(host), new RegExp(`rel="self" type="[^"]+" href="http://${host}/p/`))
    assert.equal((await get('evil.example')).status, 421)
  }
  // From a client that is no trusted proxy, these say nothing.
  const forwarded = await textAs('news.example.org', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })
  assert.equal(forwarded, await textAs('news.example.org'))
})

it('the setting of the address of the site names links, as it is at the moment', async (t) => {
  const { service, token } = await withPublication(t, { allowedHosts: 'internal.example' })
  const self = async (): Promise<string | undefined> => / href="([^"]*)feed\.atom"/.exec(await (await fetch(`${service.url}${PATH}feed.atom`)).text())?.[1]
  const set = (publicUrl: string | null) => service.call('PATCH', '/api/v1/admin/settings', { token, body: { publicUrl } })
  assert.equal(await self(), `${service.url}/p/${BODY.name}/`)
  assert.equal((await set('https://news.example.org/a/')).status, 200)
  for (let n = 0; n < 3; n++) assert.equal(await self(), `https://news.example.org/a/p/${BODY.name}/`)
  const states = await service.call('GET', '/api/v1/publications', { token })
  assert.equal(states.at('data.items[0].address'), `https://news.example.org/a/p/${BODY.name}/`)
  assert.equal((await set(null)).status, 200)
  assert.equal(await self(), `${service.url}/p/${BODY.name}/`)
})

it('attack: a filter that cannot be run tells its readers nothing of itself', { skip: ONLY_HERE }, async (t) => {
  const { service, publication } = await withPublication(t)
  const filter = '{"secretMember":{"$nope":1}}'
  await service.app.services.store.as(SYSTEM).update(publicationModel, String(publication['id']), (stored) => ({ ...stored, filter }))
  for (const file of ['', 'feed.atom', 'items.json']) {
    const response = await fetch(`${service.url}${PATH}${file}`)
    assert.deepEqual([response.status, response.headers.get('content-type')], [503, file === '' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8'])
    const text = await response.text()
    assert.equal(/secret|nope/i.test(text), false)
    assert.match(text, file === '' ? /<h1 class="empty">This page cannot be shown now\./ : /The publication cannot be read now/)
  }
  const unavailable = (await service.logged()).filter((line) => line.includes('request.unavailable'))
  assert.equal(unavailable.length, 3)
})

it('search engines may index public publications where the setting lets them, and caches keep them as long as it says', async (t) => {
  const { service } = await withPublication(t, { publicationsIndexed: 'on', publicationSeconds: '5' })
  const { headers } = await fetch(`${service.url}${PATH}`)
  assert.deepEqual([headers.get('x-robots-tag'), headers.get('cache-control')], [null, 'public, max-age=5'])
  assert.equal(await (await fetch(`${service.url}/robots.txt`)).text(), 'User-agent: *\nAllow: /p/\nDisallow: /\n')
})

it('the list of publications has all of them', { skip: ONLY_HERE }, async (t) => {
  const { service } = await withPublication(t)
  const writer = service.app.services.store.as(SYSTEM)
  const more = Array.from({ length: 500 }, (_, i) => ({ ...PUBLICATION, id: `p${i}`, name: `p${i}` }))
  await Promise.all(more.map((value) => writer.insert(publicationModel, { id: value.id, value })))
  const list = await (await fetch(`${service.url}/p/sources.opml`)).text()
  assert.equal(list.match(/xmlUrl=/g)?.length, 501)
})
