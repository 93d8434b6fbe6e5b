import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fail } from '../../src/base/failure.ts'
import { accepted, created, noContent, ok } from '../../src/http/exchange.ts'
import type { HttpResponse, OpenStream } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send, sendRaw } from '../support/service/http-client.ts'
import { FIXED_NOW, startServer } from '../support/service/http-server.ts'

function get(path: string, response: () => HttpResponse | Promise<HttpResponse>): Route {
  return { method: 'GET', path, handler: response }
}

const ROUTES: readonly Route[] = [
  get('/ok', () => ok('{"name":"Ísland"}')),
  get('/created', () => created('{"id":"7"}')),
  get('/accepted', () => accepted()),
  get('/gone', () => noContent()),
  get('/raw', () => ({
    kind: 'raw',
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: '<p>Ísland',
    headers: { 'cache-control': 'max-age=60' },
  })),
  get('/bytes', () => ({ kind: 'raw', status: 200, contentType: 'image/png', body: new Uint8Array([1, 0, 255]) })),
  get('/unchanged', () => ({ kind: 'raw', status: 304, contentType: 'text/css', body: '' })),
  get('/limited', () => {
    throw fail('tooManyRequests', 'Cannot do "ü" again: wait', {
      headers: { 'Retry-After': '5' },
      cause: 'the true reason',
    })
  }),
  get('/unavailable', async () => {
    throw fail('networkError', 'Cannot reach the database', { cause: new Error('ECONNREFUSED 10.0.0.5') })
  }),
  get('/bug', () => {
    throw new Error('secret words')
  }),
  get('/late-bug', async () => {
    throw new TypeError('secret words')
  }),
  {
    method: 'GET',
    path: '/echo/:id',
    handler: (x) => ok(JSON.stringify([x.method, x.path, x.params, x.query.get('q')])),
  },
  {
    method: 'POST',
    path: '/noted',
    handler: (x) => {
      x.addLogFields({ user: 'u1' })
      x.addLogFields({ model: 'topic' })
      return noContent()
    },
  },
]

describe('a response', () => {
  it('wraps data into the envelope and carries the headers of every response', async () => {
    await using server = await startServer(ROUTES)
    const { status, headers, text } = await send(server.port, '/ok')
    assert.equal(status, 200)
    assert.equal(text, '{"data":{"name":"Ísland"},"metadata":{"requestId":"request-1","timestamp":"2025-10-20T12:34:56.789Z"}}')
    assert.equal(new Date(FIXED_NOW).toISOString(), '2025-10-20T12:34:56.789Z')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-request-id'], 'request-1')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['transfer-encoding'], undefined)
    assert.equal((await send(server.port, '/ok')).headers['x-request-id'], 'request-2')
  })

  it('that stays open has been opened before its client sees the header', async () => {
    let unread = 0
    const open: OpenStream = (sink) => {
      unread = sink.unread
      sink.write(Buffer.from('first'))
      sink.end()
      return () => {}
    }
    await using server = await startServer([get('/stream', () => ({ kind: 'stream', status: 200, contentType: 'text/plain', open }))])
    const { status, text } = await send(server.port, '/stream')
    assert.deepEqual([status, text], [200, 'first'])
    assert.ok(unread > 'HTTP/1.1 200 OK'.length, `${unread} bytes of the header waited`)
  })

  for (const [path, status, text, length, cacheControl] of [
    ['/created', 201, /^\{"data":\{"id":"7"\},"metadata":/, undefined, 'no-store'],
    ['/accepted', 202, /^$/, '0', 'no-store'],
    ['/gone', 204, /^$/, 'none', 'no-store'],
    ['/raw', 200, /^<p>Ísland$/, '10', 'max-age=60'],
    ['/bytes', 200, /^\x01\0.$/, '3', 'no-store'],
    ['/unchanged', 304, /^$/, 'none', 'no-store'],
  ] as const) {
    it(`of ${path} has status ${status} and the right length`, async () => {
      await using server = await startServer(ROUTES)
      const response = await send(server.port, path)
      assert.equal(response.status, status)
      assert.match(response.text, text)
      assert.equal(response.headers['content-length'] ?? 'none', length ?? String(Buffer.byteLength(response.text)))
      assert.equal(response.headers['cache-control'], cacheControl)
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.equal(response.headers['x-request-id'], 'request-1')
    })
  }

  it('to HEAD has the headers of GET, its length too, and no body', async () => {
    await using server = await startServer(ROUTES)
    for (const path of ['/ok', '/raw', '/bytes', '/limited', '/nowhere']) {
      const [whole, head] = [await send(server.port, path), await send(server.port, path, { method: 'HEAD' })]
      assert.equal(head.status, whole.status, path)
      assert.equal(head.text, '')
      assert.equal(head.headers['content-type'], whole.headers['content-type'])
      if (path !== '/ok' && path !== '/nowhere')
        assert.equal(head.headers['content-length'], whole.headers['content-length'])
    }
    // A body after the headers would be taken for the next response.
    const connection = await RawConnection.open(server.port)
    connection.write('HEAD /ok HTTP/1.1\r\nHost: x\r\n\r\nGET /raw HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match((await connection.response({ toHead: true })).headers['content-length'] ?? '', /^1\d\d$/)
    assert.equal((await connection.response()).text, '<p>Ísland')
    connection.destroy()
  })

  it('says what went wrong for a Failure, with its headers, and keeps its cause for the log', async () => {
    await using server = await startServer(ROUTES)
    const { status, headers, text, json } = await send(server.port, '/limited')
    assert.equal(status, 429)
    assert.equal(headers['retry-after'], '5')
    assert.deepEqual(json(), { error: { code: 'tooManyRequests', message: 'Cannot do "ü" again: wait' } })
    assert.doesNotMatch(text, /true reason/)
    const { level, fields } = await server.logged('request')
    assert.equal(level, 'info')
    assert.equal(fields['code'], 'tooManyRequests')
    assert.equal(fields['cause'], 'the true reason')
    assert.equal(server.entries.some((entry) => entry.level === 'error'), false)
  })

  it('of a Failure that is ours to mend is warned about', async () => {
    await using server = await startServer(ROUTES)
    assert.equal((await send(server.port, '/unavailable')).status, 503)
    assert.equal((await server.logged('request.unavailable')).level, 'warn')
  })

  for (const path of ['/bug', '/late-bug']) {
    it(`to ${path} is a 500 that tells nothing, while the log has the error and the request's id`, async () => {
      await using server = await startServer(ROUTES)
      const { status, text, json } = await send(server.port, path)
      assert.equal(status, 500)
      const { error } = json() as { error: { code: string; message: string } }
      assert.equal(error.code, 'serverError')
      assert.doesNotMatch(text, /secret|Error:|\.ts/)
      const { level, fields } = await server.logged('request.failed')
      assert.equal(level, 'error')
      assert.equal(fields['requestId'], 'request-1')
      assert.match(String(fields['error']), /secret words/)
      assert.equal((await send(server.port, '/ok')).status, 200, 'the server lives on')
    })
  }
})

describe('what a handler sees', () => {
  const rows: [target: string, seen: unknown][] = [
    ['/echo/7?q=a+b&userId=9', ['GET', '/echo/7', { id: '7' }, 'a b']],
    ['/echo/a%20b', ['GET', '/echo/a%20b', { id: 'a b' }, null]],
    ['/echo/7?', ['GET', '/echo/7', { id: '7' }, null]],
    ['/echo/7?q=a?b', ['GET', '/echo/7', { id: '7' }, 'a?b']],
    ['http://api.example/echo/7?q=x', ['GET', '/echo/7', { id: '7' }, 'x']],
    ['HTTPS://api.example:444/echo/7', ['GET', '/echo/7', { id: '7' }, null]],
  ]
  for (const [target, seen] of rows) {
    it(`of the target ${target} is its path, parameters and query`, async () => {
      await using server = await startServer(ROUTES)
      const { status, text } = await sendRaw(server.port, `GET ${target} HTTP/1.1\r\nHost: api.example\r\n\r\n`)
      assert.equal(status, 200)
      assert.deepEqual((JSON.parse(text) as { data: unknown }).data, seen)
    })
  }
})

describe('the access log', () => {
  it('has one line for each request, with notes and without the query string', async () => {
    await using server = await startServer(ROUTES)
    await send(server.port, '/noted?email=reader%40example.org', { method: 'POST' })
    await send(server.port, '/ok')
    const lines = server.entries.filter(({ event }) => event === 'request')
    assert.equal(lines.length, 2)
    const { ms, ...fields } = lines[0]?.fields ?? {}
    assert.equal(typeof ms, 'number')
    assert.deepEqual(fields, {
      requestId: 'request-1',
      method: 'POST',
      path: '/noted',
      status: 204,
      bytes: 0,
      client: '127.0.0.1',
      user: 'u1',
      model: 'topic',
    })
    assert.equal(lines[1]?.fields['bytes'], 103)
    assert.doesNotMatch(JSON.stringify(server.entries), /example\.org/)
  })

  it('cuts a long path', async () => {
    await using server = await startServer(ROUTES)
    assert.equal((await send(server.port, `/${'x'.repeat(10_000)}`)).status, 404)
    assert.equal(String((await server.logged('request')).fields['path']).length, 200)
  })
})
