// also: threads cache-off executable
/** Publications: what their readers get at which address, and nothing else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import texts from '../../data/publications.json' with { type: 'json' }
import type { JsonObject } from '../../src/base/json.ts'
import { HEADLINE, PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import { PAGE_STYLE_SOURCE } from '../../src/publications/page-style.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'
import { send, sendTo } from '../support/service/http-client.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite, type By } from '../support/service/site.ts'

const site = await startSite()
const { service, admin, publisher, standard, guest } = site
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = PUBLICATION
const port = Number(new URL(service.url).port)
const FILES = ['', 'feed.atom', 'feed.rss', 'feed.json', 'items.json']
let names = 0

const made = async (more: object = {}): Promise<JsonObject> => {
  const response = await site.create('publication', { ...BODY, name: `news-${++names}`, ...more })
  assert.equal(response.status, 201, response.text)
  return response.at('data') as JsonObject
}
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, { headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' })
const textOf = async (path: string): Promise<string> => (await get(path)).text()
const call = (method: string, path: string, by: By = admin, body?: unknown): Promise<ApiResponse> =>
  service.call(method, `/api/v1/${path}`, { token: by.token, ...(body === undefined ? {} : { body }) })
const items = async (path: string): Promise<JsonObject[]> => ((await (await get(path)).json()) as { items: JsonObject[] }).items
const newSecret = async (id: unknown): Promise<string> => String((await call('POST', `admin/publications/${String(id)}/secret`)).at('data.secret'))
/** Headlines that only the publication of this word finds. */
const word = (): string => `only${++names}`

describe('a publication', () => {
  it('is read without an account in five formats, each with its type', async () => {
    const only = word()
    const { name } = await made({ filter: JSON.stringify({ excerpt: only }) })
    await site.made('headline', { ...HEADLINE, title: `Ferries of ${only}`, excerpt: only, url: 'https://harbour.example.org/f' })
    const types = ['text/html', 'application/atom+xml', 'application/rss+xml', 'application/feed+json', 'application/json']
    for (const [i, file] of FILES.entries()) {
      const response = await get(`/p/${String(name)}/${file}`)
      assert.equal(response.status, 200, file)
      assert.equal(response.headers.get('content-type'), `${types[i] ?? ''}; charset=utf-8`)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=60')
      assert.equal(response.headers.get('access-control-allow-origin'), '*')
      assert.equal(response.headers.get('set-cookie'), null)
      assert.match(await response.text(), new RegExp(`Ferries of ${only}`))
    }
  })

  it('is found without its slash, with what the reader chose', async () => {
    const locationOf = async (path: string): Promise<unknown> => {
      const { status, headers } = await send(port, path)
      assert.deepEqual([status, headers['cache-control']], [308, 'no-store'], path)
      return headers['location']
    }
    const secret = 'A'.repeat(24)
    for (const query of ['', '?topic=66f0&search=a+b%20%26c', '?cursor=WyJ4', '?utm_source=x&a=%zz', '?', '?//evil.example/', '?a?b:@!$\'()*,;']) {
      assert.equal(await locationOf(`/p/nowhere${query}`), `nowhere/${query}`)
      assert.equal(await locationOf(`/p/nowhere/${secret}${query}`), `${secret}/${query}`)
    }
  })

  it('attack: a redirect to the slash leads to no other host, writes no header, and is short', async () => {
    for (const target of ['/p/%2f%2fevil.example?x', '/p/https:%2f%2fevil.example', '/p/%5cevil.example?%0d%0aSet-Cookie:a=1', '/p/a%0d%0aSet-Cookie:a=1?\\"<>^`{|}[]']) {
      const { status, headers } = await send(port, target, { headers: { 'x-forwarded-host': 'evil.example' } })
      const location = String(headers['location'])
      assert.deepEqual([status, headers['set-cookie']], [308, undefined], target)
      assert.match(location, /^[\w%.-]+\/[\w.~!$&'()*+,;=:@/?%-]*$/)
      assert.equal(new URL(location, `${service.url}/p/a`).origin, service.url)
    }
    assert.equal((await get(`/p/nowhere?search=${'x'.repeat(7_990)}`)).status, 308)
    const long = await get(`/p/nowhere?search=${'x'.repeat(8_000)}`)
    assert.equal(long.status, 400)
    assert.match(await long.text(), /expected a query of at most 8000 characters, found 8008/)
  })

  it('has published headlines alone, and those that its filter finds, at the next request', async () => {
    const only = word()
    const path = `/p/${String((await made({ filter: JSON.stringify({ excerpt: only }) }))['name'])}/items.json`
    const titles = async (): Promise<unknown[]> => (await items(path)).map(({ title }) => title)
    await site.made('headline', { ...HEADLINE, title: 'Another' })
    const draft = await site.made('headline', { ...HEADLINE, title: 'Draft', excerpt: only, status: 'draft' })
    const shown = await site.made('headline', { ...HEADLINE, title: 'Shown', excerpt: only })
    assert.deepEqual(await titles(), ['Shown'])
    assert.deepEqual(await titles(), ['Shown'])
    await site.patch('headline', draft['id'], { status: 'active' })
    assert.deepEqual((await titles()).toSorted(), ['Draft', 'Shown'])
    await site.patch('headline', draft['id'], { status: 'archived' })
    assert.deepEqual(await titles(), ['Shown'])
    await site.remove('headline', shown['id'])
    assert.deepEqual(await titles(), [])
    const planned = new Date(service.now() + 60_000).toISOString()
    await site.made('headline', { ...HEADLINE, title: 'Later', excerpt: only, status: 'draft', publishAt: planned })
    assert.deepEqual(await titles(), [])
  })

  it('shows the chosen members in no format more', async () => {
    const only = word()
    const { id, name } = await made({ members: [], rights: '', filter: JSON.stringify({ title: `T ${only}` }) })
    const made1 = await site.made('headline', { ...HEADLINE, title: `T ${only}`, excerpt: 'Secret excerpt', imageUrl: 'https://harbour.example.org/secret.jpg' })
    const { source, topic, eventCountry } = made1 as unknown as Record<string, { id: string; name: string }>
    const hidden = ['Secret excerpt', 'secret.jpg', ...[source, topic, eventCountry].flatMap((copy) => [copy?.id ?? '', copy?.name ?? ''])]
    for (const file of FILES) {
      const text = await textOf(`/p/${String(name)}/${file}`)
      assert.match(text, new RegExp(`T ${only}`), file)
      for (const part of hidden) assert.equal(text.includes(part), false, `${file || 'page'}: ${part}`)
    }
    assert.deepEqual(Object.keys((await items(`/p/${String(name)}/items.json`))[0] ?? {}), ['id', 'title', 'url', 'publishedAt', 'updatedAt'])
    await site.patch('publication', id, { members: ['source', 'excerpt'] })
    const [story] = await items(`/p/${String(name)}/items.json`)
    assert.deepEqual(Object.keys(story ?? {}), ['id', 'title', 'url', 'publishedAt', 'updatedAt', 'excerpt', 'source'])
    assert.deepEqual(Object.keys(story?.['source'] as object), ['id', 'name', 'url'])
  })

  it('is paged by a cursor, of as many as a reader wants up to its size', async () => {
    const only = word()
    const { name } = await made({ pageSize: 20, filter: JSON.stringify({ excerpt: only }) })
    for (let n = 0; n < 23; n++) await site.made('headline', { ...HEADLINE, title: `Story ${n}`, excerpt: only })
    const path = `/p/${String(name)}/items.json`
    const first = (await (await get(path)).json()) as { items: JsonObject[]; cursor: string }
    assert.equal(first.items.length, 20)
    const second = (await (await get(`${path}?cursor=${first.cursor}`)).json()) as { items: JsonObject[]; cursor: null }
    assert.deepEqual([second.items.length, second.cursor], [3, null])
    assert.equal(new Set([...first.items, ...second.items].map(({ id }) => id)).size, 23)
    assert.equal((await items(`${path}?limit=2`)).length, 2)
    assert.equal((await items(`${path}?limit=1000`)).length, 20)
    // None would look like the end.
    for (const limit of ['0', '-1', '1.5', 'x', '']) {
      const refused = await get(`${path}?limit=${limit}`)
      assert.equal(refused.status, 400, limit)
      assert.match(await refused.text(), /Cannot read limit \\"[^"]*\\": expected a whole number from 1 to 20"/)
    }
    assert.equal((await get(`${path}?cursor=x`)).status, 400)
    assert.match(await textOf(`/p/${String(name)}/`), /<a rel="next" href="\?cursor=/)
  })

  it('is narrowed by topic, source and words, and links to both', async () => {
    const [only, topic] = [word(), await site.made('topic', { name: 'Tides & <b>' })]
    const { name } = await made({ filter: JSON.stringify({ excerpt: { $regex: only } }) })
    await site.made('headline', { ...HEADLINE, title: 'One', excerpt: `${only} gulls`, topic: { id: topic['id'] } })
    await site.made('headline', { ...HEADLINE, title: 'Two', excerpt: `${only} terns` })
    const path = `/p/${String(name)}/items.json`
    const titles = async (query: string): Promise<unknown[]> => (await items(`${path}?${query}`)).map(({ title }) => title).toSorted()
    assert.deepEqual(await titles(`topic=${String(topic['id'])}`), ['One'])
    assert.deepEqual(await titles('topic=unknown'), [])
    assert.deepEqual(await titles('search=TERNS'), ['Two'])
    assert.deepEqual(await titles('search=%20'), ['One', 'Two'])
    assert.deepEqual(await titles(`source=${HEADLINE.source.id}&search=gulls`), ['One'])
    assert.deepEqual(await titles('utm_source=x'), ['One', 'Two'])
    const page = await textOf(`/p/${String(name)}/?topic=${String(topic['id'])}`)
    assert.match(page, /<h2 dir="auto">Tides &amp; &lt;b&gt;<\/h2>/)
    assert.match(page, /href="feed\.atom\?topic=/)
    assert.equal((await get(`${path}?search=${'x'.repeat(201)}`)).status, 400)
  })

  it('is hidden while it is paused, and after it was deleted', async () => {
    const { id, name } = await made()
    const path = `/p/${String(name)}/`
    assert.equal((await get(path)).status, 200)
    await site.patch('publication', id, { isPaused: true })
    assert.equal((await get(path)).status, 404)
    await site.patch('publication', id, { isPaused: false })
    assert.equal((await get(path)).status, 200)
    await site.remove('publication', id)
    assert.equal((await get(path)).status, 404)
  })

  it('is written by administrators, listed by publishers, and checked', async () => {
    const { id } = await made()
    for (const by of [publisher, standard, guest]) {
      assert.equal((await site.create('publication', { ...BODY, name: 'x' }, by)).status, 403)
      assert.equal((await call('POST', `admin/publications/${String(id)}/secret`, by)).status, 403)
      assert.equal((await call('POST', 'admin/publications/preview', by, { publication: BODY })).status, 403)
    }
    for (const by of [standard, guest]) {
      assert.equal((await site.list({ model: 'publication' }, by)).status, 403)
      assert.equal((await call('GET', 'publications', by)).status, 403)
    }
    const states = (await call('GET', 'publications', publisher)).at('data.items') as JsonObject[]
    assert.equal(states.find((one) => one['id'] === id)?.['hasSecret'], false)
    const rows: readonly [object, RegExp][] = [
      [{ name: 'A' }, /^invalidInput: name: expected 1 to 60 lower-case letters/],
      [{ name: '-a' }, /^invalidInput: name: /],
      [{ name: 'feed.atom' }, /^invalidInput: name: /],
      [{ pageSize: 19 }, /^invalidInput: pageSize: expected a whole number from 20 to 200, found 19/],
      [{ pageSize: 201 }, /^invalidInput: pageSize: /],
      [{ filter: '{"$where":1}' }, /^invalidInput: filter: /],
      [{ filter: 'x' }, /^invalidInput: filter: /],
      [{ members: ['status'] }, /^invalidInput: members\[0\]: /],
      [{ sort: 'status' }, /^invalidInput: sort: /],
      [{ contact: 'javascript:alert(1)' }, /^invalidInput: contact: expected an e-mail address, an address that begins with http:\/\/ or https:\/\/, .* or an empty text, found "javascript:/],
    ]
    for (const [more, error] of rows) assert.match((await site.create('publication', { ...BODY, name: 'checked', ...more })).error, error)
    const { name } = await made()
    assert.match((await site.create('publication', { ...BODY, name })).error, /^conflict: name: /)
  })

  it('is looked at before it is stored', async () => {
    const only = word()
    await site.made('headline', { ...HEADLINE, title: 'Ahead', excerpt: only })
    const draft = { ...BODY, members: ['source'], filter: JSON.stringify({ excerpt: only }) }
    const response = await call('POST', 'admin/publications/preview', admin, { publication: draft })
    const [story] = response.at('data.stories') as JsonObject[]
    assert.deepEqual([story?.['title'], story?.['excerpt'], story?.['source'], response.at('data.hasMore')], ['Ahead', null, HEADLINE.source.name, false])
    assert.match((await call('POST', 'admin/publications/preview', admin, { publication: { ...draft, filter: '{' } })).error, /^invalidInput: filter: /)
    assert.match((await call('POST', 'admin/publications/preview', admin, { publication: 7 })).error, /^invalidInput: publication: expected an object/)
  })
})

describe('a secret address', () => {
  it('attack: is not guessed, and every wrong address gets the same response', async () => {
    const { id, name } = await made({ visibility: 'secret' })
    const path = `/p/${String(name)}/`
    const before = await get(path)
    const secret = await newSecret(id)
    assert.match(secret, /^[\w-]{24}$/)
    const open = await made()
    const wrong = [path, `${path}${secret.slice(0, -1)}/`, `${path}${secret}x/`, `${path}${'A'.repeat(24)}/`, `/p/nowhere/`, `/p/nowhere/${secret}/`, `/p/${String(open['name'])}/${secret}/`]
    const bodyOf = async (response: Response): Promise<string> => `${response.status} ${await response.text()}`
    assert.equal(before.status, 404)
    for (const file of FILES) {
      const found = await Promise.all(wrong.map(async (one) => bodyOf(await get(`${one}${file}`))))
      assert.match(found[0] ?? '', /^404 /)
      assert.deepEqual([...new Set(found)], [found[0]], file)
    }
    const right = await get(`${path}${secret}/`)
    assert.equal(right.status, 200)
    assert.equal(right.headers.get('cache-control'), 'private, no-cache')
    assert.equal(right.headers.get('x-robots-tag'), 'noindex, nofollow')
    assert.equal(right.headers.get('referrer-policy'), 'no-referrer')
    // Its links are relative, so they lead to pages of the same address.
    assert.match(await right.text(), /<h1 dir="auto"><a href="\.\/">/)
    assert.equal((await get(`${path}${secret}`)).headers.get('location'), `${secret}/`)
  })

  it('ends with the next request when it is changed, also for pages that are remembered', async () => {
    const { id, name } = await made({ visibility: 'secret' })
    const first = await newSecret(id)
    const path = (secret: string): string => `/p/${String(name)}/${secret}/feed.json`
    for (let n = 0; n < 3; n++) assert.equal((await get(path(first))).status, 200)
    const second = await newSecret(id)
    assert.deepEqual([(await get(path(first))).status, (await get(path(second))).status], [404, 200])
    await site.patch('publication', id, { visibility: 'public' })
    assert.deepEqual([(await get(path(second))).status, (await get(`/p/${String(name)}/feed.json`)).status], [404, 200])
    assert.equal((await call('POST', 'admin/publications/unknown/secret')).status, 404)
  })

  it('attack: is in no log, record, metric, list or database', async () => {
    const { id, name } = await made({ visibility: 'secret' })
    const secret = await newSecret(id)
    for (const rest of ['', 'feed.atom', 'nothing', 'items.json?limit=1', 'a/b/c']) await (await get(`/p/${String(name)}/${secret}/${rest}`)).text()
    await (await get(`/p/${String(name)}/${secret}`)).text()
    // As people mistype it, and proxies pass it on.
    for (const path of [`//p/${name}/${secret}/`, `/P/${name}/${secret}/`, `/base/p/${name}/${secret}/`, `/p/${name}%2F${secret}/`, `/%70/${name}/${secret}/`, `/p%2f${name}%2f${secret}`, `/p/${name};${secret}/`, `/p/${secret}`]) {
      await (await get(path)).text()
    }
    const texts = [
      ...(await Promise.all([site.read('publication', id), site.list({ model: 'publication', limit: 100 }), call('GET', 'publications'), call('GET', 'admin/audit?limit=100')])).map(({ text }) => text),
      await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })).text(),
      ...(await service.logged()),
    ]
    for (const text of texts) assert.equal(text.includes(secret), false, text.slice(0, 300))
    assert.ok((await service.logged()).some((line) => line.includes(`/p/${String(name)}/***/feed.atom`)))
    assert.equal((await site.records({ event: 'publication.secret-set', documentId: id })).length, 1)
    assert.equal((await textOf('/p/sources.opml')).includes(String(name)), false)
  })
})

it('people who come to a wrong address get a page in their language', async () => {
  for (const path of ['/p/', '/p/nowhere/', '/p/nowhere/secret/']) {
    const response = await get(path, { 'accept-language': 'ar;q=0.9, de;q=0.3' })
    const { status, headers } = response
    assert.deepEqual([status, headers.get('content-type'), headers.get('cache-control')], [404, 'text/html; charset=utf-8', 'no-store'], path)
    assert.match(await response.text(), /^<!doctype html>\n<html lang="ar" dir="rtl">/)
  }
  assert.match(await textOf('/p/nowhere/'), /There is nothing at this address\./)
})

it('people whose link cannot be read learn what is wrong with it, in their language, and get to the newest stories', async () => {
  const { id, name } = await made({ visibility: 'secret' })
  const secret = await newSecret(id)
  const open = await made()
  const rows = [
    ['cursor=x', 'ar', 'brokenCursor'],
    ['cursor=x&topic=unknown', 'de', 'brokenCursor'],
    [`search=${'x'.repeat(201)}`, 'fr', 'longSearch'],
    [`topic=${'x'.repeat(201)}`, 'es', 'brokenLink'],
    ['search=%zz', 'en', 'brokenLink'],
    ['topic=a&topic=b', 'en', 'brokenLink'],
  ] as const
  for (const [query, language, says] of rows) {
    for (const path of [`/p/${String(open['name'])}/`, `/p/${String(name)}/${secret}/`]) {
      const response = await get(`${path}?${query}`, { 'accept-language': language })
      const { headers } = response
      assert.deepEqual([response.status, headers.get('content-type'), headers.get('cache-control')], [400, 'text/html; charset=utf-8', 'no-store'], query)
      const text = await response.text()
      assert.ok(text.includes(`<h1 class="empty">${texts[language][says].replace('{max}', '200')}</h1>`), text)
      assert.ok(text.includes(`<a href="./">${texts[language].latest}</a>`), text)
    }
  }
})

it('attack: a link that cannot be read tells nothing of a publication that its reader may not see', async () => {
  const [paused, secret] = [await made({ isPaused: true }), await made({ visibility: 'secret' })]
  await newSecret(secret['id'])
  const paths = ['nowhere/', `${String(paused['name'])}/`, `${String(secret['name'])}/`, `${String(secret['name'])}/${'A'.repeat(24)}/`].map((path) => `/p/${path}`)
  for (const query of ['cursor=x', `search=${'x'.repeat(201)}`, 'topic=a&topic=b', 'search=%zz', 'limit=0', 'x&'.repeat(101)]) {
    for (const file of FILES) {
      const bodies = await Promise.all(paths.map(async (path) => {
        const response = await get(`${path}${file}?${query}`)
        return `${response.status} ${(await response.text()).replace(/"requestId":"[^"]*"/, '')}`
      }))
      assert.deepEqual([...new Set(bodies)], [bodies[0]], `${file} ${query}`)
    }
  }
})

it('the script of any site reads why it gets no items', async () => {
  const { name } = await made()
  for (const [path, status] of [['/p/nowhere/items.json', 404], ['/p/nowhere/feed.atom', 404], [`/p/${String(name)}/items.json?limit=x`, 400], [`/p/${String(name)}/items.json?cursor=x`, 400]] as const) {
    const response = await get(path)
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin'), response.headers.get('content-type')], [status, '*', 'application/json; charset=utf-8'], path)
  }
})

describe('what readers may choose', () => {
  it('attack: a filter tells nothing of members that are not shown', async () => {
    const only = word()
    const { name } = await made({ members: ['excerpt'], filter: JSON.stringify({ excerpt: only }) })
    const topic = await site.made('topic', { name: `hidden${only}` })
    const shown = await site.made('headline', { ...HEADLINE, title: 'Shown', excerpt: only, topic: { id: topic['id'] } })
    const path = `/p/${String(name)}/items.json`
    const titles = async (query: string): Promise<unknown[]> => (await items(`${path}?${query}`)).map(({ title }) => title)
    // Choices by what is not shown are none, whether they would be right or wrong.
    for (const id of [topic['id'], 'wrong']) assert.deepEqual(await titles(`topic=${String(id)}`), ['Shown'])
    for (const id of [(shown['source'] as JsonObject)['id'], 'wrong']) assert.deepEqual(await titles(`source=${String(id)}`), ['Shown'])
    for (const words of [`hidden${only}`, HEADLINE.source.name, `${only} hidden${only}`]) assert.deepEqual(await titles(`search=${encodeURIComponent(words)}`), [], words)
    assert.deepEqual(await titles(`search=${only}`), ['Shown'])
    for (const query of ['filter={"status":"draft"}', 'sort=status', 'fields=topic', 'changedBy=x', 'incomplete=true', 'count=true']) {
      assert.equal(await textOf(`${path}?${query}`), await textOf(path), query)
    }
  })

  it('attack: a forged cursor brings what the publication has, and nothing else', async () => {
    const only = word()
    const { name } = await made({ filter: JSON.stringify({ excerpt: only }) })
    await site.made('headline', { ...HEADLINE, title: 'Shown', excerpt: only })
    await site.made('headline', { ...HEADLINE, title: 'Foreign' })
    const forged = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url')
    const at = `/p/${String(name)}/items.json?cursor=`
    assert.deepEqual((await items(`${at}${forged([1, 'headline', 'publishedAt:desc', ['9'], 'x'])}`)).map(({ title }) => title), ['Shown'])
    for (const content of [[1, 'user', 'publishedAt:desc', ['9'], 'x'], [1, 'headline', 'email:asc', ['9'], 'x'], 'x']) {
      assert.equal((await get(`${at}${forged(content)}`)).status, 400)
    }
  })
})

describe('responses to readers', () => {
  it('have a strong tag of their content, and are 304 to a client that has it, in any coding', async () => {
    const only = word()
    const { name } = await made({ filter: JSON.stringify({ excerpt: only }), description: 'x'.repeat(3_000) })
    for (const file of FILES) {
      const path = `/p/${String(name)}/${file}`
      const plain = await get(path)
      const tag = plain.headers.get('etag') ?? ''
      const body = await plain.text()
      assert.match(tag, /^"[\w-]{22}"$/)
      // Another headline, which it does not have, changes nothing.
      await site.made('headline', { ...HEADLINE, title: 'Another' })
      for (let n = 0; n < 3; n++) assert.equal((await get(path, { 'if-none-match': tag })).status, 304)
      for (const unreadable of ['abc', `W/abc`, `'a'`]) assert.equal((await get(path, { 'if-none-match': unreadable })).status, 200)
      const policy = plain.headers.get('content-security-policy')
      assert.equal((await get(path, { 'if-none-match': tag })).headers.get('content-security-policy'), policy)
      if (file === 'items.json') continue
      for (const [coding, decode] of [['br', brotliDecompressSync], ['gzip', gunzipSync]] as const) {
        const { headers, bytes } = await sendTo(new URL(`${service.url}${path}`), { headers: { 'accept-encoding': coding } })
        if (headers['content-encoding'] === undefined) continue
        assert.equal(headers['content-encoding'], coding)
        assert.equal(headers['etag'], `${tag.slice(0, -1)}-${coding}"`)
        assert.equal(decode(bytes).toString(), body)
        assert.equal((await get(path, { 'if-none-match': headers['etag'] ?? '' })).status, 304)
      }
    }
  })

  it('attack: no header of a request changes what others get', async () => {
    const { name } = await made()
    for (const file of FILES) {
      const path = `/p/${String(name)}/${file}`
      const before = await textOf(path)
      const poison = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example', 'x-original-url': '/', origin: 'https://evil.example', 'accept-language': 'ar' }
      const answered = await get(path, poison)
      const text = await answered.text()
      assert.equal(text, before)
      assert.equal([...answered.headers.values()].join(' ').includes('evil'), false)
      assert.equal(answered.headers.get('vary'), 'Accept-Encoding')
      assert.equal(before.includes(service.url), false)
    }
  })

  it('have no script, frame or password, and no process of their own, which paints them later', async () => {
    const { name } = await made()
    const { headers } = await get(`/p/${String(name)}/`)
    const policy = `default-src 'none'; style-src ${PAGE_STYLE_SOURCE}; img-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
    assert.equal(headers.get('content-security-policy'), policy)
    assert.equal(headers.get('cross-origin-embedder-policy'), 'credentialless')
    assert.equal(headers.get('cross-origin-opener-policy'), null)
  })

  it('has the pictures of the service at the address of the site, whatever that was called when they were sent', async () => {
    const only = word()
    const { name } = await made({ members: ['imageUrl'], filter: JSON.stringify({ excerpt: only }) })
    const path = `media/${'a'.repeat(64)}.webp`
    await site.made('headline', { ...HEADLINE, excerpt: only, url: 'https://harbour.example.org/p', imageUrl: `http://127.0.0.1:8080/${path}` })
    assert.match(await textOf(`/p/${String(name)}/`), new RegExp(`src="\\.\\./\\.\\./${path}"`))
    assert.equal((await items(`/p/${String(name)}/items.json`))[0]?.['imageUrl'], `http://127.0.0.1:8080/${path}`)
    assert.equal((await call('PATCH', 'admin/settings', admin, { publicUrl: 'https://news.example.org/' })).status, 200)
    assert.equal((await items(`/p/${String(name)}/items.json`))[0]?.['imageUrl'], `https://news.example.org/${path}`)
    assert.equal((await call('PATCH', 'admin/settings', admin, { publicUrl: null })).status, 200)
  })

  it('say what a picture of the service shows, as its library does at the moment', async () => {
    const only = word()
    const { name } = await made({ members: ['imageUrl'], filter: JSON.stringify({ excerpt: only }) })
    const sent = await fetch(`${service.url}/api/v1/media`, { method: 'POST', headers: { authorization: `Bearer ${publisher.token}` }, body: new Uint8Array(samplePicture('webp')) })
    const { hash, url } = ((await sent.json()) as { data: { hash: string; url: string } }).data
    await site.made('headline', { ...HEADLINE, excerpt: only, url: 'https://harbour.example.org/a', imageUrl: url })
    const path = `/p/${String(name)}/`
    const said: readonly (readonly [alt: string, written: string])[] = [
      ['', ''],
      ['A white ferry & <gulls>', 'A white ferry &amp; &lt;gulls&gt;'],
      ['"><script>alert(1)</script>', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
      ['', ''],
    ]
    const known = new Map<string, string>()
    for (const [alt, written] of said) {
      assert.equal((await call('PUT', `media/${hash}`, publisher, { alt, focus: null })).status, 200)
      // Remembered after the second one.
      for (let times = 0; times < 3; times++) {
        const page = await get(path, { 'if-none-match': known.get(path) ?? '""' })
        assert.equal(page.status, times === 0 ? 200 : 304, alt)
        if (page.status === 200) assert.ok((await page.text()).includes(`" alt="${written}" `), alt)
        known.set(path, page.headers.get('etag') ?? '')
      }
      assert.equal((await textOf(path)).includes(`<meta property="og:image:alt" content="${written}">`), alt !== '')
      // A publication promises its members and no others.
      assert.deepEqual(Object.keys((await items(`${path}items.json`))[0] ?? {}), ['id', 'title', 'url', 'publishedAt', 'updatedAt', 'imageUrl'])
    }
  })

  it('attack: what a reader chooses is short, and no search engine has it under the name of the publication', async () => {
    const { name } = await made({ title: 'Harbour News' })
    for (const file of FILES) {
      for (const chosen of ['topic', 'source', 'search']) assert.equal((await get(`/p/${String(name)}/${file}?${chosen}=${"'".repeat(201)}`)).status, 400, `${file} ${chosen}`)
    }
    const typed = await textOf(`/p/${String(name)}/?search=${encodeURIComponent('buy at evil.example')}`)
    assert.match(typed, /<meta name="robots" content="noindex">/)
    assert.match(typed, /<meta property="og:title" content="Harbour News">/)
    assert.match(await textOf(`/p/${String(name)}/?topic=unknown`), /content="noindex"/)
    assert.doesNotMatch(await textOf(`/p/${String(name)}/`), /noindex/)
  })

  it('say that search engines may not index them, unless a setting lets them', async () => {
    const { name } = await made()
    assert.equal((await get(`/p/${String(name)}/`)).headers.get('x-robots-tag'), 'noindex, nofollow')
    assert.equal(await textOf('/robots.txt'), 'User-agent: *\nDisallow: /\n')
    assert.match(await textOf('/p/sources.opml'), new RegExp(`xmlUrl="${String(name)}/feed.atom"`))
  })

  it('are listed as they are now, and 304 to a client that has the list', async () => {
    const { id, name } = await made()
    const listed = new RegExp(`xmlUrl="${String(name)}/feed.atom"`)
    const first = await get('/p/sources.opml')
    assert.deepEqual([first.headers.get('content-type'), first.headers.get('cache-control')], ['text/x-opml; charset=utf-8', 'public, max-age=60'])
    assert.match(await first.text(), listed)
    const known = { 'if-none-match': first.headers.get('etag') ?? '' }
    for (let times = 0; times < 3; times++) assert.equal((await get('/p/sources.opml', known)).status, 304)
    assert.equal((await call('PATCH', `data/${String(id)}?model=publication`, admin, { isPaused: true })).status, 200)
    const then = await get('/p/sources.opml', known)
    assert.equal(then.status, 200)
    assert.doesNotMatch(await then.text(), listed)
  })
})
