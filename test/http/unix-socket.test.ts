/** Listening on the path of a Unix socket, as a proxy on the same machine uses it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { limitKey } from '../../src/http/client-address.ts'
import { ok } from '../../src/http/exchange.ts'
import { parseUnixAddress } from '../../src/http/listening.ts'
import type { Route } from '../../src/http/router.ts'
import { startServer, type TestServer } from '../support/service/http-server.ts'

const WHO: Route = { method: 'GET', path: '/who', handler: (x) => ok(JSON.stringify(x.clientAddress)) }

function socketPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 's')
}

const listen = (path: string): Promise<TestServer> => startServer([WHO], { address: { kind: 'unix', path } })

async function send(socketPath: string, headers: Record<string, string> = {}): Promise<string> {
  const outgoing = request({ socketPath, path: '/who', headers, agent: false }).end()
  const [incoming] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  for await (const chunk of incoming) text += chunk.toString()
  return (JSON.parse(text) as { data: string }).data
}

describe('a Unix socket', { skip: process.platform === 'win32' }, () => {
  it('serves, is for the owner and the group, and goes when the server closes', async (t) => {
    const path = socketPath(t)
    const server = await listen(path)
    assert.equal(await send(path), 'unix')
    assert.equal((statSync(path).mode & 0o777).toString(8), '660')
    await server.close()
    assert.equal(existsSync(path), false)
  })

  it('believes its proxy about who is asking, and counts who comes without one under one name', async (t) => {
    const path = socketPath(t)
    await using _server = await listen(path)
    assert.equal(await send(path, { 'X-Forwarded-For': '192.0.2.7' }), '192.0.2.7')
    // The entry on the left was written by the client, who is the one on the right.
    assert.equal(await send(path, { 'X-Forwarded-For': '203.0.113.9, 192.0.2.7' }), '192.0.2.7')
    assert.equal(await send(path, { 'X-Forwarded-For': 'unix' }), 'unix')
    assert.equal(limitKey('unix'), 'unix')
  })

  it('of a process that was killed is taken over', async (t) => {
    const path = socketPath(t)
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok(existsSync(path), 'the file stays behind')
    await using _server = await listen(path)
    assert.equal(await send(path), 'unix')
  })

  it('of a program that lives is left alone', async (t) => {
    const path = socketPath(t)
    const rival = createNetServer().listen(path)
    await once(rival, 'listening')
    await assert.rejects(listen(path), { name: 'ListenError', message: /"unix:.*": another program listens there$/ })
    assert.ok(existsSync(path))
    rival.close()
  })

  it('never replaces a file that is no socket, or a link', async (t) => {
    const path = socketPath(t)
    writeFileSync(path, 'precious')
    await assert.rejects(listen(path), { name: 'ListenError', message: /a file of that name is there, and it is no/ })
    const link = `${path}.link`
    symlinkSync(path, link)
    await assert.rejects(listen(link), { name: 'ListenError', message: /it is no socket$/ })
    assert.equal(statSync(path).size, 8)
  })

  it('in a directory that is not there is told in one sentence', async (t) => {
    const path = join(socketPath(t), 'deeper')
    await assert.rejects(listen(path), { name: 'ListenError', message: /^Cannot listen on "unix:.*": \w+/ })
  })
})

describe('parseUnixAddress()', { skip: process.platform === 'win32' }, () => {
  it('gives the full path', () => {
    assert.deepEqual(parseUnixAddress('unix:/run/a b.sock'), { kind: 'unix', path: '/run/a b.sock' })
    assert.deepEqual(parseUnixAddress('unix:s'), { kind: 'unix', path: resolve('s') })
  })

  it('refuses all else, naming the form', () => {
    for (const bad of ['/run/s', 'unix:', 'unix', 'tcp:1', '0.0.0.0:80', 'unix:a\0b']) {
      assert.throws(() => parseUnixAddress(bad), /expected unix:PATH, found ".*--host and --port/)
    }
  })

  it('refuses a path that the kernel would cut, whose length is counted in bytes', () => {
    const longest = process.platform === 'linux' ? 107 : 103
    assert.equal(parseUnixAddress(`unix:/${'x'.repeat(longest - 1)}`).path.length, longest)
    for (const path of [`/${'x'.repeat(longest)}`, `/${'é'.repeat(longest / 2)}x`]) {
      assert.throws(() => parseUnixAddress(`unix:${path}`), new RegExp(`at most ${longest} bytes .* found ${longest + 1}`))
    }
  })
})
