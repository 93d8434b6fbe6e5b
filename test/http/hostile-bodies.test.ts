/**
 * Bodies that are meant to exhaust memory or time.
 *
 * The attacks: one byte in each chunk, which cost 70 times what was sent, so that 29 MB ended a process of 512 MB; bodies
 * that never end, on many connections; lengths that are announced and never sent; and bodies that no handler asks for.
 */
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { countsOfOneThread } from '../../src/base/shared-counts.ts'
import { createBodyMemory, createBodyPace } from '../../src/http/body-limits.ts'
import { noContent, ok, type BodyTerms } from '../../src/http/exchange.ts'
import { IncomingBody } from '../../src/http/incoming-body.ts'
import { PushedRequest } from '../../src/http/incoming-body.ts'
import type { Route } from '../../src/http/router.ts'
import { SERVER_LIMITS } from '../../src/http/server-limits.ts'
import { RawConnection, type RawResponse } from '../support/service/http-client.ts'
import { gate, startServer, type TestServer } from '../support/service/http-server.ts'
import { until } from '../support/until.ts'

const KIB = 1024

/** A route that reads the body under these terms. */
function reading(path: string, terms: BodyTerms, isShort = false): Route {
  return {
    method: 'POST',
    path,
    handler: async (exchange) => {
      exchange.setBodyTerms({ ...terms, ...(isShort && { limit: { bytesMax: Infinity, isShort } }) })
      return ok(String(JSON.stringify(await exchange.readJson()).length))
    },
  }
}

const ROUTES: readonly Route[] = [
  reading('/stranger', {}),
  reading('/guest', { caller: 'guest' }),
  reading('/other', { caller: 'other' }),
  reading('/admin', { caller: 'admin', usesReserve: true }),
  reading('/small', { bytesMax: 100 }),
  reading('/short', {}, true),
  { method: 'POST', path: '/unread', handler: () => noContent() },
]

const LIMITS = { bodiesBytesMax: 64 * KIB, bodiesReserveBytes: 16 * KIB, bodiesPerCallerBytesMax: 24 * KIB }

function head(path: string, framing: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`
}

const CHUNKED = 'Transfer-Encoding: chunked'
const ofLength = (length: number): string => `Content-Length: ${length}`
/** JSON of so many bytes. */
const jsonOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`
const inChunks = (text: string, size: number): string =>
  (text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [])
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')

async function exchanged(server: TestServer, path: string, framing: string, body: string): Promise<RawResponse> {
  const connection = await RawConnection.open(server.port)
  connection.write(head(path, framing) + body)
  const response = await connection.response()
  connection.destroy()
  return response
}

describe('a body in a flood of tiny chunks', () => {
  for (const [name, path, status] of [
    ['that a stranger sends', '/stranger', 413],
    ['that no handler reads', '/unread', 204],
    ['to a path that there is not', '/nowhere', 404],
  ] as const) {
    it(`${name} is cut off`, async () => {
      await using server = await startServer(ROUTES)
      const connection = await RawConnection.open(server.port)
      connection.write(head(path, CHUNKED))
      const flood = '1\r\nx\r\n'.repeat(16_000)
      connection.write(flood)
      connection.write(flood)
      const response = await connection.response()
      assert.equal(response.status, status)
      assert.equal(response.headers['connection'], 'close')
      if (status === 413) assert.match(response.text, /"payloadTooLarge".*chunks this small: expected 256 bytes or more/)
      await connection.rest()
      assert.equal(server.bodies.rejections.tiny_pieces, 1)
      assert.equal(server.bodies.heldBytes, 0)
    })
  }

  it('leaves nothing behind in a parser that node uses again', async () => {
    await using server = await startServer(ROUTES)
    for (let i = 0; i < 20; i++) {
      const connection = await RawConnection.open(server.port)
      connection.write(head('/stranger', CHUNKED) + '1\r\nx\r\n'.repeat(10_000))
      assert.equal((await connection.response()).status, 413)
      await connection.rest()
      const { status, text } = await exchanged(server, '/stranger', CHUNKED, `${inChunks(jsonOf(2000), 100)}0\r\n\r\n`)
      assert.equal(status, 200, text)
    }
  })

  it('is no body of many chunks with something in them', async () => {
    await using server = await startServer(ROUTES)
    const chunks = inChunks(jsonOf(1024 * KIB), 300)
    const { status, text } = await exchanged(server, '/stranger', CHUNKED, `${chunks}0\r\nX-Trailer: y\r\n\r\n`)
    assert.equal(status, 200, text)
    assert.match(text, new RegExp(`"data":${1024 * KIB}\\b`))
  })

  it('is cut off also behind another request, and that one gets its response', async () => {
    const { route, release } = gate()
    await using server = await startServer([...ROUTES, route])
    const connection = await RawConnection.open(server.port)
    connection.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    connection.write(head('/stranger', CHUNKED) + '1\r\nx\r\n'.repeat(10_000))
    await until(() => server.bodies.rejections.tiny_pieces === 1)
    release()
    assert.match((await connection.response()).text, /"slow"/)
    assert.equal((await connection.response()).status, 413)
    await connection.rest()
  })
})

describe('bodies that do not end', () => {
  it('take what arrived of them, and no more than their part of the memory', async () => {
    await using server = await startServer(ROUTES, { limits: LIMITS })
    const begun: RawConnection[] = []
    const begin = async (path: string): Promise<RawConnection> => {
      const connection = await RawConnection.open(server.port)
      connection.write(head(path, ofLength(16 * KIB)) + 'x'.repeat(16 * KIB - 1))
      return connection
    }
    for (const [path, bytes] of [['/guest', 16], ['/other', 32], ['/stranger', 48]] as const) {
      begun.push(await begin(path))
      await until(() => server.bodies.heldBytes === bytes * KIB - begun.length)
    }
    // The rest is for callers with a dashboard role.
    const { status, headers, text } = await exchanged(server, '/stranger', ofLength(100), jsonOf(100))
    assert.equal(status, 503)
    assert.equal(headers['retry-after'], '1')
    assert.match(text, /"networkError".*bodies of all requests have .* which are in use; try again in 1 s/)
    assert.equal((await exchanged(server, '/admin', ofLength(10 * KIB), jsonOf(10 * KIB))).status, 200)
    assert.equal(server.bodies.rejections.no_room, 1)
    for (const connection of begun) connection.destroy()
    await until(() => server.bodies.heldBytes === 0)
    assert.equal((await exchanged(server, '/stranger', ofLength(100), jsonOf(100))).status, 200)
  })

  it('of one caller do not take the memory of others', async () => {
    await using server = await startServer(ROUTES, { limits: LIMITS })
    const first = await RawConnection.open(server.port)
    first.write(head('/guest', ofLength(20 * KIB)) + 'x'.repeat(20 * KIB - 1))
    await until(() => server.bodies.heldBytes === 20 * KIB - 1)
    const second = await exchanged(server, '/guest', ofLength(8 * KIB), jsonOf(8 * KIB))
    assert.equal(second.status, 503)
    assert.match(second.text, /bodies of one caller have/)
    assert.equal((await exchanged(server, '/other', ofLength(8 * KIB), jsonOf(8 * KIB))).status, 200)
    assert.equal((await exchanged(server, '/guest', ofLength(100), jsonOf(100))).status, 200)
    first.destroy()
  })

  for (const [name, path, request] of [
    ['behind another request that is being served', '/slow', (body: string) => `GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${body}`],
    ['of a caller who is known, before a handler asks for them', '/known', (body: string) => body],
  ] as const) {
    it(`leave the reserve to dashboard roles also ${name}`, async () => {
      const released = Promise.withResolvers<void>()
      let served = 0
      const slow = (method: 'GET' | 'POST', at: string): Route => ({
        method,
        path: at,
        handler: async (exchange) => {
          if (method === 'POST') exchange.setBodyTerms({ caller: 'reader' })
          served++
          await released.promise
          return noContent()
        },
      })
      await using server = await startServer([...ROUTES, slow('GET', '/slow'), slow('POST', '/known')], { limits: LIMITS })
      const body = head(path === '/slow' ? '/stranger' : path, ofLength(15 * KIB)) + jsonOf(15 * KIB)
      const waiting: RawConnection[] = []
      while (waiting.length < 6) {
        const connection = await RawConnection.open(server.port)
        connection.write(request(body))
        waiting.push(connection)
        await until(() => served === waiting.length)
      }
      await until(() => server.bodies.heldBytes >= 15 * KIB)
      assert.equal((await exchanged(server, '/admin', ofLength(10 * KIB), jsonOf(10 * KIB))).status, 200)
      assert.ok(server.bodies.heldBytes <= LIMITS.bodiesPerCallerBytesMax, `${server.bodies.heldBytes} bytes`)
      released.resolve()
      for (const connection of waiting) {
        await connection.response()
        connection.destroy()
      }
      await until(() => server.bodies.heldBytes === 0)
    })
  }

  it('hold nothing for what was announced and not sent', async () => {
    await using server = await startServer(ROUTES, { limits: { ...LIMITS, bodiesPerCallerBytesMax: 64 * KIB } })
    const silent = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(server.port)))
    for (const connection of silent) connection.write(head('/stranger', ofLength(40 * KIB)))
    assert.equal((await exchanged(server, '/stranger', ofLength(40 * KIB), jsonOf(40 * KIB))).status, 200)
    assert.equal(server.bodies.heldBytes, 0)
    for (const connection of silent) connection.destroy()
  })

  it('are refused while they arrive where they have no length', async () => {
    await using server = await startServer(ROUTES, { limits: LIMITS })
    const connection = await RawConnection.open(server.port)
    connection.write(head('/guest', CHUNKED))
    let sent = 0
    const response = connection.response()
    let hasResponse = false
    void response.then(() => void (hasResponse = true))
    while (!hasResponse) {
      connection.write(inChunks('x'.repeat(KIB), KIB))
      sent++
      await new Promise((resolve) => void setImmediate(resolve))
    }
    assert.equal((await response).status, 503)
    assert.ok(sent >= 16, `after ${sent} KiB`)
    assert.equal(server.bodies.heldBytes, 0)
    connection.destroy()
  })

  it('are weighed while they arrive', async () => {
    const weighed: (readonly [number, number])[] = []
    const weigh = (bytes: number, before: number): void => {
      weighed.push([bytes, before])
      if (bytes >= 3 * KIB) throw new Error('too heavy')
    }
    await using server = await startServer([reading('/weighed', { weigh })])
    const connection = await RawConnection.open(server.port)
    connection.write(head('/weighed', CHUNKED))
    for (let i = 0; i < 3; i++) connection.write(inChunks('x'.repeat(KIB), KIB))
    assert.equal((await connection.response()).status, 500, 'before its end')
    assert.equal(weighed.at(-1)?.[0], 3 * KIB)
    let told = 0
    for (const [bytes, before] of weighed) {
      assert.equal(before, told)
      told = bytes
    }
    assert.equal(server.bodies.heldBytes, 0)
    connection.destroy()
  })
})

describe('a body that no handler has asked for yet', () => {
  it('waits at the client, but for its beginning', async () => {
    const released = Promise.withResolvers<void>()
    const later: Route = {
      method: 'POST',
      path: '/later',
      handler: async (exchange) => {
        await released.promise
        return ok(String(JSON.stringify(await exchange.readJson()).length))
      },
    }
    const bytes = 8192 * KIB
    await using server = await startServer([later], { limits: { bodyBytesMax: bytes } })
    const connection = await RawConnection.open(server.port)
    connection.write(head('/later', ofLength(bytes)))
    const sent = new Promise<void>((resolve) => connection.socket.write(jsonOf(bytes), () => resolve()))
    await until(() => server.bodies.heldBytes > 0)
    // What the kernel takes of it is far less than all of it, so a server that reads on would hold more soon.
    for (let i = 0; i < 50; i++) await new Promise((resolve) => void setImmediate(resolve))
    assert.ok(server.bodies.heldBytes <= 128 * KIB, `${server.bodies.heldBytes} bytes`)
    released.resolve()
    await sent
    assert.match((await connection.response()).text, new RegExp(`"data":${bytes}\\b`))
    connection.destroy()
  })

  it('is given up with its connection', async () => {
    const { route, entered, release } = gate('POST', '/later')
    await using server = await startServer([route, ...ROUTES])
    const connection = await RawConnection.open(server.port)
    connection.write(head('/later', ofLength(10)) + jsonOf(10) + head('/stranger', ofLength(100)) + jsonOf(100))
    await entered
    await until(() => server.bodies.heldBytes === 110)
    connection.destroy()
    release()
    await until(() => server.bodies.heldBytes === 0)
  })
})

describe('what many bodies bring in one turn of the event loop', () => {
  for (const [name, headers, bytes, pieces] of [
    ['long pieces', { 'content-length': '100000000' }, 64 * KIB, 16],
    ['short chunks', { 'transfer-encoding': 'chunked' }, 300, 774],
  ] as const) {
    it(`is read in others: ${name}`, async () => {
      const around = { bodyMemory: createBodyMemory(SERVER_LIMITS, countsOfOneThread(1)), bodyPace: createBodyPace() }
      const requests = [0, 1].map(() => Object.assign(new PushedRequest(new Socket()), { headers }))
      const bodies = requests.map((request) => new IncomingBody(request, around, () => {}))
      for (const body of bodies) body.discard(Infinity, () => {})
      const piece = Buffer.alloc(bytes)
      let taken = 0
      while (bodies[0]?.take(piece) === true) taken++
      assert.equal(taken + 1, pieces)
      assert.equal(bodies[1]?.take(piece), false)
      for (const { socket } of requests) socket.pause()
      // One of them in a turn.
      const paused = (): number => requests.filter(({ socket }) => socket.isPaused()).length
      const seen = new Set([paused()])
      while (paused() > 0) {
        await new Promise((resolve) => void setImmediate(resolve))
        seen.add(paused())
      }
      assert.deepEqual([...seen], [2, 1, 0])
      assert.equal(bodies[0]?.take(piece), true)
    })
  }
})

describe('a body that is late', () => {
  it('gets 408 where it should come in one piece', async () => {
    await using server = await startServer(ROUTES, { limits: { shortBodyMs: 20 } })
    const connection = await RawConnection.open(server.port)
    connection.write(`${head('/short', ofLength(100))}{"a":`)
    const { status, headers, text } = await connection.response()
    assert.equal(status, 408)
    assert.equal(headers['connection'], 'close')
    assert.match(text, /"requestTimeout".*expected a body of this kind within 0\.02 s/)
    assert.equal(await connection.rest(), '')
    assert.equal(server.bodies.rejections.late, 1)
    assert.equal(server.bodies.heldBytes, 0)
  })

  for (const length of [1_000, 10_000_000]) {
    it(`is no longer waited for after the response, with ${length} bytes announced`, async () => {
      await using server = await startServer(ROUTES, { limits: { lingerMs: 20 } })
      const connection = await RawConnection.open(server.port)
      connection.write(`${head('/unread', ofLength(length))}{"a":`)
      assert.equal((await connection.response()).status, 204)
      assert.equal(await connection.rest(), '')
    })
  }

  it('ends its connection as soon as it is there after all', async () => {
    await using server = await startServer(ROUTES, { limits: { lingerMs: 60_000 } })
    const connection = await RawConnection.open(server.port)
    connection.write(head('/unread', ofLength(200_000)))
    assert.equal((await connection.response()).status, 204)
    connection.write('x'.repeat(200_000))
    assert.equal(await connection.rest(), '')
  })
})
