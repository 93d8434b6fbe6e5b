import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { misbehavingServer, respondWith } from '../../support/outbound/misbehaving-server.ts'
import { fetchFeed, type FetchOutcome, type FetchRequest } from '../../../src/feeds/fetching/fetch.ts'
import { clientOf } from '../../support/outbound/outbound-requests.ts'

const NOW = Date.parse('2025-10-20T12:34:56.789Z')
const now = (): number => NOW
const SECRET = { user: 'ann', password: 'hunter2' }
const { client } = clientOf()

/** The outcome of a fetch of `/feed`, with the port left out, and the heads of its requests. */
async function fetchFrom(
  t: Parameters<typeof misbehavingServer>[0],
  script: Parameters<typeof misbehavingServer>[1],
  request: (base: string) => Partial<FetchRequest> = () => ({}),
): Promise<{ readonly outcome: FetchOutcome; readonly heads: readonly string[] }> {
  const { port, heads } = await misbehavingServer(t, script)
  const base = `http://a.example:${port}`
  const outcome = await fetchFeed({ address: `${base}/feed`, ...request(base) }, { client, now })
  const plain = Object.entries(outcome).map(([key, value]) => [key, value instanceof Uint8Array ? value.toString() : value])
  return { outcome: JSON.parse(JSON.stringify(Object.fromEntries(plain)).replaceAll(`:${port}`, '')), heads }
}

describe('fetchFeed()', () => {
  it('gives the bytes, what they are, and what to send next time', async (t) => {
    const headers = { 'content-type': 'application/rss+xml; charset=utf-8', etag: 'W/"v1"', 'last-modified': 'Mon, 20 Oct 2025 12:00:00 GMT', 'cache-control': 'public, max-age=3600' }
    const { outcome, heads } = await fetchFrom(t, respondWith(200, headers, '<rss/>'))
    assert.deepEqual(outcome, {
      kind: 'fetched',
      address: 'http://a.example/feed',
      freshMs: 3_600_000,
      bytes: '<rss/>',
      contentType: headers['content-type'],
      validators: { address: 'http://a.example/feed', etag: 'W/"v1"', lastModified: headers['last-modified'] },
    })
    assert.match(heads[0] ?? '', /accept: application\/atom\+xml, application\/rss\+xml, application\/feed\+json/)
  })

  it('leaves out validators and types that are too long', async (t) => {
    const { outcome } = await fetchFrom(t, respondWith(200, { etag: `"${'x'.repeat(500)}"`, 'content-type': 'x'.repeat(501) }, 'x'))
    assert.deepEqual(outcome, { kind: 'fetched', address: 'http://a.example/feed', bytes: 'x' })
  })

  it('is unchanged by 304, and keeps the validators that it does not repeat', async (t) => {
    const { outcome } = await fetchFrom(t, respondWith(304, { etag: '"v2"' }), (base) => ({
      validators: { address: `${base}/feed`, etag: '"v1"', lastModified: 'Mon, 20 Oct 2025 12:00:00 GMT' },
    }))
    const validators = { address: 'http://a.example/feed', etag: '"v2"', lastModified: 'Mon, 20 Oct 2025 12:00:00 GMT' }
    assert.deepEqual(outcome, { kind: 'unchanged', address: 'http://a.example/feed', validators })
  })

  it('fails by 304 where nothing was asked for by a condition', async (t) => {
    const { outcome } = await fetchFrom(t, respondWith(304), () => ({ validators: { address: 'http://other.example/', etag: '"v1"' } }))
    assert.equal(outcome.kind === 'failed' && outcome.problem, 'The server responded with 304 to a request without conditions: its administrator has to correct it')
  })

  it('says where permanent redirects lead', async (t) => {
    const { outcome } = await fetchFrom(t, (socket, head) => (head.startsWith('GET /feed') ? respondWith(308, { location: '/new' }) : respondWith(200))(socket, head))
    assert.deepEqual(outcome, { kind: 'fetched', address: 'http://a.example/new', permanentAddress: 'http://a.example/new', bytes: '' })
  })

  it('has ended by 410', async (t) => {
    const { outcome } = await fetchFrom(t, respondWith(410))
    assert.deepEqual(outcome, { kind: 'gone', problem: 'The server says that the feed has ended (410): delete it, or enter its new address' })
  })

  it('has not ended where a redirect leads to a 410', async (t) => {
    const { outcome } = await fetchFrom(t, (socket, head) => (head.startsWith('GET /feed') ? respondWith(302, { location: '/old' }) : respondWith(410))(socket, head))
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.status], ['failed', 410])
  })

  const failures: readonly (readonly [status: number, problem: RegExp])[] = [
    [401, /401: enter the user and the password that it asks for$/],
    [403, /403, which forbids the service to read the feed: ask its administrator/],
    [404, /404, so there is no feed at this address: look for its new address on the site$/],
    [429, /429, so it is asked too often: the service waits/],
    [451, /451, which forbids/],
    [204, /204, expected 200: check the address of the feed$/],
    [206, /206, expected 200/],
    [300, /300, expected 200/],
    [400, /400, expected 200/],
    [500, /500, so it has a fault: the service retries by itself$/],
    [503, /503, so it has a fault/],
  ]
  for (const [status, problem] of failures) {
    it(`fails by ${status} with what helps`, async (t) => {
      const { outcome } = await fetchFrom(t, respondWith(status))
      assert.ok(outcome.kind === 'failed' && outcome.status === status && outcome.reason === 'status')
      assert.match(outcome.problem, problem)
    })
  }

  it('fails where a server cannot be reached, and never throws', async () => {
    const outcome = await fetchFeed({ address: 'http://10.0.0.1/' }, { client, now })
    assert.equal(outcome.kind === 'failed' && outcome.reason, 'refused')
  })
})

describe('the times of a response', () => {
  const rows: readonly (readonly [headers: Readonly<Record<string, string>>, freshMs: number | undefined])[] = [
    [{ 'cache-control': 'max-age=60' }, 60_000],
    [{ 'cache-control': 'private,MAX-AGE="60"' }, 60_000],
    [{ 'cache-control': 's-maxage=60' }, undefined],
    [{ 'cache-control': 'max-age=60, no-cache' }, undefined],
    [{ 'cache-control': 'no-store' }, undefined],
    [{ 'cache-control': 'max-age=0' }, undefined],
    [{ 'cache-control': 'max-age=-5' }, undefined],
    [{ 'cache-control': 'max-age=99999999999999999999' }, 366 * 86_400_000],
    [{ date: 'Mon, 20 Oct 2025 12:00:00 GMT', expires: 'Mon, 20 Oct 2025 13:00:00 GMT' }, 3_600_000],
    [{ date: 'Mon, 20 Oct 2025 12:00:00 GMT', expires: '0' }, undefined],
    [{ expires: 'Mon, 20 Oct 2025 13:00:00 GMT' }, undefined],
    [{ 'cache-control': 'max-age=0', date: 'Mon, 20 Oct 2025 12:00:00 GMT', expires: 'Mon, 20 Oct 2025 13:00:00 GMT' }, undefined],
  ]
  for (const [headers, wanted] of rows) {
    it(`call it fresh for ${wanted ?? 0} ms by ${JSON.stringify(headers)}`, async (t) => {
      const { outcome } = await fetchFrom(t, respondWith(200, headers))
      assert.equal(outcome.kind === 'fetched' ? outcome.freshMs : 0, wanted)
    })
  }

  const waits: readonly (readonly [text: string, retryAfterMs: number | undefined])[] = [
    ['120', 120_000],
    ['0', undefined],
    ['-1', undefined],
    ['99999999999', 366 * 86_400_000],
    ['1e3', undefined],
    ['soon', undefined],
    ['2', 2_000],
    ['Mon, 20 Oct 2025 12:35:56 GMT', 59_211],
    ['Monday, 20-Oct-25 12:35:56 GMT', 59_211],
    ['Mon Oct 20 12:35:56 2025', 59_211],
    ['Mon, 20 Oct 2025 12:00:00 GMT', undefined],
  ]
  for (const [text, wanted] of waits) {
    it(`ask to wait for ${wanted ?? 0} ms by Retry-After ${JSON.stringify(text)}`, async (t) => {
      const { outcome } = await fetchFrom(t, respondWith(429, { 'retry-after': text }))
      assert.equal(outcome.kind === 'failed' ? outcome.retryAfterMs : 0, wanted)
    })
  }
})

describe('the secret of a feed', () => {
  const authorized = (heads: readonly string[]): readonly boolean[] => heads.map((head) => head.includes('authorization: Basic YW5uOmh1bnRlcjI='))

  it('is sent, also where it is part of the address, and is in no outcome', async (t) => {
    const given = await fetchFrom(t, respondWith(401), () => ({ credentials: SECRET }))
    assert.deepEqual(authorized(given.heads), [true])
    assert.match(JSON.stringify(given.outcome), /401: it does not accept the user and the password of the feed: correct them/)
    const inAddress = await fetchFrom(t, respondWith(200, { etag: '"1"' }), (base) => ({ address: base.replace('//', '//ann:hunter2@') }))
    assert.deepEqual(authorized(inAddress.heads), [true])
    assert.doesNotMatch(JSON.stringify([given.outcome, inAddress.outcome]), /hunter2|YW5u/)
  })

  it('does not go where an attacker has moved the feed', async (t) => {
    const moved = await fetchFrom(t, respondWith(200), (base) => ({ credentials: SECRET, movedTo: `${base.replace('a.example', 'evil.example')}/feed` }))
    assert.deepEqual(authorized(moved.heads), [false])
    const kept = await fetchFrom(t, respondWith(200), (base) => ({ credentials: SECRET, movedTo: `${base}/new` }))
    assert.deepEqual(authorized(kept.heads), [true])
    assert.match(kept.heads[0] ?? '', /^GET \/new /)
  })
})
