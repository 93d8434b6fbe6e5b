/**
 * Clients that ask and do not read. What they do not take waits in our memory, and the time-out for those who take
 * nothing is long enough for a train in a tunnel.
 *
 * The attacks: a hundred requests in advance on one connection, all of which were answered one after the other; and many
 * connections with one response each. A guest who keeps two megabytes of settings fills the memory with either.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

const MIB = 1024 * 1024
const LARGE = JSON.stringify('x'.repeat(8 * MIB))
const QUICK: Route = { method: 'GET', path: '/quick', handler: () => ok('"quick"') }

/** Large responses, which are counted. */
function large(): { readonly route: Route; readonly count: () => number } {
  let count = 0
  const handler = () => {
    count++
    return ok(LARGE)
  }
  return { route: { method: 'GET', path: '/large', handler }, count: () => count }
}

/** Asks so many times, and reads nothing but the beginning. */
async function stalledClient(port: number, requests = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests))
  await once(socket, 'readable')
  return socket
}

describe('responses that their clients do not read', () => {
  it('keep those that were asked for in advance waiting, which come when they are read', async () => {
    const { route, count } = large()
    await using server = await startServer([route, QUICK])
    const socket = await stalledClient(server.port, 6)
    for (let i = 0; i < 50; i++) assert.equal((await send(server.port, '/quick')).status, 200)
    assert.ok(count() <= 2, `${count()} of 6 were made`)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => void (bytes += chunk.length))
    while (bytes < 6 * LARGE.length) await once(socket, 'data')
    assert.equal(count(), 6)
    socket.destroy()
  })

  it('arrive as they were made, also where the kernel took a part of one before the next was made', async () => {
    const letters: Route = {
      method: 'GET',
      path: '/letters/:letter',
      handler: ({ params }) => ok(['"', Buffer.alloc(60_000, params['letter']), '"']),
    }
    await using server = await startServer([letters])
    const ask = (letter: string): string => `GET /letters/${letter} HTTP/1.1\r\nHost: x\r\n\r\n`
    const stalled = await Promise.all(['a', 'b', 'c'].map(async (letter) => ({ letter, socket: connect(server.port, '127.0.0.1') })))
    for (const { letter, socket } of stalled) socket.write(ask(letter).repeat(90))
    const reader = await RawConnection.open(server.port)
    for (let i = 0; i < 50; i++) {
      reader.write(ask('d'))
      assert.match((await reader.response()).text, /^\{"data":"d{60000}",/)
    }
    reader.destroy()
    for (const { letter, socket } of stalled) {
      let text = ''
      socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1')))
      while (text.length < 90 * 60_000 || text.split('"}}').length <= 90) await once(socket, 'data')
      socket.destroy()
      assert.equal(text.match(new RegExp(`"data":"${letter}{60000}",`, 'g'))?.length, 90)
    }
  })

  it('are cut off, the largest first, where all together are more than we hold', async (t) => {
    const { route, count } = large()
    await using server = await startServer([route, QUICK], { limits: { heldBytesMax: 40 * MIB } })
    const patient = await RawConnection.open(server.port)
    const sockets: Socket[] = []
    t.after(() => sockets.forEach((socket) => socket.destroy()))
    for (let i = 0; i < 6; i++) sockets.push(await stalledClient(server.port))
    const { fields } = await server.logged('responses.unread')
    assert.ok(Number(fields['ended']) >= 2 && Number(fields['ended']) < 6, JSON.stringify(fields))
    assert.equal(count(), 6)
    // Who reads is served as ever, on connections old and new.
    patient.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.ok((await patient.response()).text.includes('xxx'))
    for (let i = 0; i < 10; i++) assert.equal((await send(server.port, '/large')).status, 200)
    assert.equal(server.entries.filter(({ event }) => event === 'responses.unread').length, 1)
    patient.destroy()
  })

  it('are no reason to wait when the server shuts down: one that is read then ends with its connection', async () => {
    const { route } = large()
    const server = await startServer([route, QUICK], { limits: { closeMs: 60_000 } })
    const socket = await stalledClient(server.port)
    assert.equal((await send(server.port, '/quick')).status, 200)
    const closing = server.close()
    socket.resume()
    await once(socket, 'close')
    await closing
  })
})
