/** What this program touches of Node beside its public interface: these tests fail where Node changes it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer as createNetServer, Socket, type AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { abandonInput, allowHalfOpen, descriptorOf, markHeaderSent, putHeader, releaseParser, unsentHeader } from '../../src/http/node-internals.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** The socket and the response of a request whose header was answered, in a later turn, and its client. */
async function answered(t: TestContext, text = REQUEST) {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(text))
  t.after(() => {
    client.destroy()
    server.close()
  })
  const [{ socket }, response] = (await once(server, 'request')) as [{ socket: Socket }, ServerResponse]
  response.flushHeaders()
  await new Promise((resolve) => void setImmediate(resolve))
  return { server, client, socket, response }
}

describe('the parser of a connection', () => {
  it('is released, and both sides go on', async (t) => {
    const { server, client, socket, response } = await answered(t)
    assert.equal(releaseParser(socket, response), true)
    assert.deepEqual([(socket as { parser?: unknown }).parser, response.socket, response.req.complete], [null, null, true])
    const names = ['data', 'end', 'close', 'drain'].flatMap((event) => socket.listeners(event).map(({ name }) => name))
    assert.ok(!names.some((name) => name.startsWith('bound socketOn')), names.join())
    const [heard] = await Promise.all([once(socket, 'data') as Promise<[Buffer]>, client.write('more')])
    assert.equal(heard[0].toString(), 'more')
    client.removeAllListeners('data')
    socket.write('event')
    let text = ''
    client.on('data', (bytes: Buffer) => (text += bytes.toString()))
    socket.destroySoon()
    await Promise.all([once(client, 'close'), once(server.close(), 'close')])
    assert.match(text, /^HTTP\/1\.1 200 [^]*event$/)
  })

  it('stays where it is in use: by a body, by a request behind it, or by another release', async (t) => {
    const withBody = await answered(t, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab')
    assert.equal(releaseParser(withBody.socket, withBody.response), false)
    const pipelined = await answered(t, REQUEST.repeat(2))
    assert.equal(releaseParser(pipelined.socket, pipelined.response), false)
    const twice = await answered(t)
    assert.deepEqual([releaseParser(twice.socket, twice.response), releaseParser(twice.socket, twice.response)], [true, false])
    twice.socket.destroy()
    assert.equal(releaseParser(twice.socket, twice.response), false)
  })
})

it('the callbacks of a parser are taken out, and come back for the next connection', async (t) => {
  const { socket } = await answered(t, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab')
  const { parser } = socket as unknown as { readonly parser: Record<number, unknown> & { readonly constructor: Readonly<Record<string, number>> } }
  const names = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete']
  const callbacks = names.map((name) => parser[parser.constructor[name] ?? -1])
  assert.deepEqual(callbacks.map((one) => typeof one), names.map(() => 'function'))
  abandonInput(socket as never)
  for (const name of names) assert.equal(parser[parser.constructor[name] ?? -1], undefined, name)
  socket.destroy()
  await once(socket, 'close')
  assert.deepEqual(names.map((name) => parser[parser.constructor[name] ?? -1]), callbacks)
})

type Internals = ServerResponse & { _header: string | null; _headerSent: boolean; _last: boolean; _hasBody: boolean }

const newResponse = (): Internals => new ServerResponse(new IncomingMessage(new Socket())) as Internals

describe('the header block of a response', () => {
  it('is kept by Node where this program puts its own', () => {
    const response = newResponse()
    assert.equal(response._header, null)
    assert.equal(response._headerSent, false)
    assert.equal(response._last, false)
    assert.equal(response._hasBody, true)
    response.sendDate = false
    response.writeHead(204, ['X-A', '1', 'Connection', 'close'])
    assert.equal(response._header, 'HTTP/1.1 204 No Content\r\nX-A: 1\r\nConnection: close\r\n\r\n')
    assert.equal(response._last, true)
    assert.equal(response._hasBody, false)
  })

  it('is put there as writeHead() would, once', () => {
    const [ours, nodes] = [newResponse(), newResponse()]
    const block = 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
    assert.equal(unsentHeader(ours), undefined)
    assert.equal(putHeader(ours, { status: 204, block, isLast: true }), true)
    nodes.sendDate = false
    nodes.writeHead(204, ['Connection', 'close'])
    for (const name of ['_header', '_headerSent', '_last', '_hasBody', 'statusCode', 'headersSent'] as const) {
      assert.equal(ours[name], nodes[name], name)
    }
    assert.equal(unsentHeader(ours), block)
    assert.equal(putHeader(ours, { status: 200, block: '', isLast: false }), false)
    markHeaderSent(ours)
    assert.equal(unsentHeader(ours), undefined)
  })

  it('is left to Node where a response has no such place', () => {
    const other = {} as ServerResponse
    assert.equal(putHeader(other, { status: 204, block: '', isLast: true }), false)
    assert.deepEqual([other, unsentHeader(other)], [{}, undefined])
  })
})

describe('a server', () => {
  it('has the switch that lets clients close their sending half', () => {
    const server = createServer() as ReturnType<typeof createServer> & { httpAllowHalfOpen?: boolean }
    assert.equal(server.httpAllowHalfOpen, false)
    allowHalfOpen(server)
    assert.equal(server.httpAllowHalfOpen, true)
  })

  it('tells the descriptor of its socket while it listens', { skip: process.platform === 'win32' && 'Windows has none' }, async (t) => {
    const server = createNetServer()
    assert.equal(descriptorOf(server), undefined)
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    assert.ok((descriptorOf(server) ?? 0) > 2)
  })
})
