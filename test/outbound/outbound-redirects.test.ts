/** Redirects: how far they go, what they carry on, and the secrets that they must not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { misbehavingServer, respondWith } from '../support/outbound/misbehaving-server.ts'
import type { Arrival } from '../../src/outbound/outbound-client.ts'
import { attempt } from '../support/outbound/outbound-requests.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'

const SECRET = { user: 'ann', password: 'hunter2' }

/** A server that redirects from each path to the address and by the status that the table names, and serves all others. */
function redirecting(t: Parameters<typeof misbehavingServer>[0], table: Readonly<Record<string, readonly [status: number, location: string]>>) {
  return misbehavingServer(t, (socket, head) => {
    const path = head.split(' ')[1] ?? ''
    const [status, location] = table[path] ?? [200, '']
    respondWith(status, status === 200 ? {} : { location }, status === 200 ? path : '')(socket, head)
  })
}

function found(arrival: Arrival | string): unknown {
  if (typeof arrival === 'string') return arrival
  const { address, permanentAddress, body } = arrival
  return [address.replace(/:\d+/, ''), permanentAddress?.replace(/:\d+/, ''), body?.toString()]
}

describe('redirects', () => {
  const chain = (length: number): Record<string, readonly [number, string]> =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`/${i}`, [302, `/${i + 1}`]]))
  const rows: readonly (readonly [name: string, table: Readonly<Record<string, readonly [number, string]>>, wanted: unknown])[] = [
    ['are followed where their address is relative', { '/0': [302, 'x/../b?c#d'] }, ['http://a.example/b?c', undefined, '/b?c']],
    ['are permanent by 301 and 308', { '/0': [301, '/b'], '/b': [308, '/c'] }, ['http://a.example/c', 'http://a.example/c', '/c']],
    ['are permanent up to the first that is not', { '/0': [301, '/b'], '/b': [307, '/c'], '/c': [301, '/d'] }, ['http://a.example/d', 'http://a.example/b', '/d']],
    ['are not permanent after one that is not', { '/0': [303, '/b'], '/b': [301, '/c'] }, ['http://a.example/c', undefined, '/c']],
    ['may have UTF-8 in their address', { '/0': [302, Buffer.from('/über').toString('latin1')] }, ['http://a.example/%C3%BCber', undefined, '/%C3%BCber']],
    ['may be five', chain(5), ['http://a.example/5', undefined, '/5']],
    ['may not be six', chain(6), /^redirect: There were more than 5 redirects, the last one to http:\/\/a\.example:\d+\/6: /],
    ['without end stop', { '/0': [301, '/0?token=hunter2'], '/0?token=hunter2': [301, '/0'] }, /^redirect: There were more than 5 redirects/],
  ]
  for (const [name, table, wanted] of rows) {
    it(name, async (t) => {
      const server = await redirecting(t, table)
      const got = found(await attempt({}, `http://a.example:${server.port}/0`))
      if (wanted instanceof RegExp) assert.match(String(got), wanted)
      else assert.deepEqual(got, wanted)
      assert.doesNotMatch(String(got), /hunter2/)
      assert.ok(server.heads.length <= 6)
    })
  }

  it('from https to http are refused', async (t) => {
    const plain = await misbehavingServer(t, respondWith(200))
    const target = `http://localhost:${plain.port}/feed?key=hunter2`
    const secure = await misbehavingServer(t, respondWith(301, { location: target }), { cert: TEST_CERTIFICATE, key: TEST_KEY })
    const got = await attempt({ ca: [TEST_CERTIFICATE] }, `https://localhost:${secure.port}/`)
    assert.equal(
      got,
      `redirect: The server redirects from https to the unencrypted http://localhost:${plain.port}/feed?…: use that address if this is acceptable`,
    )
    assert.equal(plain.open.all, 0)
  })
})

describe('user and password', () => {
  const authorizations = (heads: readonly string[]): unknown => heads.map((head) => /^authorization: (.*)$/im.exec(head)?.[1])
  const BASIC = `Basic ${Buffer.from('ann:hunter2').toString('base64')}`

  it('go on to the same server', async (t) => {
    const server = await redirecting(t, { '/0': [302, '/1'] })
    await attempt({}, { address: `http://a.example:${server.port}/0`, credentials: SECRET })
    assert.deepEqual(authorizations(server.heads), [BASIC, BASIC])
  })

  it('do not go to another host, to another port, or back from there', async (t) => {
    const other = await misbehavingServer(t, (socket, head) => respondWith(302, { location: `http://a.example:${server.port}/back` })(socket, head))
    const server = await redirecting(t, { '/port': [302, `http://a.example:${other.port}/`] })
    const hosts = await redirecting(t, { '/0': [301, `http://b.example:${server.port}/1`] })
    await attempt({}, { address: `http://a.example:${hosts.port}/0`, credentials: SECRET })
    assert.deepEqual(authorizations([...hosts.heads, ...server.heads]), [BASIC, undefined])
    await attempt({}, { address: `http://a.example:${server.port}/port`, credentials: SECRET })
    assert.deepEqual(authorizations([...server.heads.slice(1), ...other.heads]), [BASIC, undefined, undefined])
  })

  it('cannot be set by a redirect, and are not read from the address', async (t) => {
    const server = await misbehavingServer(t, (socket, head) => {
      const isFirst = head.startsWith('GET /0')
      respondWith(isFirst ? 302 : 200, isFirst ? { location: `http://eve:evil@a.example:${server.port}/1` } : {})(socket, head)
    })
    const arrival = await attempt({}, `http://ann:hunter2@a.example:${server.port}/0`)
    assert.deepEqual(authorizations(server.heads), [undefined, undefined])
    assert.equal(typeof arrival === 'string' ? arrival : arrival.address, `http://a.example:${server.port}/1`)
  })
})

it('conditions go to the address that they are from alone', async (t) => {
  const server = await redirecting(t, { '/0': [302, '/1'] })
  const base = `http://a.example:${server.port}`
  const validators = { address: `${base}/1`, etag: '"v1"', lastModified: 'Mon, 20 Oct 2025 12:34:56 GMT' }
  await attempt({}, { address: `${base}/0`, validators })
  assert.deepEqual(
    server.heads.map((head) => /if-none-match: "v1"\r\nif-modified-since: Mon, 20 Oct 2025 12:34:56 GMT/.test(head)),
    [false, true],
  )
})
