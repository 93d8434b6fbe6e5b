/**
 * Connections that are opened to keep other clients out.
 *
 * The attack: 10,100 connections that send headers and never a body shut every other client out for 28 seconds, since only
 * connections between two requests made room. A client may have any number of addresses of its own: those of this
 * machine stand for them here.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectSecure } from 'node:tls'
import { parseProxies } from '../../src/http/client-address.ts'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { gate, startServer, type TestServer } from '../support/service/http-server.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'
import { until } from '../support/until.ts'

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/', handler: () => ok('"here"') },
  { method: 'POST', path: '/json', handler: async (x) => ok(JSON.stringify(await x.readJson())) },
]

const NO_BODY =
  'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
/** Only Linux has all of 127.0.0.0/8 without any set-up. */
const NEEDS_ADDRESSES = process.platform !== 'linux' && 'it needs several loopback addresses'

interface Flood {
  readonly sockets: readonly Socket[]
  readonly open: () => number
}

/** Opens connections that send something, one after the other, and leaves them open. */
async function flood(
  server: TestServer,
  { connections, from = '127.0.0.1', bytes = NO_BODY }: { connections: number; from?: string; bytes?: string },
): Promise<Flood> {
  const sockets: Socket[] = []
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => {}).resume()
    await once(socket, 'connect')
    socket.write(bytes)
    sockets.push(socket)
  }
  return { sockets, open: () => sockets.filter((socket) => !socket.closed).length }
}

function endAll(...floods: readonly Flood[]): void {
  for (const { sockets } of floods) for (const socket of sockets) socket.destroy()
}

async function assertServed(server: TestServer, from = '127.0.0.1'): Promise<void> {
  const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  socket.write(GET)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString(), /^HTTP\/1\.1 200 /)
  socket.destroy()
}

describe('a flood of connections without a body', () => {
  it('from one address leaves room for others, and for new ones of that address', async () => {
    await using server = await startServer(ROUTES, { limits: { connectionsPerAddressMax: 20 } })
    const flooding = await flood(server, { connections: 100 })
    await assertServed(server)
    if (NEEDS_ADDRESSES === false) await assertServed(server, '127.0.0.2')
    assert.ok(server.connections.size <= 21, `${server.connections.size} connections`)
    assert.ok(server.connections.shed.address_limit >= 80)
    const { level, fields } = await server.logged('connections.address_limit')
    assert.deepEqual({ level, fields }, { level: 'warn', fields: { client: '127.0.0.1', max: 20 } })
    assert.equal(server.entries.filter(({ event }) => event === 'connections.address_limit').length, 1)
    endAll(flooding)
  })

  it('ends the oldest of them, and no connection that was used before them', async () => {
    await using server = await startServer(ROUTES, { limits: { connectionsPerAddressMax: 10 } })
    const used = await RawConnection.open(server.port)
    used.write(GET)
    assert.equal((await used.response()).status, 200)
    const flooding = await flood(server, { connections: 30 })
    used.write(GET)
    assert.equal((await used.response()).status, 200)
    for (const socket of flooding.sockets.slice(0, 20)) if (!socket.closed) await once(socket, 'close')
    assert.equal(flooding.open(), 9)
    used.destroy()
    endAll(flooding)
  })

  for (const [name, bytes] of [
    ['half of a header', 'POST /json HTTP/1.1\r\nHost:'],
    ['nothing at all', ''],
    ['the rest of a body after its response', NO_BODY.replace('/json', '/nowhere')],
  ] as const) {
    it(`and those that send ${name} do no more harm`, async () => {
      await using server = await startServer(ROUTES, { limits: { connectionsPerAddressMax: 20 } })
      const flooding = await flood(server, { connections: 60, bytes })
      await assertServed(server)
      assert.ok(server.connections.size <= 21)
      endAll(flooding)
    })
  }

  it('from many addresses makes room near the limit of all, the address with the most first', async (t) => {
    if (NEEDS_ADDRESSES !== false) return t.skip(NEEDS_ADDRESSES)
    await using server = await startServer(ROUTES, { limits: { connectionsMax: 60, connectionsPerAddressMax: 40 } })
    const modest = await flood(server, { connections: 5, from: '127.0.0.2' })
    const greedy = await flood(server, { connections: 40, from: '127.0.0.3' })
    const late = await flood(server, { connections: 30, from: '127.0.0.4' })
    await assertServed(server, '127.0.0.5')
    assert.equal(modest.open(), 5)
    assert.ok(greedy.open() < 30 && greedy.open() > 10, `${greedy.open()} of 40`)
    assert.ok(late.open() > 10, `${late.open()} of 30`)
    assert.ok(server.connections.shed.crowded > 0)
    endAll(modest, greedy, late)
  })

  it('over TLS is ended in the middle of a handshake', async () => {
    const certificate = { cert: TEST_CERTIFICATE, key: TEST_KEY, expiresAt: Date.parse('2030-01-01') }
    await using server = await startServer(ROUTES, { certificate, limits: { connectionsPerAddressMax: 10 } })
    const flooding = await flood(server, { connections: 30, bytes: '\x16\x03\x01' })
    const socket = connectSecure({ port: server.port, host: '127.0.0.1', servername: 'localhost', ca: TEST_CERTIFICATE })
    socket.write(GET)
    const [first] = (await once(socket, 'data')) as [Buffer]
    assert.match(first.toString(), /^HTTP\/1\.1 200 /)
    assert.ok(server.connections.size <= 10)
    socket.destroy()
    endAll(flooding)
    await until(() => server.connections.size === 0)
  })
})

describe('connections of one address', () => {
  it('that are all being served are not ended for another, which is refused', async () => {
    const { route, served, release } = gate()
    await using server = await startServer([...ROUTES, route], { limits: { connectionsPerAddressMax: 3 } })
    const busy = await Promise.all(Array.from({ length: 3 }, () => RawConnection.open(server.port)))
    for (const connection of busy) connection.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => served() >= 3)
    const refused = await RawConnection.open(server.port)
    assert.equal(await refused.rest(), '')
    assert.equal(server.connections.shed.address_refused, 1)
    release()
    for (const connection of busy) {
      assert.match((await connection.response()).text, /"slow"/)
      connection.destroy()
    }
  })

  it('make room where they do not take a response that is made', async () => {
    const long: Route = { method: 'GET', path: '/long', handler: () => ok(JSON.stringify('x'.repeat(32_000_000))) }
    await using server = await startServer([...ROUTES, long], { limits: { connectionsPerAddressMax: 3 } })
    const unread = await Promise.all(Array.from({ length: 3 }, () => RawConnection.open(server.port)))
    for (const { socket } of unread) socket.pause().write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => server.entries.length >= 3)
    const another = await RawConnection.open(server.port)
    another.write(GET)
    assert.equal((await another.response()).status, 200)
    assert.deepEqual([server.connections.shed.address_limit, server.connections.shed.address_refused], [1, 0])
    for (const connection of [...unread, another]) connection.destroy()
  })

  it('that is a trusted proxy have no limit, since they bring many clients', async () => {
    await using server = await startServer(ROUTES, {
      proxies: parseProxies('127.0.0.0/8'),
      limits: { connectionsPerAddressMax: 3 },
    })
    const many = await Promise.all(Array.from({ length: 12 }, () => RawConnection.open(server.port)))
    for (const connection of many) {
      connection.write(GET)
      assert.equal((await connection.response()).status, 200)
    }
    assert.equal(server.connections.size, 12)
    for (const connection of many) connection.destroy()
  })

  it('give their places back, so that none is lost', async () => {
    await using server = await startServer(ROUTES, { limits: { connectionsPerAddressMax: 3 } })
    for (let i = 0; i < 20; i++) assert.equal((await send(server.port, '/')).status, 200)
    await until(() => server.connections.size === 0)
    assert.deepEqual(Object.values(server.connections.shed).filter((count) => count > 0), [])
  })
})

describe('long headers', () => {
  const LONG = 'x'.repeat(40_000)

  /** Lets the server look at all connections, as often as the test says. */
  function checks(t: TestContext): () => void {
    t.mock.timers.enable({ apis: ['setInterval'] })
    return () => t.mock.timers.tick(1)
  }

  it('that do not come to an end take a bounded memory together', async () => {
    await using server = await startServer(ROUTES, { limits: { headsBytesMax: 200_000, checkMs: 20 } })
    const flooding = await flood(server, { connections: 10, bytes: `GET /?${LONG}` })
    const { fields } = await server.logged('connections.long_headers')
    assert.ok(Number(fields['ended']) >= 3, JSON.stringify(fields))
    assert.equal(server.connections.shed.long_headers, Number(fields['ended']))
    await assertServed(server)
    endAll(flooding)
  })

  it('are counted also behind a request that was served', async (t) => {
    const check = checks(t)
    await using server = await startServer(ROUTES, { limits: { headsBytesMax: 200_000, checkMs: 1 } })
    const connections = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(server.port)))
    for (const connection of connections) connection.write(GET)
    for (const connection of connections) assert.equal((await connection.response()).status, 200)
    check()
    for (const connection of connections) connection.write(`GET /?${LONG}`)
    while (server.connections.shed.long_headers < 3) {
      check()
      await new Promise((resolve) => void setImmediate(resolve))
    }
    for (const connection of connections) connection.destroy()
  })

  for (const [name, requests] of [
    ['one request', [GET]],
    ['pipelined requests', [GET, GET, GET]],
    ['a request with a body', ['POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}']],
  ] as const) {
    it(`are counted also where they came in one piece with ${name}`, async () => {
      await using server = await startServer(ROUTES, { limits: { headsBytesMax: 200_000, checkMs: 20 } })
      const connections = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(server.port)))
      for (const connection of connections) connection.write(`${requests.join('')}GET /?${LONG}`)
      for (const connection of connections) for (const _ of requests) await connection.response()
      assert.ok(Number((await server.logged('connections.long_headers')).fields['ended']) >= 3)
      await assertServed(server)
      for (const connection of connections) connection.destroy()
    })
  }

  it('that are complete do not count, however many a connection has sent', async (t) => {
    const check = checks(t)
    await using server = await startServer(ROUTES, { limits: { headsBytesMax: 20_000, checkMs: 1 } })
    const connection = await RawConnection.open(server.port)
    const body = '{"a":1}'.padEnd(30_000)
    const request = `POST /json HTTP/1.1\r\nHost:x\r\nX-Long: ${'x'.repeat(10_000)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    for (let i = 0; i < 50; i++) {
      connection.write(request + request)
      for (const _ of [1, 2]) {
        assert.equal((await connection.response()).headers['connection'], 'keep-alive')
        check()
      }
    }
    assert.equal(server.connections.shed.long_headers, 0)
    connection.destroy()
  })

  it('are not kept for a connection that waits for its next request', async (t) => {
    const check = checks(t)
    await using server = await startServer(ROUTES, { limits: { headsBytesMax: 200_000, checkMs: 1 } })
    const connections = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(server.port)))
    const long = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${LONG}\r\n\r\n`
    for (let i = 0; i < 3; i++) {
      for (const connection of connections) connection.write(long('/'))
      for (const connection of connections) assert.equal((await connection.response()).headers['connection'], 'keep-alive')
      check()
    }
    assert.equal(server.connections.shed.long_headers, 0, 'what was served is not counted')
    for (const connection of connections) connection.destroy()
  })

  it('with a long URL end their connection, since the parser keeps it', async () => {
    await using server = await startServer(ROUTES)
    const connection = await RawConnection.open(server.port)
    for (const [chars, kept] of [[8_000, 'keep-alive'], [9_000, 'close']] as const) {
      connection.write(`GET /?${'x'.repeat(chars)} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const { status, headers } = await connection.response()
      assert.deepEqual([status, headers['connection']], [200, kept])
    }
    assert.equal(await connection.rest(), '')
  })
})
