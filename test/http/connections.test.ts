import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { noContent, ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send, sendRaw } from '../support/service/http-client.ts'
import { gate, startServer } from '../support/service/http-server.ts'

const QUICK: Route = { method: 'GET', path: '/quick', handler: () => ok('"quick"') }

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

describe('a connection', () => {
  it('serves one request after the other, and offers to wait for the next', async () => {
    await using server = await startServer([QUICK])
    const connection = await RawConnection.open(server.port)
    for (let i = 1; i <= 3; i++) {
      connection.write(get('/quick'))
      const { headers } = await connection.response()
      assert.equal(headers['connection'], 'keep-alive')
      assert.equal(headers['keep-alive'], 'timeout=75')
      assert.equal(headers['x-request-id'], `request-${i}`)
    }
    connection.destroy()
  })

  it('serves pipelined requests in order, each after the one before it has ended', async () => {
    const { route, entered, release } = gate()
    const seen: string[] = []
    const noted: Route = {
      method: 'POST',
      path: '/noted',
      handler: async (x) => {
        seen.push(String((await x.readJson())['n']))
        return noContent()
      },
    }
    await using server = await startServer([route, noted, QUICK])
    const connection = await RawConnection.open(server.port)
    const post = (n: number): string =>
      `POST /noted HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"n":${n}}`
    connection.write(get('/slow') + post(1) + post(2) + get('/quick') + get('/nowhere'))
    await entered
    assert.deepEqual(seen, [], 'a later request must not overtake an earlier one')
    release()
    assert.match((await connection.response()).text, /"slow"/)
    assert.equal((await connection.response()).status, 204)
    assert.equal((await connection.response()).status, 204)
    assert.match((await connection.response()).text, /"quick"/)
    assert.equal((await connection.response()).status, 404)
    assert.deepEqual(seen, ['1', '2'])
    connection.destroy()
  })

  it('rejects a pipelined CONNECT after the responses before it, and reads nothing behind it', async () => {
    const { route, entered, release } = gate()
    await using server = await startServer([route, QUICK])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow') + get('/quick') + 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n' + get('/quick'))
    await entered
    assert.equal((await send(server.port, '/quick')).status, 200)
    release()
    assert.match((await connection.response()).text, /"slow"/)
    assert.match((await connection.response()).text, /"quick"/)
    assert.equal((await connection.response()).status, 405)
    assert.equal(await connection.rest(), '')
  })

  it('gets the response to a valid request before the rejection of the input after it', async () => {
    const { route, entered, release } = gate()
    await using server = await startServer([route])
    const connection = await RawConnection.open(server.port)
    connection.write(`${get('/slow')}nonsense\r\n\r\n`)
    await entered
    release()
    assert.equal((await connection.response()).status, 200)
    const refusal = await connection.response()
    assert.equal(refusal.status, 400)
    assert.equal(refusal.headers['connection'], 'close')
    connection.end()
    assert.equal(await connection.rest(), '')
  })

  it('ends after a response when the client asks for it', async () => {
    await using server = await startServer([QUICK])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/quick', 'Connection: close\r\n'))
    assert.equal((await connection.response()).headers['connection'], 'close')
    assert.equal(await connection.rest(), '')
  })

  it('of HTTP/1.0 needs no Host, ends after the response, and lives on when asked', async () => {
    await using server = await startServer([QUICK])
    const plain = await RawConnection.open(server.port)
    plain.write('GET /quick HTTP/1.0\r\n\r\n')
    const response = await plain.response()
    assert.equal(response.status, 200)
    assert.equal(response.headers['transfer-encoding'], undefined)
    assert.equal(await plain.rest(), '')
    const kept = await RawConnection.open(server.port)
    for (let i = 0; i < 2; i++) {
      kept.write('GET /quick HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
      assert.equal((await kept.response()).headers['connection'], 'keep-alive')
    }
    kept.destroy()
  })

  it('with an unknown expectation is served', async () => {
    await using server = await startServer([QUICK])
    assert.equal((await sendRaw(server.port, get('/quick', 'Expect: the-unexpected\r\n'))).status, 200)
  })

  it('that waits too long for its next request ends without a word', async () => {
    await using server = await startServer([QUICK], { limits: { keepAliveMs: 1, checkMs: 5 } })
    const connection = await RawConnection.open(server.port)
    connection.write(get('/quick'))
    assert.equal((await connection.response()).status, 200)
    assert.equal(await connection.rest(), '')
  })
})

describe('many connections', () => {
  it('that wait make room for new ones, the oldest first, and are ended by nothing else', async () => {
    await using server = await startServer([QUICK], { limits: { connectionsMax: 20 } })
    const opened: RawConnection[] = []
    for (let i = 0; i < 60; i++) {
      const connection = await RawConnection.open(server.port)
      connection.write(get('/quick'))
      assert.equal((await connection.response()).status, 200, `connection ${i}`)
      opened.push(connection)
    }
    const last = opened.at(-1)
    last?.write(get('/quick'))
    assert.equal((await last?.response())?.status, 200, 'the newest is not the one that goes')
    assert.equal(await opened[0]?.rest(), '')
    assert.deepEqual((await server.logged('connections.crowded')).fields, { ended: 2, max: 20 })
    for (const connection of opened) connection.destroy()
  })

  it('that are used stay open while one that is not used is ended', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    await using server = await startServer([QUICK], { limits: { keepAliveMs: 3, checkMs: 1 } })
    const [used, unused] = [await RawConnection.open(server.port), await RawConnection.open(server.port)]
    unused.write(get('/quick'))
    assert.equal((await unused.response()).status, 200)
    for (let checks = 0; checks < 20; checks++) {
      used.write(get('/quick'))
      assert.equal((await used.response()).status, 200)
      t.mock.timers.tick(1)
    }
    assert.equal(await unused.rest(), '')
    used.destroy()
  })
})

describe('exchange.signal', () => {
  // A client that closed its connection was taken for one that had closed its sending half alone.
  it('aborts when the client closes its connection, and the request is logged as aborted', async () => {
    const { route, entered, release } = gate()
    await using server = await startServer([route])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow'))
    const { signal } = await entered
    assert.equal(signal.aborted, false)
    const aborted = once(signal, 'abort')
    connection.destroy()
    await aborted
    release()
    const { fields } = await server.logged('request')
    assert.deepEqual([fields['aborted'], fields['bytes']], [true, 0])
  })

  it('does not abort when the client closes its sending half: it still gets its response', async () => {
    const { route, entered, release } = gate()
    await using server = await startServer([route])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow'))
    const { signal } = await entered
    connection.end()
    assert.equal((await connection.response()).status, 100)
    assert.equal(signal.aborted, false)
    release()
    let { status } = await connection.response()
    while (status === 100) ({ status } = await connection.response())
    assert.equal(status, 200)
  })

  it('is aborted when it is first read after the client went', async () => {
    const { route, entered, release } = gate()
    await using server = await startServer([route, QUICK])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow'))
    const exchange = await entered
    connection.socket.resetAndDestroy()
    // A round trip on another connection, so that the server has seen the reset.
    await send(server.port, '/quick')
    await send(server.port, '/quick')
    assert.equal(exchange.signal.aborted, true)
    release()
    assert.equal((await server.logged('request')).level, 'info')
    assert.equal(server.entries.some(({ level }) => level === 'error'), false, 'giving up on a client is no error')
  })

  it('does not abort once the response is out', async () => {
    const { route, entered, release } = gate()
    const server = await startServer([route])
    const response = send(server.port, '/slow')
    const { signal } = await entered
    release()
    await response
    await server.close()
    assert.equal(signal.aborted, false)
  })
})

describe('close()', () => {
  it('lets a running request finish, says that the connection ends, and takes no new ones', async () => {
    const { route, entered, release } = gate()
    const server = await startServer([route, QUICK])
    const agent = new Agent({ keepAlive: true })
    const running = send(server.port, '/slow', { agent })
    await entered
    const closed = server.close()
    await assert.rejects(send(server.port, '/quick'), { code: 'ECONNREFUSED' })
    release()
    const { status, headers } = await running
    assert.equal(status, 200)
    assert.equal(headers.connection, 'close')
    await closed
    agent.destroy()
  })

  it('ends at once the connections that wait for a request, and those that never sent one', async () => {
    const server = await startServer([QUICK], { limits: { closeMs: 60_000 } })
    const [idle, fresh] = [await RawConnection.open(server.port), await RawConnection.open(server.port)]
    idle.write(get('/quick'))
    await idle.response()
    await server.close()
    assert.equal(await idle.rest(), '')
    assert.equal(await fresh.rest(), '')
  })

  it('cuts off what does not finish in time', async () => {
    const { route, entered, release } = gate()
    const server = await startServer([route], { limits: { closeMs: 1 } })
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow'))
    await entered
    await server.close()
    assert.equal(await connection.rest(), '')
    release()
    assert.equal((await server.logged('request')).fields['aborted'], true)
  })

  it('serves no pipelined request after the response that ends the connection', async () => {
    const { route, entered, release } = gate()
    const server = await startServer([route, QUICK])
    const connection = await RawConnection.open(server.port)
    connection.write(get('/slow') + get('/quick'))
    await entered
    const closed = server.close()
    release()
    assert.equal((await connection.response()).headers['connection'], 'close')
    assert.equal(await connection.rest(), '')
    await closed
    assert.equal(server.entries.filter(({ event }) => event === 'request').length, 1)
  })

  it('may be called twice, and before anything was sent', async () => {
    const server = await startServer([QUICK])
    await Promise.all([server.close(), server.close()])
    await server.close()
  })
})

describe('listen()', () => {
  it('rejects when the port is taken', async () => {
    await using server = await startServer([QUICK])
    const address = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const
    await assert.rejects(startServer([QUICK], { address }), { code: 'EADDRINUSE' })
  })
})
