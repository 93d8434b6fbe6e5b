import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fail } from '../../src/base/failure.ts'
import { noContent, ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

const BODY_BYTES_MAX = 2 * 1024 * 1024

const ROUTES: readonly Route[] = [
  { method: 'POST', path: '/json', handler: async (x) => ok(JSON.stringify(await x.readJson())) },
  { method: 'POST', path: '/optional', handler: async (x) => ok(JSON.stringify(await x.readJson({ optional: true }))) },
  { method: 'POST', path: '/twice', handler: async (x) => ok(String((await x.readJson()) === (await x.readJson()))) },
  { method: 'POST', path: '/size', handler: async (x) => ok(String(String((await x.readJson())['a']).length)) },
  { method: 'POST', path: '/unread', handler: () => noContent() },
  {
    method: 'POST',
    path: '/forbidden',
    handler: async () => {
      throw fail('forbidden', 'Cannot do this')
    },
  },
]

const server = await startServer(ROUTES)
after(() => server.close())

function bodyOfBytes(length: number): string {
  return `{"a":"${'x'.repeat(length - 8)}"}`
}

describe('readJson()', () => {
  const json = 'application/json'
  const good: [name: string, contentType: string, body: string | Uint8Array, data: unknown][] = [
    ['an object', json, '{"a":[1,null]}', { a: [1, null] }],
    ['white space around it', json, '\r\n {"a":1}\t', { a: 1 }],
    ['a charset parameter', 'application/json; charset=utf-8', '{"a":"ü"}', { a: 'ü' }],
    ['another case and spacing of the type', 'Application/JSON ;charset="utf-8"', '{"a":1}', { a: 1 }],
    ['a byte order mark', json, '\uFEFF{"a":1}', { a: 1 }],
  ]
  for (const [name, contentType, body, data] of good) {
    it(`takes ${name}`, async () => {
      const response = await send(server.port, '/json', { method: 'POST', body, headers: { 'Content-Type': contentType } })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual((response.json() as { data: unknown }).data, data)
    })
  }

  const bad: [name: string, headers: Record<string, string>, body: string | Uint8Array | undefined, message: RegExp][] =
    [
      ['no body', {}, undefined, /expected a JSON object, found nothing$/],
      ['an empty body', { 'Content-Type': json }, '', /found nothing$/],
      ['an empty chunked body', { 'Content-Type': json, 'Transfer-Encoding': 'chunked' }, '', /found nothing$/],
      ['no content type', {}, '{}', /type nothing: expected "application\/json"$/],
      ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=1', /type "application\/x-www-form-urlencoded"/],
      ['a +json type', { 'Content-Type': 'application/vnd.api+json' }, '{}', /expected "application\/json"$/],
      ['malformed JSON', { 'Content-Type': json }, '{"a":1,}', /as JSON: unexpected text at position 7/],
      ['JSON that breaks off', { 'Content-Type': json }, '{"a":', /as JSON: it ends/],
      ['a byte order mark alone', { 'Content-Type': json }, '\uFEFF', /as JSON: /],
      ['an array', { 'Content-Type': json }, '[{}]', /expected a JSON object, found an array$/],
      ['a number', { 'Content-Type': json }, '12345678901234567890', /found 12345678901234567890$/],
      ['bytes that are no UTF-8', { 'Content-Type': json }, Buffer.from('{"a":"\xff"}', 'latin1'), /expected UTF-8/],
      ['too deep nesting', { 'Content-Type': json }, `{"a":${'['.repeat(500)}${']'.repeat(500)}}`, /nested deeper than/],
    ]
  for (const [name, headers, body, message] of bad) {
    it(`refuses ${name}`, async () => {
      const response = await send(server.port, '/json', {
        method: 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
      })
      assert.equal(response.status, 400, response.text)
      const { error } = response.json() as { error: { code: string; message: string } }
      assert.equal(error.code, 'invalidInput')
      assert.match(error.message, message)
    })
  }

  it('attack: refuses a compressed body unread, however it names its coding, and says what it reads', async () => {
    const body = gzipSync('{}')
    for (const coding of ['gzip', 'GZIP', 'br', 'zstd', 'deflate', 'gzip, gzip', 'identity, gzip', '', 'x'.repeat(500)]) {
      for (const path of ['/json', '/optional']) {
        const headers = { 'Content-Type': json, 'Content-Encoding': coding }
        const response = await send(server.port, path, { method: 'POST', headers, body })
        assert.deepEqual([response.status, response.headers['accept-encoding']], [415, 'identity'], response.text)
        const { error } = response.json() as { error: { code: string; message: string } }
        assert.equal(error.code, 'unsupportedMediaType')
        assert.match(error.message, /^Cannot read a request body with Content-Encoding ".*": expected none$/)
      }
    }
  })

  it('takes any content type, or nothing, where the body is optional', async () => {
    for (const [headers, body, data] of [
      [{}, undefined, {}],
      [{ 'Content-Type': 'text/plain' }, '', {}],
      [{ 'Content-Type': 'text/plain' }, '{"a":1}', { a: 1 }],
      [{}, '{}', {}],
      [{ 'Content-Encoding': 'identity' }, '{}', {}],
    ] as const) {
      const response = await send(server.port, '/optional', {
        method: 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
      })
      assert.deepEqual((response.json() as { data: unknown }).data, data)
    }
    assert.equal((await send(server.port, '/optional', { method: 'POST', body: '[]' })).status, 400)
  })

  it('may be called again and gives the same', async () => {
    assert.match((await send(server.port, '/twice', { method: 'POST', body: {} })).text, /"data":true/)
  })

  it('puts chunks together, also in the middle of a character', async () => {
    const connection = await RawConnection.open(server.port)
    const body = Buffer.from('{"a":"ü"}')
    connection.write('POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (const byte of body) connection.write(Buffer.from([...Buffer.from('1\r\n'), byte, ...Buffer.from('\r\n')]))
    connection.write('0\r\nX-Trailer: y\r\n\r\n')
    assert.match((await connection.response()).text, /"data":\{"a":"ü"\}/)
    connection.destroy()
  })

  it('takes a body of exactly 2 MiB and responds with 413 to one byte more', async () => {
    const message = 'Cannot take a request body of this size: expected at most 2097152 bytes'
    for (const framing of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      const headers = { 'Content-Type': 'application/json', ...framing }
      const full = await send(server.port, '/size', { method: 'POST', headers, body: bodyOfBytes(BODY_BYTES_MAX) })
      assert.match(full.text, new RegExp(`"data":${BODY_BYTES_MAX - 8}\\b`))
      const over = await send(server.port, '/size', { method: 'POST', headers, body: bodyOfBytes(BODY_BYTES_MAX + 1) })
      assert.deepEqual([over.status, over.headers.connection], [413, 'close'])
      assert.deepEqual(over.json(), { error: { code: 'payloadTooLarge', message } })
    }
  })

  it('responds with 413 to a client that sends all of a far too large body before it reads', async () => {
    await using server = await startServer(ROUTES, { limits: { bodyBytesMax: 1000 } })
    const connection = await RawConnection.open(server.port)
    const length = 6 * 1024 * 1024
    connection.write(`POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`)
    connection.socket.pause()
    await new Promise<void>((resolve) => connection.socket.write(Buffer.alloc(length, 'x'), () => resolve()))
    connection.socket.resume()
    const { status, headers } = await connection.response()
    assert.equal(status, 413)
    assert.equal(headers['connection'], 'close')
    assert.equal(await connection.rest(), '', 'and then the connection ends')
  })
})

describe('a body that no handler reads', () => {
  it('does not spoil the connection when it is small', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      for (const [path, status] of [
        ['/unread', 204],
        ['/forbidden', 403],
        ['/nowhere', 404],
        ['/json', 400],
        ['/unread', 204],
      ] as const) {
        const response = await send(server.port, path, { method: 'POST', body: 'x'.repeat(60_000), agent })
        assert.equal(response.status, status)
        assert.equal(response.headers.connection, 'keep-alive')
      }
    } finally {
      agent.destroy()
    }
  })

  it('ends the connection when it is large, and the client still gets its response', async () => {
    for (const [path, status] of [['/unread', 204], ['/forbidden', 403], ['/nowhere', 404]] as const) {
      const response = await send(server.port, path, { method: 'POST', body: 'x'.repeat(4 * 1024 * 1024) })
      assert.equal(response.status, status)
      assert.equal(response.headers.connection, 'close')
    }
  })

  it('is not asked for when the client holds it back', async () => {
    const connection = await RawConnection.open(server.port)
    connection.write('POST /forbidden HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n')
    const { status, headers } = await connection.response()
    assert.equal(status, 403)
    assert.equal(headers['connection'], 'close')
    assert.equal(await connection.rest(), '')
  })

  it('is asked for, once, when the handler wants it', async () => {
    const connection = await RawConnection.open(server.port)
    connection.write(
      'POST /twice HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    )
    assert.equal((await connection.response()).status, 100)
    connection.write('{}')
    const { status, headers } = await connection.response()
    assert.equal(status, 200)
    assert.equal(headers['connection'], 'keep-alive')
    connection.destroy()
  })

  it('is refused before it is sent when it is announced as too large', async () => {
    const connection = await RawConnection.open(server.port)
    connection.write(
      'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n',
    )
    assert.equal((await connection.response()).status, 413)
    assert.equal(await connection.rest(), '')
  })
})

describe('an upload that breaks off', () => {
  it('is logged as such and is no error', async () => {
    await using server = await startServer(ROUTES)
    const connection = await RawConnection.open(server.port)
    connection.write('POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":')
    await new Promise<void>((resolve) => setImmediate(resolve))
    connection.destroy()
    const { fields } = await server.logged('request')
    assert.equal(fields['aborted'], true)
    assert.equal(fields['status'], undefined)
    assert.equal(server.entries.some(({ level }) => level === 'error' || level === 'warn'), false)
    assert.equal((await send(server.port, '/json', { method: 'POST', body: {} })).status, 200)
  })
})
