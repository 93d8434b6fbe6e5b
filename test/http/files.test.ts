/** Responses that are files: whole or cut off, at the pace of the client, and closed whatever happens. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once, type EventEmitter } from 'node:events'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openRegularFile, type OpenFile } from '../../src/base/regular-file.ts'
import type { Handler } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const MIB = 1024 * 1024
const TYPE = 'application/octet-stream'

interface Site {
  readonly path: string
  readonly bytes: Buffer
  readonly routes: readonly Route[]
  /** Every file that was opened. */
  readonly opened: OpenFile[]
  /** Resolves when all of them are closed. */
  closed(): Promise<void>
}

function site(t: Cleanup, size: number): Site {
  const path = join(temporaryDirectory(t), 'file')
  const bytes = randomBytes(size)
  writeFileSync(path, bytes)
  const opened: OpenFile[] = []
  const closings: Promise<unknown>[] = []
  const handler: Handler = async ({ query }) => {
    const file = await openRegularFile(path)
    assert.ok(file)
    opened.push(file)
    closings.push(new Promise<void>((resolve) => (file.handle as unknown as EventEmitter).once('close', resolve)))
    if (query.get('cut') !== undefined) truncateSync(path, Number(query.get('cut')))
    const headers = query.get('bad') === undefined ? {} : { 'X-Bad': 'a\r\nb' }
    return { kind: 'file', status: 200, contentType: TYPE, file, headers }
  }
  const ok: Handler = () => ({ kind: 'data', status: 200, data: '"fine"' })
  const routes: Route[] = [{ method: 'GET', path: '/file', handler }, { method: 'GET', path: '/ok', handler: ok }]
  return { path, bytes, routes, opened, closed: async () => void (await Promise.all(closings)) }
}

/** A client that does not read: once some of the response is there, its socket is paused. */
async function stalledClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /file HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

describe('a response that is a file', () => {
  for (const size of [0, 1, 128 * 1024, 3 * MIB + 1]) {
    it(`of ${size} bytes arrives whole, with its length, and is closed`, async (t) => {
      const { routes, path, closed, bytes } = site(t, size)
      await using server = await startServer(routes)
      const response = await fetch(`http://127.0.0.1:${server.port}/file`)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-length'), String(size))
      assert.equal(response.headers.get('content-type'), TYPE)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes), path)
      await closed()
      const { fields } = await server.logged('request')
      assert.deepEqual([fields['bytes'], fields['status'], fields['aborted']], [size, 200, undefined])
    })
  }

  it('to HEAD has the length alone, and the connection goes on', async (t) => {
    const { routes, closed } = site(t, 5_000)
    await using server = await startServer(routes)
    const connection = await RawConnection.open(server.port)
    connection.write('HEAD /file HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal((await connection.response({ toHead: true })).headers['content-length'], '5000')
    await closed()
    connection.write('GET /ok HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal((await connection.response()).status, 200)
    assert.equal((await server.logged('request')).fields['bytes'], 0)
    connection.destroy()
  })

  it('keeps its place among pipelined requests', async (t) => {
    const { routes, bytes, closed } = site(t, 300_000)
    await using server = await startServer(routes)
    const connection = await RawConnection.open(server.port)
    const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    connection.write(request('/ok') + request('/file') + request('/ok') + request('/file'))
    for (const text of ['fine', bytes.toString('utf8'), 'fine', bytes.toString('utf8')]) {
      assert.ok((await connection.response()).text.includes(text))
    }
    await closed()
    connection.destroy()
  })

  it('is whole also where a part of it was asked for, at whatever offset', async (t) => {
    const { routes, bytes } = site(t, 1_000)
    await using server = await startServer(routes)
    for (const range of ['bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-1', 'bytes=5-1,x', 'lines=1-2']) {
      const response = await fetch(`http://127.0.0.1:${server.port}/file`, { headers: { range } })
      assert.equal(response.status, 200, range)
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes), range)
    }
  })

  it('that turns out shorter is cut off, and never taken for whole', async (t) => {
    const { routes, closed } = site(t, 3 * MIB)
    await using server = await startServer(routes)
    const connection = await RawConnection.open(server.port)
    connection.write('GET /file?cut=1000000 HTTP/1.1\r\nHost: x\r\n\r\nGET /ok HTTP/1.1\r\nHost: x\r\n\r\n')
    const text = await connection.rest()
    const body = text.slice(text.indexOf('\r\n\r\n') + 4)
    assert.equal(body.length, 1_000_000, 'and nothing of the next response behind it')
    assert.match(text, /content-length: 3145728\r\n/i)
    await closed()
    const failed = await server.logged('response.failed')
    assert.match(String(failed.fields['error']), /expected 3145728 bytes, found 1000000/)
    const { fields } = await server.logged('request')
    assert.deepEqual([fields['bytes'], fields['aborted']], [1_000_000, true])
    await assert.rejects(send(server.port, '/file?cut=10'), 'a client sees an error')
  })

  it('that was never sent is closed as well', async (t) => {
    const { routes, closed, opened } = site(t, 1_000)
    await using server = await startServer(routes)
    await assert.rejects(send(server.port, '/file?bad=1'))
    await closed()
    assert.equal(opened.length, 1)
    assert.equal((await send(server.port, '/ok')).status, 200)
  })

  it('is closed when its client leaves in the middle', async (t) => {
    const { routes, closed } = site(t, 32 * MIB)
    await using server = await startServer(routes)
    const socket = await stalledClient(server.port)
    socket.destroy()
    await closed()
    const { fields } = await server.logged('request')
    assert.equal(fields['aborted'], true)
    assert.ok(Number(fields['bytes']) < 32 * MIB)
    assert.equal(server.entries.some(({ level }) => level === 'error'), false, 'which is nothing to worry about')
  })

  it('is cut off when its client takes nothing for too long', async (t) => {
    const { routes, closed } = site(t, 32 * MIB)
    await using server = await startServer(routes, { limits: { idleMs: 100, checkMs: 20, closeMs: 60_000 } })
    const socket = await stalledClient(server.port)
    t.after(() => void socket.destroy())
    await closed()
    const { fields } = await server.logged('request')
    assert.equal(fields['aborted'], true)
    assert.ok(Number(fields['bytes']) < 32 * MIB, 'it was read at the pace of its client')
  })

  it('is finished when the server shuts down, and its connection ends with it', async (t) => {
    const { routes, closed } = site(t, 32 * MIB)
    const server = await startServer(routes, { limits: { closeMs: 20_000 } })
    const socket = await stalledClient(server.port)
    const closing = server.close()
    let bytes = 0
    socket.on('data', (chunk: Buffer) => void (bytes += chunk.length))
    await once(socket, 'end')
    assert.ok(bytes > 32 * MIB, `arrived ${bytes}`)
    await closing
    await closed()
  })
})

describe('openRegularFile()', () => {
  it('opens regular files, and nothing else', async (t) => {
    const directory = temporaryDirectory(t)
    const path = join(directory, 'a')
    writeFileSync(path, 'abc')
    symlinkSync(path, join(directory, 'link'))
    const file = await openRegularFile(path)
    assert.equal(file?.bytes, 3)
    assert.equal((await file?.handle.stat({ bigint: true }))?.size, 3n)
    await file?.handle.close()
    for (const other of ['link', 'nothing', '.', 'a/b']) {
      const found = await openRegularFile(join(directory, other)).catch((error: Error) => error)
      assert.ok(found === undefined || other === 'a/b', other)
    }
    if (process.platform === 'linux') assert.equal(await openRegularFile('/dev/zero'), undefined)
  })
})
