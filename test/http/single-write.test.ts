/** A response whose parts are copied into a buffer that is used again: what is not read keeps little memory. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createSingleWrite } from '../../src/http/single-write.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'

const MIB = 1024 * 1024

interface Rendered extends ServerResponse {
  _header: string
}

/** Serves one connection after the other with `serve`, to a client that does not read. */
async function serveOnce(serve: (response: Rendered) => void, isTls = false): Promise<void> {
  const server = (isTls ? createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }) : createServer()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = isTls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1')
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, Rendered]
  response._header = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'
  try {
    serve(response)
  } finally {
    client.destroy()
    response.socket?.destroy()
    server.close()
  }
}

it('is refused where the client has yet to read, so that many short ones keep no buffer each', async () => {
  const write = createSingleWrite()
  await serveOnce((response) => {
    response.socket?.write(Buffer.alloc(64 * MIB))
    assert.ok((response.socket?.writableLength ?? 0) > 0)
    assert.equal(write(response, ['x'.repeat(100)], 100), false)
  })
  await serveOnce((response) => assert.equal(write(response, ['x'.repeat(100)], 100), true))
})

it('takes a buffer of at most four times its bytes', async () => {
  const write = createSingleWrite()
  for (const bytes of [1_000, 5_000, 20_000, 60_000, 70_000]) {
    await serveOnce((response) => {
      const { end } = response
      let kept = 0
      response.end = ((chunk: Buffer) => {
        kept = chunk.buffer.byteLength
        return end.call(response, chunk, 'latin1')
      }) as typeof end
      assert.equal(write(response, ['x'.repeat(bytes)], bytes), bytes < 65_536)
      assert.ok(kept <= 4 * (bytes + response._header.length), `${kept} for ${bytes}`)
    })
  }
})

it('is refused over TLS, where each response would take a buffer for itself', async () => {
  const write = createSingleWrite()
  await serveOnce((response) => assert.equal(write(response, ['x'.repeat(100)], 100), false), true)
})
