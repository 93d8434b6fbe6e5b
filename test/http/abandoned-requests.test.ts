/**
 * Clients that leave while a handler still works for them. A client that closed its connection was taken for one that had
 * closed its sending half alone, and was worked for until the end.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noContent } from '../../src/http/request/exchange.ts'
import { RawConnection } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

const REQUEST = 'GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A server whose one handler waits until it is let go or its client has left. */
async function waitingServer() {
  const [arrived, letGo, left] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  assert.ok(arrived && letGo && left)
  const server = await startServer([
    {
      method: 'GET',
      path: '/wait',
      handler: async ({ signal }) => {
        signal.addEventListener('abort', () => left.resolve())
        arrived.resolve()
        await Promise.race([letGo.promise, left.promise])
        return noContent()
      },
    },
  ])
  return { server, arrived: arrived.promise, left: left.promise, letGo: letGo.resolve }
}

describe('a handler is told that its client is gone', () => {
  it('one that closed its connection', async () => {
    const { server, arrived, left } = await waitingServer()
    await using _closed = server
    const client = await RawConnection.open(server.port)
    client.write(REQUEST)
    await arrived
    client.destroy()
    await left
  })

  it('not of one that closed its sending half: it still gets its response', async () => {
    const { server, arrived, letGo } = await waitingServer()
    await using _closed = server
    const client = await RawConnection.open(server.port)
    client.write(REQUEST)
    await arrived
    client.end()
    assert.equal((await client.response()).status, 100)
    assert.equal((await client.response()).status, 100)
    letGo()
    const statuses = [(await client.response()).status]
    while (statuses.at(-1) === 100) statuses.push((await client.response()).status)
    assert.equal(statuses.at(-1), 204)
  })
})
