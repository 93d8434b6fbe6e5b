// gate: starts processes that end badly
// isolated: it sets variables of the process
// also: executable
/**
 * Whatever reads stderr, and how it reads it. The attack: a program that starts the service and never reads its stderr
 * made it keep every line, 1.3 GB after five million requests, and stay after its end; a terminal that is stopped held
 * up the service altogether.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createLogOutput } from '../../src/base/log-output.ts'
import { openLogSink } from '../../src/cli/serve/log-sink.ts'
import { send } from '../support/service/http-client.ts'
import { servePreloaded } from '../support/service/preloaded-program.ts'
import { namedPipe } from '../support/service/named-pipe.ts'
import { cleanEnvironment, COMMAND } from '../../scripts/tools/program.ts'
import { startedSite } from '../support/service/made-site.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const ONLY_SOURCES = process.env['TEST_PROGRAM'] !== undefined && 'an executable loads no other code before its own'
/** A named pipe can be opened for reading before it is written to. */
const NEEDS_PIPES = process.platform === 'win32' && 'it needs named pipes'

interface Started {
  readonly child: ChildProcess
  readonly port: number
}

async function start(t: Cleanup, words: readonly string[], stderr: 'pipe' | number = 'pipe'): Promise<Started> {
  const [program, ...before] = COMMAND
  const data = await startedSite(t)
  const child = spawn(program, [...before, 'serve', '--port', '0', '--data-dir', data, '--dashboard', 'off', ...words], {
    env: process.env['TEST_PROGRAM'] === undefined ? cleanEnvironment({}) : {},
    stdio: ['ignore', 'pipe', stderr],
  })
  t.after(() => void child.kill('SIGKILL'))
  assert.ok(child.stdout)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, port: (JSON.parse(line) as { port: number }).port }
}

async function ask(port: number, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  await Promise.all(Array.from({ length: requests }, () => send(port, '/healthz', { agent })))
  agent.destroy()
}

async function unwrittenBytes(port: number): Promise<number> {
  const { text } = await send(port, '/metrics')
  return Number(/^dateline_log_unwritten_bytes (\d+)$/m.exec(text)?.[1])
}

/** Asks until the pipe is full and the service holds lines back; how much a pipe takes differs between machines. */
async function fillPipe(port: number): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await ask(port, 1000)
    if ((await unwrittenBytes(port)) > 0) return
  }
  assert.fail('20,000 lines that are not read left none unwritten')
}

describe('a stderr that is not read', () => {
  it('stops neither the service nor its end, and has every line once it is read', async (t) => {
    const { child, port } = await start(t, [])
    assert.ok(child.stderr)
    child.stderr.pause()
    await fillPipe(port)
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => void (text += part)).resume()
    while ((await unwrittenBytes(port)) > 1000) await send(port, '/healthz')
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    assert.equal(code, 0)
    const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as { event: string; requestId?: string })
    const ids = lines.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId]))
    assert.ok(ids.length >= 1001)
    assert.equal(new Set(ids).size, ids.length)
    // A request that another thread has answered may have its line behind the first of them.
    assert.ok(lines.some(({ event }) => event === 'stopping'))
    assert.equal(lines.at(-1)?.event, 'stopped')
  })

  it('does not keep the process after SIGTERM', async (t) => {
    const { child, port } = await start(t, [])
    child.stderr?.pause()
    await fillPipe(port)
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
})

describe('a stderr that is a file', () => {
  it('has every line, in order', async (t) => {
    const file = join(temporaryDirectory(t), 'log')
    const descriptor = openSync(file, 'a')
    // Each thread writes its lines in their order.
    const { child, port } = await start(t, ['--threads', '1'], descriptor)
    closeSync(descriptor)
    for (let i = 0; i < 50; i++) await send(port, `/nowhere/${i}`)
    child.kill('SIGTERM')
    await once(child, 'exit')
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const logged = lines.map((line) => JSON.parse(line) as { event: string; path?: string })
    const paths = logged.flatMap(({ path }) => (path === undefined ? [] : [path]))
    assert.deepEqual(paths, Array.from({ length: 50 }, (_, i) => `/nowhere/${i}`))
    assert.equal(logged.at(-1)?.event, 'stopped')
  })
})

describe('a pipe', { skip: NEEDS_PIPES }, () => {
  it('takes what it has room for, and never makes the writer wait', (t) => {
    const path = namedPipe(t)
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    // As a program hands it over: writes to it wait.
    const writing = openSync(path, constants.O_WRONLY)
    t.after(() => [reading, writing].forEach((one) => closeSync(one)))
    const output = createLogOutput({ sink: openLogSink(writing), onResume: () => {} })
    const line = `${'x'.repeat(999)}\n`
    for (let i = 0; i < 500; i++) output.add(line, 'info')
    output.flush()
    assert.ok(output.heldBytes > 0 && output.heldBytes < 500_000, String(output.heldBytes))
    const buffer = Buffer.alloc(1_000_000)
    assert.equal(readSync(reading, buffer) + output.heldBytes, 500_000)
    output.flushAtExit(20)
    assert.ok(output.heldBytes < 500_000)
  })
})

describe('what befalls the process', { skip: ONLY_SOURCES }, () => {
  async function logOf(t: Cleanup, preload: string): Promise<{ code: number | null; stderr: string }> {
    const { child, closed, log } = await servePreloaded(t, preload)
    child.kill('SIGHUP')
    // What does not crash is asked to end once it has reloaded.
    const hasReloaded = (): boolean => log().includes('"event":"reloaded"')
    while (child.exitCode === null && !hasReloaded()) await Promise.race([once(child.stderr, 'data'), closed])
    child.kill('SIGTERM')
    const [code] = (await closed) as [number | null]
    return { code, stderr: log() }
  }

  it('is told as a line of level warn where node warns of it', async (t) => {
    const { stderr } = await logOf(t, `process.on('SIGHUP', () => process.emitWarning('it leaks', { code: 'LEAK' }))`)
    const lines = stderr.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    const found = lines.find(({ event }) => event === 'process.warning')
    assert.equal(found?.['level'], 'warn')
    assert.match(String(found?.['error']), /Warning: it leaks/)
  })

  it('is in the log where it ends the process, after all lines before it', async (t) => {
    const crash = `process.on('SIGHUP', () => setImmediate(() => { throw new Error('a bug of ours') }))`
    const { code, stderr } = await logOf(t, crash)
    assert.notEqual(code, 0)
    const events = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))
    assert.equal(events.at(-1)?.['event'], 'crashed')
    assert.match(String(events.at(-1)?.['error']), /Error: a bug of ours\n +at /)
    assert.ok(events.some(({ event }) => event === 'start'))
  })
})
