// also: executable
/** The pages as a browser gets them: every header that protects them, every coding, and nothing else of the machine. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { loadPageAssets } from '../../src/app/page-assets.ts'
import { OPENAPI_PATH } from '../../src/app/page-routes.ts'
import { send, type ClientResponse } from '../support/service/http-client.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startService } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

/** What `npm test` built before the tests. */
const pageAssets = loadPageAssets() ?? assert.fail('wanted a dashboard that was built')
const assets = pageAssets.filter(({ path }) => path !== OPENAPI_PATH)
const service = await startSuiteService({}, { pageAssets })

/** Sends exactly these headers, and takes path and body as they are. */
function get(path: string, headers: Record<string, string> = {}, { method = 'GET', url = service.url } = {}): Promise<ClientResponse> {
  return send(Number(new URL(url).port), path, { method, headers })
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync }
const paths = assets.map(({ path }) => path)
const page = String(Buffer.from(assets.find(({ path }) => path === '/')?.body ?? ''))
const script = `/${/<script type="module" src="(assets\/[\w-]+\.js)">/.exec(page)?.[1] ?? assert.fail(page)}`

/** The whole policy of a page. */
function policyWith(pictures: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; ${pictures}; connect-src 'self'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
    "trusted-types 'none'"
  )
}

describe('every file of the pages', () => {
  it('comes as it was built, in every coding, with its type, and is kept for ever where its name changes with its content', async () => {
    for (const { path, type, body, brotli, gzip, immutable } of assets) {
      for (const [accepted, coding] of [
        ['identity', undefined],
        ['gzip, deflate, br, zstd', brotli === undefined ? (gzip === undefined ? undefined : 'gzip') : 'br'],
        ['gzip', gzip === undefined ? undefined : 'gzip'],
      ] as const) {
        const response = await get(path, { 'accept-encoding': accepted })
        const { headers } = response
        assert.deepEqual([response.status, headers['content-encoding'], headers['content-type']], [200, coding, type], path)
        assert.match(String(headers['vary']), /\bAccept-Encoding\b/)
        assert.equal(headers['cache-control'], immutable ? 'public, max-age=31536000, immutable' : 'no-cache', path)
        const decoded = coding === undefined ? response.bytes : DECODERS[coding]?.(response.bytes)
        assert.ok(decoded?.equals(body), `${path}, ${accepted}: other bytes`)
      }
      assert.equal(immutable, /-[A-Z0-9]{8}\.(?:js|css|svg|woff2)$/.test(path), path)
    }
  })

  it('cannot be framed and may do next to nothing', async () => {
    for (const { path } of assets) {
      const { headers } = await get(path)
      assert.equal(headers['content-security-policy'], policyWith(path === '/' ? "img-src 'self' https:" : "img-src 'self'"), path)
      assert.equal(headers['cross-origin-embedder-policy'], path === '/' ? 'credentialless' : undefined)
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
      assert.match(String(headers['permissions-policy']), /\bcamera=\(\).*\bgeolocation=\(\).*\bmicrophone=\(\)/)
      assert.equal(headers['access-control-allow-origin'], undefined)
    }
  })
})

describe('a file that the browser has', () => {
  const codings = ['identity', 'br', 'gzip']

  it('is not sent again, and comes with the headers of the first response', async () => {
    const tags = new Set<unknown>()
    for (const coding of codings) {
      const first = await get('/docs', { 'accept-encoding': coding })
      const headers = { 'accept-encoding': coding, 'if-none-match': `"a,b", W/"c" ,${String(first.headers['etag'])}` }
      const response = await get('/docs', headers)
      assert.deepEqual([response.status, response.bytes.length], [304, 0])
      for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy']) assert.equal(response.headers[name], first.headers[name], name)
      tags.add(first.headers.etag)
    }
    assert.equal(tags.size, codings.length, 'each coding has its own')
  })
})

it('/docs/client/ lists the files of the typed client, and /docs/client leads there', async () => {
  const list = await get('/docs/client/')
  assert.equal(list.status, 200)
  assert.match(String(list.headers['content-type']), /^text\/html/)
  const names = [...list.text.matchAll(/<a href="(dateline[^"]*)" download>/g)].map(([, name]) => name)
  assert.deepEqual(names, ['dateline.ts', 'dateline.js', 'dateline.d.ts'])
  for (const name of names) assert.match((await get(`/docs/client/${name}`)).text, /^\/\*\*\n \* A client of Dateline /)
  assert.equal(String((await get('/docs/client/dateline.js')).headers['content-type']), 'text/javascript; charset=utf-8')
  assert.equal((await get('/docs/client/..%2f..%2fpackage.json')).status, 404)
  const { status, headers } = await get('/docs/client')
  assert.deepEqual([status, headers['location']], [308, 'client/'])
})

it('/docs/ leads to /docs, also below a path of a proxy', async () => {
  const { status, headers } = await get('/docs/')
  assert.equal(status, 308)
  const { href } = new URL(String(headers['location']), 'https://proxy.example/news/docs/')
  assert.equal(href, 'https://proxy.example/news/docs')
  assert.equal(headers['x-frame-options'], 'DENY')
})

describe('the HTML', () => {
  for (const page of ['/', '/docs']) {
    it(`of ${page} names only files that are served, also below a path of a proxy, and has nothing inline`, async () => {
      const html = (await get(page)).text
      const names = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, name = '']) => name)
      assert.ok(names.length >= 3)
      for (const name of names) {
        if (name.startsWith('#/')) continue
        const { origin, pathname } = new URL(name, `https://proxy.example/news${page}`)
        assert.equal(origin, 'https://proxy.example')
        if (page === '/docs' && ['/news/', '/news/api/v1/openapi.json', '/news/docs/client/'].includes(pathname)) continue
        assert.ok(paths.includes(pathname.replace(/^\/news/, '')), name)
        assert.ok(pathname.startsWith('/news/assets/'), name)
      }
      // Texts of the reference may say what an attribute looks like; a tag ends at the first >, which is escaped in values.
      const tags = html.match(/<[^>]*>/g) ?? []
      assert.ok(tags.length > 5)
      for (const tag of tags) assert.doesNotMatch(tag, /<style|\sstyle=|\son\w+=|<base|<script(?![^>]* src=)/i)
    })
  }
})

it('a name that no file has is a 404 as JSON, and is not resolved as a path', async () => {
  for (const path of [
    ...['/assets/missing.js', '/assets/..%2f..%2fpackage.json', '/assets/%2e%2e%2fdateline-data%2fdateline.db', '/assets/..\\package.json'],
    ...['/assets/..', '/assets/%00', '/assets/%', '/assets/__proto__', '/assets/etc%2Fpasswd', `${script}%00.css`, `${script}.map`],
    ...[script.replace('.js', '%2ejs'), `/assets/${'x'.repeat(10_000)}`],
    ...['/../package.json', '/assets/../../package.json', '/assets/', '//docs', '/docs//'],
  ]) {
    const { status, headers, text } = await get(path)
    assert.equal(status, 404, path.slice(0, 60))
    assert.match(String(headers['content-type']), /^application\/json/)
    assert.equal((JSON.parse(text) as { error: { code: string } }).error.code, 'notFound')
    assert.ok(text.length < 500)
  }
})

it('the pages are only read', async () => {
  for (const path of ['/', '/docs', script]) {
    const { status, headers } = await get(path, {}, { method: 'POST' })
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD, OPTIONS'])
  }
})

describe('pictures of other hosts', () => {
  for (const [dashboardImages, pictures, policy] of [
    ['on-request', undefined, "img-src 'self' https:"],
    ['on', 'on', "img-src 'self' https:"],
    ['off', 'off', "img-src 'self'"],
  ] as const) {
    it(`--dashboard-images ${dashboardImages}: the policy of the dashboard, and what its script is told`, async (t) => {
      const { url } = await startService(t, { dashboardImages }, { pageAssets: assets })
      for (const coding of ['identity', 'br', 'gzip']) {
        const { status, headers, bytes } = await get('/', { 'accept-encoding': coding }, { url })
        const html = (DECODERS[coding]?.(bytes) ?? bytes).toString()
        assert.deepEqual([status, headers['content-security-policy']], [200, policyWith(policy)])
        assert.equal(headers['cross-origin-embedder-policy'], dashboardImages === 'off' ? undefined : 'credentialless')
        assert.equal(/<html[^>]* data-pictures="([\w-]+)"/.exec(html)?.[1], pictures)
        const again = await get('/', { 'accept-encoding': coding, 'if-none-match': String(headers.etag) }, { url })
        assert.deepEqual([again.status, again.headers['content-security-policy']], [304, policyWith(policy)])
        // A browser that has the page of another setting gets this one, with its policy.
        const other = await get('/', { 'accept-encoding': coding })
        if (pictures !== undefined) assert.notEqual(other.headers.etag, headers.etag)
      }
      for (const path of ['/docs', '/docs/client/', script]) {
        const { headers } = await get(path, {}, { url })
        assert.equal(headers['content-security-policy'], policyWith("img-src 'self'"), path)
      }
    })
  }
})

describe('without the dashboard', () => {
  it('its paths are not there, and the API is', async (t) => {
    const { url } = await startService(t, { dashboard: 'off' }, { pageAssets: assets })
    for (const path of ['/', '/docs', '/docs/', script, '/favicon.ico']) {
      assert.equal((await get(path, {}, { url })).status, 404, path)
    }
    assert.equal((await get('/healthz', {}, { url })).status, 200)
    assert.match((await get('/robots.txt', {}, { url })).text, /Disallow: \/\n$/)
  })

  it('a service that was not built says what to do, once in its log, and serves the API', { skip: ONLY_HERE }, async (t) => {
    const { url, logLines } = await startService(t)
    for (const path of ['/', '/docs', '/']) {
      const { status, headers, text } = await get(path, {}, { url })
      assert.deepEqual([status, headers['content-type'], headers['x-frame-options']], [503, 'text/plain; charset=utf-8', 'DENY'])
      assert.match(text, /npm start/)
    }
    assert.equal((await get(script, {}, { url })).status, 404)
    assert.equal((await get('/healthz', {}, { url })).status, 200)
    assert.equal(logLines.filter((line) => line.includes('dashboard.missing')).length, 1)
  })
})
