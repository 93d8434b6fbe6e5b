/** A connection leaves node's HTTP server, and goes on as a socket. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { releaseParser } from '../../src/http/server/parser-release.ts'

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
