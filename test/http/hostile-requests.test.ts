/**
 * Bytes that no honest client sends. In each case, the sender gets a proper error or a closed connection, other clients
 * notice nothing, and the log has no error of the server.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send, sendRaw } from '../support/service/http-client.ts'
import type { RawResponse } from '../support/service/http-client.ts'
import { gate, startServer, type TestServer } from '../support/service/http-server.ts'
import { until } from '../support/until.ts'

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/', handler: () => ok('{}') },
  { method: 'GET', path: '/echo/:id', handler: (x) => ok(JSON.stringify([x.params['id'], x.query.get('q')])) },
  { method: 'POST', path: '/json', handler: async (x) => ok(JSON.stringify(await x.readJson())) },
]

function assertErrorBody({ headers, text }: RawResponse, code: string): void {
  assert.equal((JSON.parse(text) as { error: { code: string } }).error.code, code)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  assert.match(headers['x-request-id'] ?? '', /^request-\d+$/)
}

async function assertUnharmed(server: TestServer): Promise<void> {
  assert.equal((await send(server.port, '/')).status, 200, 'the next client is served')
  assert.deepEqual(server.entries.filter(({ level }) => level === 'error'), [])
}

const CONNECT = 'CONNECT internal:22 HTTP/1.1\r\nHost: internal:22\r\n\r\n'
const POST = 'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

describe('malformed requests', () => {
  const rows: [name: string, bytes: string, status: number, code: string][] = [
    ['nonsense', 'hello\r\n\r\n', 400, 'badRequest'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'badRequest'],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'badRequest'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['an unknown version', 'GET / HTTP/7.3\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['a NUL in the path', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n', 400, 'badRequest'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['a bare carriage return in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n', 400, 'badRequest'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400, 'badRequest'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n', 400, 'badRequest'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400, 'badRequest'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'badRequest'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400, 'badRequest'],
    ['a header that breaks off', 'GET / HTTP/1.1\r\nHost: x\r\n', 400, 'badRequest'],
    ['a broken percent-escape in the path', 'GET /ech%zz HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['a broken percent-escape in the query', 'GET /echo/1?q=%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['unescaped UTF-8 in the path', 'GET /echo/\xc3\x8d HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['no UTF-8 in the path', 'GET /ech%ff HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['an asterisk for GET', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['an authority for GET', 'GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['another scheme', 'GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['a path that climbs', 'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['a path that climbs in escapes', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'notFound'],
    ['CONNECT', CONNECT, 405, 'methodNotAllowed'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'methodNotAllowed'],
  ]
  it('get their status and the body of an error, and the next client is served', async () => {
    await using server = await startServer(ROUTES)
    for (const [name, bytes, status, code] of rows) {
      const response = await sendRaw(server.port, bytes)
      assert.equal(response.status, status, name)
      assertErrorBody(response, code)
      if (name === 'CONNECT') assert.match(response.headers['allow'] ?? '', /GET/)
      await assertUnharmed(server)
    }
  })

  it('keeps a NUL and a slash that come escaped as plain text', async () => {
    await using server = await startServer(ROUTES)
    const { status, text } = await sendRaw(server.port, 'GET /echo/%00%2F..?q=%00 HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal(status, 200)
    assert.deepEqual((JSON.parse(text) as { data: unknown }).data, ['\0/..', '\0'])
  })
})

describe('request smuggling', () => {
  // Two lengths for one body let two servers disagree about where the next request begins (RFC 9112 section 11.2).
  const inner = 'GET /echo/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const rows: [name: string, bytes: string][] = [
    ['Content-Length and Transfer-Encoding', `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['Transfer-Encoding and Content-Length', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${inner}`],
    ['two Content-Lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ${inner}`],
    ['a list of Content-Lengths', `${POST}Content-Length: 2, 2\r\n\r\n{}${inner}`],
    ['a signed Content-Length', `${POST}Content-Length: +2\r\n\r\n{}${inner}`],
    ['a negative Content-Length', `${POST}Content-Length: -2\r\n\r\n{}${inner}`],
    ['a Content-Length past every number', `${POST}Content-Length: 18446744073709551618\r\n\r\n{}${inner}`],
    ['a hexadecimal Content-Length', `${POST}Content-Length: 0x2\r\n\r\n{}${inner}`],
    ['a misspelled chunked', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunked that is not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`],
    ['a chunk size with a sign', `${POST}Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n${inner}`],
    ['a chunk longer than its size', `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx\r\n0\r\n\r\n${inner}`],
    ['a chunk that ends in a bare line feed', `${POST}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${inner}`],
  ]
  it('by a body of two lengths gets one 400 and no second response', async () => {
    await using server = await startServer(ROUTES)
    for (const [name, bytes] of rows) {
      const connection = await RawConnection.open(server.port)
      connection.write(bytes)
      const response = await connection.response()
      assert.equal(response.status, 400, name)
      assertErrorBody(response, 'badRequest')
      assert.equal(response.headers['connection'], 'close')
      connection.end()
      assert.equal(await connection.rest(), '', name)
      await assertUnharmed(server)
    }
    assert.doesNotMatch(JSON.stringify(server.entries), /smuggled/)
  })

  // Node's parser drops what comes with a request for another protocol, and takes what comes later for the next request.
  const UPGRADE = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n'
  const uncertain: [name: string, pieces: readonly string[], statuses: readonly number[]][] = [
    ['an Upgrade', [`GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n${inner}`], [200]],
    ['an Upgrade, in two pieces', [`GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n${inner.slice(0, 9)}`, inner.slice(9)], [200]],
    ['an Upgrade, as its body', [`GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}Content-Length: ${inner.length}\r\n\r\n`, inner], [200]],
    ['an Upgrade whose body is read', [`${POST}${UPGRADE}Content-Length: 2\r\n\r\n{`, `}${inner}`], [200]],
    ['an Upgrade behind another request', [`GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n${inner}`], [200, 200]],
    ['an Upgrade on a connection named twice', [`GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nconnection: \tUPGRADE\r\nupgrade: x\r\n\r\n${inner}`], [200]],
    ['a body in chunks of HTTP/1.0', [`${POST.replace('1.1', '1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${inner}`], [200]],
    ['a body in another coding', [`${POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${inner}`], [400]],
    ['no body in another coding', [`GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n${inner}`], [400]],
  ]
  for (const [name, pieces, statuses] of uncertain) {
    it(`serves nothing behind ${name}`, async () => {
      await using server = await startServer(ROUTES)
      const connection = await RawConnection.open(server.port)
      for (const piece of pieces) {
        connection.write(piece)
        // Behind the first piece, the server has read it.
        if (piece !== pieces.at(-1)) await send(server.port, '/')
      }
      const responses: RawResponse[] = []
      for (const _ of statuses) responses.push(await connection.response())
      assert.deepEqual(responses.map(({ status }) => status), statuses)
      assert.equal(responses.at(-1)?.headers['connection'], 'close')
      assert.equal(await connection.rest(), '')
      await assertUnharmed(server)
    })
  }
})

describe('floods', () => {
  it('of headers get a 431, also when the client is still sending', async () => {
    await using server = await startServer(ROUTES)
    for (const flood of [`A: ${'x'.repeat(400_000)}\r\n`, 'A: b\r\n'.repeat(70_000)]) {
      const connection = await RawConnection.open(server.port)
      connection.write(`GET / HTTP/1.1\r\nHost: x\r\n${flood}\r\n`)
      const response = await connection.response()
      assert.equal(response.status, 431)
      assertErrorBody(response, 'headersTooLarge')
      connection.end()
      assert.equal(await connection.rest(), '')
    }
    assert.equal((await server.logged('request.refused')).level, 'info')
    assert.equal(server.entries.length, 2, 'one line for each connection, however much it sent')
    await assertUnharmed(server)
  })

  it('that go on after a refusal are cut off', async () => {
    await using server = await startServer(ROUTES)
    const socket = connect(server.port, '127.0.0.1')
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    socket.on('error', () => {}).on('close', () => resolve())
    socket.write('nonsense\r\n\r\n')
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'x')));
    }
    socket.on('drain', more)
    more()
    await closed
    await assertUnharmed(server)
  })

  it('of requests sent in advance are cut off past what may wait', async () => {
    const { route, release } = gate()
    await using server = await startServer([...ROUTES, route])
    const connection = await RawConnection.open(server.port)
    connection.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000))
    assert.equal(await connection.rest(), '')
    release()
    assert.equal((await server.logged('request')).fields['aborted'], true)
    await assertUnharmed(server)
  })

  it('of requests sent in advance are served one in each turn of the event loop', async () => {
    let [inTurn, mostInTurn] = [0, 0]
    const counted: Route = {
      method: 'GET',
      path: '/counted',
      handler: () => {
        if (inTurn === 0) setImmediate(() => (inTurn = 0))
        mostInTurn = Math.max(mostInTurn, ++inTurn)
        return Promise.resolve(ok('{}'))
      },
    }
    await using server = await startServer([...ROUTES, counted])
    const connection = await RawConnection.open(server.port)
    connection.write('GET /counted HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
    for (let i = 0; i < 50; i++) assert.equal((await connection.response()).status, 200)
    assert.equal(mostInTurn, 1)
  })

  it('of connections are bounded, and one line says so', async () => {
    const { route, served, release } = gate()
    await using server = await startServer([...ROUTES, route], { limits: { connectionsMax: 2 } })
    // Those that are being served stay, whatever comes.
    const busy: RawConnection[] = []
    while (busy.length < 2) {
      const connection = await RawConnection.open(server.port)
      connection.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
      busy.push(connection)
      await until(() => served() >= busy.length)
    }
    for (let i = 0; i < 3; i++) {
      const refused = await RawConnection.open(server.port)
      assert.equal(await refused.rest(), '')
    }
    assert.equal((await server.logged('connections.full')).level, 'warn')
    assert.equal(server.entries.length, 1)
    assert.equal(server.connections.shed.full, 3)
    release()
    for (const connection of busy) {
      assert.equal((await connection.response()).status, 200)
      connection.destroy()
    }
  })

  it('in the form of one long URL get a 431, and 16 KiB of URL are fine', async () => {
    await using server = await startServer(ROUTES)
    const long = await sendRaw(server.port, `GET /?a=${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.equal(long.status, 431)
    assertErrorBody(long, 'headersTooLarge')
    assert.equal((await send(server.port, `/echo/1?q=${'x'.repeat(16_384)}`)).status, 200)
    assert.equal((await send(server.port, `/echo/1?q=${'x'.repeat(60_000)}`)).status, 200)
  })

  it('of chunk extensions get a 413', async () => {
    await using server = await startServer(ROUTES)
    const connection = await RawConnection.open(server.port)
    connection.write(`${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)
    const response = await connection.response()
    assert.equal(response.status, 413)
    assertErrorBody(response, 'payloadTooLarge')
    connection.destroy()
    await assertUnharmed(server)
  })
})

describe('slow clients', () => {
  const limits = { headersMs: 200, requestMs: 250, checkMs: 20, keepAliveMs: 5000 }

  it('get a 408 when their headers do not come to an end', async () => {
    await using server = await startServer(ROUTES, { limits })
    const connection = await RawConnection.open(server.port)
    connection.write('GET / HTTP/1.1\r\nHost: x\r\nA: ')
    const response = await connection.response()
    assert.equal(response.status, 408)
    assertErrorBody(response, 'requestTimeout')
    assert.equal(response.headers['connection'], 'close')
    assert.equal(await connection.rest(), '')
  })

  it('get a 408 when they send nothing at all', async () => {
    await using server = await startServer(ROUTES, { limits })
    const connection = await RawConnection.open(server.port)
    assert.equal((await connection.response()).status, 408)
  })

  it('get a 408 when their body does not come to an end, with the headers of their origin', async () => {
    await using server = await startServer(ROUTES, { limits })
    const connection = await RawConnection.open(server.port)
    connection.write(`${POST}Origin: http://localhost:1\r\nContent-Length: 100\r\n\r\n{"a":`)
    const response = await connection.response()
    assert.equal(response.status, 408)
    assertErrorBody(response, 'requestTimeout')
    assert.equal(response.headers['access-control-allow-origin'], 'http://localhost:1')
    assert.equal(await connection.rest(), '')
    assert.equal((await server.logged('request')).fields['status'], 408)
  })

  it('do not hold a connection by a refused request', async () => {
    await using server = await startServer(ROUTES, { limits })
    const connection = await RawConnection.open(server.port)
    connection.write('nonsense\r\n')
    assert.equal((await connection.response()).status, 400)
    assert.equal(await connection.rest(), '')
    await new Promise<void>((resolve) => connection.socket.once('close', () => resolve()).end())
  })

  for (const [name, then, limits] of [
    ['by not taking it', '', { idleMs: 50, checkMs: 20, closeMs: 60_000 }],
    ['by not taking it and CONNECT behind it', CONNECT, { idleMs: 50, checkMs: 20, closeMs: 60_000 }],
    ['by CONNECT behind it while the server stops', CONNECT, { closeMs: 50 }],
  ] as const) {
    it(`do not hold a response in memory ${name}`, { timeout: 10_000 }, async () => {
      const large: Route = { method: 'GET', path: '/large', handler: () => ok(`"${'x'.repeat(20_000_000)}"`) }
      const server = await startServer([large], { limits })
      const connection = await RawConnection.open(server.port)
      connection.socket.pause()
      connection.write(`GET /large HTTP/1.1\r\nHost: x\r\n\r\n${then}`)
      await server.logged('request')
      // The server gives up by itself: close() finds no connection to wait for, or cuts it off.
      await server.close()
      connection.destroy()
    })
  }
})
