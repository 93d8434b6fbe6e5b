/** What a server may send that is wrong, late or too much. Each ends within its bounds, with a sentence about it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { misbehavingServer, respondWith, responseBytes, type Script } from '../support/outbound/misbehaving-server.ts'
import { userAgentOf } from '../../src/outbound/outbound-client.ts'
import { attempt, attemptWith, type ClientSetup, clientOf } from '../support/outbound/outbound-requests.ts'

const MIB = 1024 * 1024
const FEED = '<rss><channel><title>Über alles</title></channel></rss>'

/** Writes the text, and leaves the connection open. */
const writes = (text: string): Script => (socket) => void socket.write(text, 'latin1')
/** Writes the text, and ends. */
const ends = (text: string): Script => (socket) => void socket.end(text, 'latin1')
/** Writes the text again and again, as fast as it is read. */
const floods = (head: string, text: string): Script => (socket) => {
  const more = (): void => {
    if (!socket.writable) return
    if (socket.write(text, 'latin1')) setImmediate(more)
    else socket.once('drain', more)
  }
  socket.write(head)
  more()
}
/** Sends the head, then a byte in each turn of the event loop. */
const drips = (head: string): Script => floods(head, 'x')

async function bodyOf(t: Parameters<typeof misbehavingServer>[0], script: Script, setup: ClientSetup = {}): Promise<string | undefined> {
  const { port } = await misbehavingServer(t, script)
  const arrival = await attempt(setup, `http://a.example:${port}/feed`)
  return typeof arrival === 'string' ? arrival : `${arrival.status} ${arrival.body?.toString()}`
}

describe('a body', () => {
  const codings: readonly (readonly [coding: string, bytes: Buffer])[] = [
    ['identity', Buffer.from(FEED)],
    ['gzip', gzipSync(FEED)],
    ['X-GZIP', gzipSync(FEED)],
    ['gzip', Buffer.concat([gzipSync(FEED.slice(0, 9)), gzipSync(FEED.slice(9))])],
    ['br', brotliCompressSync(FEED)],
    ['zstd', zstdCompressSync(FEED)],
    ['deflate', deflateSync(FEED)],
    ['deflate', deflateRawSync(FEED)],
  ]
  for (const [at, [coding, bytes]] of codings.entries()) {
    it(`is decompressed from ${coding} (${at})`, async (t) => {
      assert.equal(await bodyOf(t, respondWith(200, { 'content-encoding': coding }, bytes)), `200 ${FEED}`)
    })
  }

  it('may be empty, chunked, without a length, after interim responses, and of 203', async (t) => {
    assert.equal(await bodyOf(t, respondWith(200, { 'content-encoding': 'gzip' })), '200 ')
    assert.equal(await bodyOf(t, ends('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\na: b\r\n\r\n')), '200 abcde')
    assert.equal(await bodyOf(t, ends('HTTP/1.0 200 X\r\n\r\nto the end')), '200 to the end')
    assert.equal(await bodyOf(t, ends(`HTTP/1.1 100 X\r\n\r\nHTTP/1.1 103 X\r\nlink: <x>\r\n\r\n${responseBytes(203, {}, 'x')}`)), '203 x')
  })

  it('is not read where the status is another', async (t) => {
    for (const status of [204, 206, 304, 404, 410, 429, 500, 503, 599]) {
      assert.equal(await bodyOf(t, drips(`HTTP/1.1 ${status} X\r\ncontent-length: 9999999\r\n\r\n`)), `${status} undefined`)
    }
  })

  const LIMITS = { wireBytes: 1_000, unpackedBytes: 2_000 }
  const head = responseBytes(200, {}, Buffer.alloc(900)).length - 900
  it('is read up to the limits', async (t) => {
    const longest = 'x'.repeat(1_000 - head)
    assert.equal(await bodyOf(t, respondWith(200, {}, longest), { limits: LIMITS }), `200 ${longest}`)
    assert.match(String(await bodyOf(t, respondWith(200, {}, `${longest}x`), { limits: LIMITS })), /^too-large: .* is longer than 1000 bytes/)
    const unpacked = 'x'.repeat(2_000)
    assert.equal(await bodyOf(t, respondWith(200, { 'content-encoding': 'gzip' }, gzipSync(unpacked)), { limits: LIMITS }), `200 ${unpacked}`)
    const more = gzipSync(`${unpacked}x`)
    assert.match(String(await bodyOf(t, respondWith(200, { 'content-encoding': 'gzip' }, more), { limits: LIMITS })), /^too-large: .* 2000 bytes when decompressed/)
  })
})

describe('an attack by size:', () => {
  const bombs = { gzip: gzipSync, br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }), zstd: zstdCompressSync, deflate: deflateSync }
  for (const [coding, compress] of Object.entries(bombs)) {
    it(`a bomb of ${coding} stops at 20 MiB`, async (t) => {
      const bomb = compress(Buffer.alloc(32 * MIB))
      assert.ok(bomb.length < MIB)
      assert.match(String(await bodyOf(t, respondWith(200, { 'content-encoding': coding }, bomb))), /^too-large: .* longer than 20971520 bytes when decompressed/)
    })
  }
  const CHUNKED = 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n'
  const rows: readonly (readonly [name: string, script: Script, wanted: RegExp])[] = [
    ['a body without end', floods('HTTP/1.1 200 X\r\n\r\n', 'x'.repeat(65_536)), /^too-large: .* longer than 5242880 bytes/],
    ['tiny chunks without end', floods(CHUNKED, '1\r\nx\r\n'.repeat(5_000)), /^protocol: "a\.example" sends its response in more than 50000 pieces/],
    ['chunk extensions without end', floods(CHUNKED, `1;${'x'.repeat(8_000)}\r\nx\r\n`), /^(?:too-large|protocol): /],
    ['a length beyond the limit', writes('HTTP/1.1 200 X\r\ncontent-length: 5242881\r\n\r\n'), /^too-large: /],
    ['headers without end', floods('HTTP/1.1 200 X\r\n', `a: ${'x'.repeat(1_000)}\r\n`), /^too-large: The headers of "a\.example" are too large/],
    ['one header without end', floods('HTTP/1.1 200 X\r\na: ', 'x'.repeat(1_000)), /^too-large: The headers of "a\.example" are too large/],
    ['trailers without end', floods(`${CHUNKED}0\r\n`, `a: ${'x'.repeat(1_000)}\r\n`), /^too-large: /],
    ['interim responses without end', floods('', 'HTTP/1.1 103 X\r\n\r\n'), /^protocol: "a\.example" sends interim responses without end/],
  ]
  for (const [name, script, wanted] of rows) it(name, async (t) => assert.match(String(await bodyOf(t, script)), wanted))
})

describe('an attack by time:', () => {
  const rows: readonly (readonly [name: string, script: Script])[] = [
    ['no response', () => {}],
    ['half a head', writes('HTTP/1.1 200 X\r\ncontent-')],
    ['half a body', writes('HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nhalf')],
    ['a body that drips', drips('HTTP/1.1 200 X\r\ncontent-length: 5000000\r\n\r\n')],
  ]
  for (const [name, script] of rows) {
    it(`${name} ends with the time of the request`, async (t) => {
      assert.equal(
        await bodyOf(t, script, { limits: { totalMs: 150 } }),
        'timeout: The server did not respond in full within 0.15 s: it is slow, or a firewall in between drops what it sends; the service retries by itself',
      )
    })
  }

  it('redirects that each take long share one time', async (t) => {
    // Each would be fast enough if it had a time of its own.
    const server = await misbehavingServer(t, (socket) => {
      const later = setTimeout(() => socket.end(responseBytes(302, { location: '/next' })), 60)
      socket.once('close', () => clearTimeout(later))
    })
    const found = await attempt({ limits: { totalMs: 150, redirects: 1_000 } }, `http://a.example:${server.port}/`)
    assert.match(String(found), /^timeout: /)
    assert.ok(server.heads.length <= 3)
  })

  it('a look-up that does not end is left', async () => {
    const { client } = clientOf({ names: 'silent', limits: { totalMs: 50 } })
    assert.match(String(await attemptWith(client, 'http://a.example/')), /^timeout: /)
  })
})

describe('a fault:', () => {
  const rows: readonly (readonly [name: string, script: Script, wanted: RegExp])[] = [
    ['no HTTP at all', ends('220 mail.example ESMTP\r\n'), /^protocol: What "a\.example" sent is not HTTP: check the port/],
    ['a connection that closes before a response', (socket) => void socket.end(), /^connect: "a\.example" reset the connection/],
    ['a connection that is reset', (socket) => void socket.resetAndDestroy(), /^connect: "a\.example" reset the connection/],
    ['a body shorter than its length', ends('HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\nshort'), /^truncated: The response of "a\.example" ended before/],
    ['chunks that end early', ends('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc'), /^truncated: /],
    ['chunks without their end', ends('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'), /^truncated: /],
    ['a chunk with a bad size', ends('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n'), /^protocol: What "a\.example" sent is not valid HTTP \(Invalid character in chunk size\)/],
    ['a chunk longer than its size', ends('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n'), /^protocol: /],
    ['two lengths', ends('HTTP/1.1 200 X\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd'), /^protocol: /],
    ['a length that is no number', ends('HTTP/1.1 200 X\r\ncontent-length: many\r\n\r\nabc'), /^protocol: /],
    ['a length beside chunks', ends('HTTP/1.1 200 X\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'), /^protocol: /],
    ['a switch of protocols', ends('HTTP/1.1 101 X\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'), /^protocol: "a\.example" switched to a protocol/],
    ['gzip that is none', respondWith(200, { 'content-encoding': 'gzip' }, FEED), /^coding: The response says that it is compressed with gzip, but is not/],
    ['gzip that is cut', respondWith(200, { 'content-encoding': 'gzip' }, gzipSync(FEED).subarray(0, 30)), /^coding: /],
    ['brotli that is damaged', respondWith(200, { 'content-encoding': 'br' }, Buffer.alloc(50, 255)), /^coding: /],
    ['zstd that is cut', respondWith(200, { 'content-encoding': 'zstd' }, zstdCompressSync(FEED).subarray(0, 20)), /^coding: /],
    ['a coding that nothing asked for', respondWith(200, { 'content-encoding': 'compress' }, 'x'), /^coding: The response has the Content-Encoding "compress", expected one of gzip, br, zstd, deflate/],
    ['two codings', respondWith(200, { 'content-encoding': 'gzip, br' }, 'x'), /^coding: /],
    ['a coding that objects have', respondWith(200, { 'content-encoding': 'constructor' }, 'x'), /^coding: /],
  ]
  for (const [name, script, wanted] of rows) it(name, async (t) => assert.match(String(await bodyOf(t, script)), wanted))

  it('nothing that listens', async (t) => {
    const server = await misbehavingServer({ after: (close) => t.after(close) }, respondWith(200))
    const { port } = server
    const found = await attempt({ names: { 'a.example': [['127.0.0.9']] } }, `http://a.example:${port}/`)
    assert.equal(found, 'connect: "a.example" refused the connection: check the port in the address, and that the server is running')
  })
})

describe('turns', () => {
  it('are one for a host and eight in all, in the order of the calls', async (t) => {
    const open: (() => void)[] = []
    const server = await misbehavingServer(t, (socket) => void open.push(() => void socket.end(responseBytes(200, {}))))
    const { client } = clientOf()
    const hosts = Array.from({ length: 12 }, (_, at) => [`h${at}.example`, `h${at}.example`]).flat()
    let settled = 0
    const all = hosts.map(async (host, at) => {
      await attemptWith(client, `http://${host}:${server.port}/${at}`)
      settled++
    })
    let answered = 0
    while (settled < hosts.length) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      // Only once all that may run do: the first eight of different hosts.
      if (answered === 0 && open.length < 8) continue
      while (answered < open.length) open[answered++]?.()
    }
    await Promise.all(all)
    assert.equal(server.open.most, 8)
    assert.equal(server.heads.length, 24)
    const first = server.heads.slice(0, 8).map((head) => head.split(' ')[1])
    assert.deepEqual(first.sort(), ['/0', '/10', '/12', '/14', '/2', '/4', '/6', '/8'])
  })

  it('are waited for without losing time', async (t) => {
    const server = await misbehavingServer(t, (socket) => {
      const later = setTimeout(() => socket.end(responseBytes(200, {})), 80)
      socket.once('close', () => clearTimeout(later))
    })
    const { client } = clientOf({ limits: { totalMs: 900 } })
    const all = await Promise.all(Array.from({ length: 14 }, () => attemptWith(client, `http://a.example:${server.port}/`)))
    assert.deepEqual(all.filter((one) => typeof one === 'string'), [])
    assert.equal(server.open.most, 1)
  })

  it('end when the service stops, in and out of one', async (t) => {
    const server = await misbehavingServer(t, () => stopping.abort())
    const stopping = new AbortController()
    const { client } = clientOf()
    const request = { address: `http://a.example:${server.port}/`, signal: stopping.signal }
    const all = await Promise.all([attemptWith(client, request), attemptWith(client, request)])
    assert.deepEqual(all, Array(2).fill('stopped: The service is stopping: it asks again after its start'))
    assert.equal(await attemptWith(client, request), all[0])
    assert.equal(server.open.all, 1)
  })
})

it('a request says who asks, and what it reads', async (t) => {
  const server = await misbehavingServer(t, respondWith(200))
  await attempt({}, { address: `http://a.example:${server.port}/feed?x=1#part` })
  assert.equal(
    server.heads[0],
    `GET /feed?x=1 HTTP/1.1\r\nhost: a.example:${server.port}\r\naccept: */*\r\naccept-encoding: gzip, br, zstd, deflate\r\nuser-agent: Dateline/test\r\nConnection: close`,
  )
  assert.match(userAgentOf('https://news.example.org/'), /^Dateline\/\d+\.\d+\.\d+ \(\+https:\/\/news\.example\.org\/\)$/)
  assert.match(userAgentOf(undefined), /^Dateline\/\d+\.\d+\.\d+$/)
})
