/** Limits on connections that two servers have together, as threads on one port do: here each has a port of its own. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { countsMemory, createSharedCounts } from '../../src/base/shared-counts.ts'
import type { Route } from '../../src/http/router.ts'
import type { ServerLimits } from '../../src/http/server-limits.ts'
import { RawConnection, type RawResponse } from '../support/service/http-client.ts'
import { startServer, type TestServer } from '../support/service/http-server.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const SLOW = GET.replace('/ ', '/slow ')

async function startPair(t: TestContext, limits: Partial<ServerLimits>) {
  const released = Promise.withResolvers<void>()
  const seen = { slow: 0, fast: 0 }
  const ok = { kind: 'data', status: 200, data: '1' } as const
  const routes: readonly Route[] = [
    { method: 'GET', path: '/', handler: () => (seen.fast++, ok) },
    { method: 'GET', path: '/slow', handler: async () => (seen.slow++, await released.promise, ok) },
  ]
  const [bodies, connections] = [countsMemory(2, 64), countsMemory(2, 64)]
  const countsOf = (thread: number) => createSharedCounts(connections, thread)
  const servers: TestServer[] = []
  for (const thread of [0, 1]) {
    const endElsewhere = async (key: string): Promise<boolean> => servers[1 - thread]?.endOneOf(key) ?? false
    const shared = { bodies: createSharedCounts(bodies, thread), connections: { counts: countsOf(thread), endElsewhere } }
    servers.push(await startServer(routes, { limits, shared }))
  }
  const [first, second] = servers as [TestServer, TestServer]
  const opened: RawConnection[] = []
  t.after(async () => {
    released.resolve()
    opened.forEach((one) => one.destroy())
    await Promise.all([first.close(), second.close()])
  })
  const open = async ({ port }: TestServer): Promise<RawConnection> => {
    const connection = await RawConnection.open(port)
    opened.push(connection)
    return connection
  }
  const get = async (connection: RawConnection): Promise<RawResponse> => {
    connection.write(GET)
    return connection.response()
  }
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  /** Connections of a server whose requests are being served. */
  const busy = async (server: TestServer, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const before = seen.slow
      ;(await open(server)).write(SLOW)
      while (seen.slow === before) await turn()
    }
  }
  return { first, second, open, get, busy, seen, turn, counts: countsOf(0) }
}

describe('an address at its number of connections', () => {
  it('has one replaced that another thread has', async (t) => {
    const { first, second, open, get } = await startPair(t, { connectionsPerAddressMax: 3 })
    const held = [await open(first), await open(first), await open(first)]
    for (const one of held) assert.equal((await get(one)).status, 200)
    assert.equal((await get(await open(second))).status, 200)
    assert.equal(await held[0]?.rest(), '', 'the oldest')
    assert.deepEqual([first.connections.size, second.connections.size], [2, 1])
    assert.equal((await get(await open(second))).status, 200)
    assert.deepEqual([first.connections.size, second.connections.size], [2, 1], 'its own before those of others')
    assert.deepEqual([first, second].map(({ connections }) => connections.shed.address_limit), [1, 1])
  })

  it('gets no more where all are being served, and nothing of a refused one is', async (t) => {
    const { first, second, open, busy, seen } = await startPair(t, { connectionsPerAddressMax: 3 })
    await busy(first, 3)
    const refused = await open(second)
    refused.write(GET)
    assert.equal(await refused.rest(), '')
    assert.deepEqual([second.connections.shed.address_refused, seen.fast], [1, 0])
  })

  it('has all of them again when they have ended, also with their thread', async (t) => {
    const { first, second, open, get, turn, counts } = await startPair(t, { connectionsPerAddressMax: 2 })
    for (let i = 0; i < 10; i++) {
      const one = await open(i % 2 === 0 ? first : second)
      assert.equal((await get(one)).status, 200)
      one.destroy()
    }
    while (first.connections.size + second.connections.size > 0) await turn()
    assert.deepEqual([counts.total(), counts.of('127.0.0.1')], [0, 0])
    await get(await open(second))
    assert.deepEqual([counts.total(), counts.of('127.0.0.1')], [1, 1])
    counts.forget(1)
    assert.deepEqual([counts.total(), counts.of('127.0.0.1')], [0, 0])
  })
})

it('the number of all connections is that of all threads', async (t) => {
  const { first, second, open, get, busy } = await startPair(t, { connectionsMax: 20 })
  await busy(first, 15)
  for (let i = 0; i < 30; i++) assert.equal((await get(await open(second))).status, 200)
  assert.ok(second.connections.shed.crowded > 0)
  assert.ok(second.connections.size <= 5, `${second.connections.size} beside 15`)
  await busy(second, 20 - 15)
  assert.equal(await (await open(second)).rest(), '')
  assert.equal(second.connections.shed.full, 1)
  assert.equal((await second.logged('connections.full')).fields?.['max'], 20)
})
