import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { describe, it } from 'node:test'
import { hasOtherListener } from '../../src/http/port-listeners.ts'
import { startServer } from '../support/service/http-server.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

async function listenOn(t: Cleanup, host: string, port = 0): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen({ host, port, reusePort: true })
  t.after(() => void server.close())
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

describe('hasOtherListener()', { skip: process.platform !== 'linux' && 'only Linux tells who listens' }, () => {
  for (const [name, one, other, isFound] of [
    ['on the same address', '127.0.0.1', '127.0.0.1', true],
    ['on all addresses', '127.0.0.1', '0.0.0.0', true],
    ['on one of all addresses', '0.0.0.0', '127.0.0.1', true],
    ['on another address', '127.0.0.1', '127.0.0.2', false],
  ] as const) {
    it(`${isFound ? 'finds' : 'does not mind'} one ${name}`, async (t) => {
      const { server, port } = await listenOn(t, one)
      assert.equal(hasOtherListener(server), false)
      await listenOn(t, other)
      assert.equal(hasOtherListener(server), false, 'on another port')
      await listenOn(t, other, port)
      assert.equal(hasOtherListener(server), isFound)
    })
  }
})

it('two services that start at once do not share a port', async (t) => {
  const { server, port } = await listenOn(t, '127.0.0.1')
  server.close()
  for (let round = 0; round < 20; round++) {
    const address = { kind: 'tcp', host: '127.0.0.1', port, sharing: 'first' } as const
    const started = await Promise.allSettled([startServer([], { address }), startServer([], { address })])
    const [first, ...more] = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(more.length, 0)
    for (const one of started) if (one.status === 'rejected') assert.equal((one.reason as NodeJS.ErrnoException).code, 'EADDRINUSE')
    await first?.close()
  }
})
