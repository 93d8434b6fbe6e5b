// also: executable
/** What an app relies on that starts the service for itself: the instance, the token, the end of an orphan. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { send, sendRaw } from '../support/service/http-client.ts'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { me, requestCode } from '../support/service/program-calls.ts'
import { cleanEnvironment, COMMAND, run, serve } from '../../scripts/tools/program.ts'
import { startedSite } from '../support/service/made-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { until } from '../support/until.ts'

it('every response names the instance of the ready line', async (t) => {
  const service = await serveCheaply(t, ['--data-dir', await startedSite(t)])
  const [port, instance] = [Number(service.ready['port']), service.ready['instance']]
  const json = { 'Content-Type': 'application/json' }
  for (const [path, options, status] of [
    ['/api/v1/auth/anonymous', { method: 'POST' }, 200],
    ['/api/v1/auth/me', {}, 401],
    ['/nowhere', {}, 404],
    ['/api/v1/auth/me', { method: 'PUT' }, 405],
    ['/api/v1/auth/me', { method: 'HEAD' }, 401],
    ['/api/v1/auth/me', { method: 'OPTIONS' }, 204],
    ['/api/v1/auth/request-code', { method: 'POST', body: 'x'.repeat(2_097_153), headers: json }, 413],
    ['/', { headers: { Host: 'evil.example' } }, 421],
  ] as const) {
    const response = await send(port, path, options)
    assert.equal(response.status, status)
    assert.equal(response.headers['x-dateline-instance'], instance, path)
  }
  for (const bytes of [
    'nonsense\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(20_000)}`,
  ]) {
    assert.equal((await sendRaw(port, bytes)).headers['x-dateline-instance'], instance)
  }
})

describe('--token-file', () => {
  it('holds the token of an administrator that has no other way to sign in, for this run only', async (t) => {
    const directory = temporaryDirectory(t)
    const [data, file] = [join(directory, 'data'), join(directory, 'token')]
    const words = ['--data-dir', data, '--token-file', file]
    const first = await serveCheaply(t, words)
    const token = readFileSync(file, 'utf8').trim()
    assert.equal((statSync(file).mode & 0o777).toString(8), '600')
    const response = await me(first.url, token)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /"email":"administrator@local\.invalid".*"dashboardRole":"admin"/)
    const code = await requestCode(first.url, 'administrator@local.invalid')
    assert.equal(code.status, 400)
    await first.end('SIGTERM')
    assert.deepEqual(readdirSync(directory), ['data'], 'the file is gone, and no draft of it is left')

    const second = await serve(t, words)
    const newer = readFileSync(file, 'utf8').trim()
    assert.notEqual(newer, token)
    assert.equal((await me(second.url, token)).status, 401, 'a clean end')
    assert.equal((await me(second.url, newer)).status, 200)
    await second.end('SIGKILL')
    assert.ok(existsSync(file), 'SIGKILL leaves no time to remove it')
    const third = await serveCheaply(t, ['--data-dir', data])
    assert.equal((await me(third.url, newer)).status, 401, 'kill -9, and a run without such a token')
    for (const { output } of [first, second, third]) {
      const { stdout, stderr } = output()
      for (const secret of [token, newer]) assert.equal((stdout + stderr).includes(secret), false)
    }
  })

  it('belongs to the administrator of --admin-email where there is one', async (t) => {
    const directory = temporaryDirectory(t)
    const file = join(directory, 'token')
    const words = ['--data-dir', join(directory, 'data'), '--token-file', file, '--admin-email', 'you@example.org']
    const service = await serveCheaply(t, words)
    assert.match(await (await me(service.url, readFileSync(file, 'utf8').trim())).text(), /"email":"you@example\.org"/)
  })

  it('replaces an existing file or link, and leaves a file that another program puts there later', async (t) => {
    const directory = temporaryDirectory(t)
    const [file, precious] = [join(directory, 'token'), join(directory, 'precious')]
    writeFileSync(precious, 'precious', { mode: 0o644 })
    symlinkSync(precious, file)
    const service = await serveCheaply(t, ['--data-dir', join(directory, 'data'), '--token-file', file])
    assert.equal(readFileSync(precious, 'utf8'), 'precious')
    assert.equal((statSync(file).mode & 0o777).toString(8), '600')
    writeFileSync(file, 'another')
    await service.end('SIGTERM')
    assert.equal(readFileSync(file, 'utf8'), 'another')
  })

  it('that cannot be written ends the start with one sentence and status 1', async (t) => {
    const directory = temporaryDirectory(t)
    mkdirSync(join(directory, 'taken'))
    writeFileSync(join(directory, 'notes'), 'precious\n')
    const noToken = 'a file of that name is there, and it holds no token'
    for (const [file, reason, left] of [
      [join(directory, 'taken'), 'it is a directory', ['notes', 'taken']],
      [join(directory, 'notes'), noToken, ['notes', 'taken']],
      [join(directory, 'data', 'dateline.db'), noToken, ['data', 'notes', 'taken']],
    ] as const) {
      const words = ['serve', '--port', '0', '--data-dir', join(directory, 'data'), '--token-file', file]
      const { code, stdout, stderr } = await runCheaply(words)
      assert.deepEqual([code, stdout], [1, ''])
      assert.ok(stderr.endsWith(`Cannot write the token to "${file}": ${reason}\n`), stderr)
      assert.deepEqual(readdirSync(directory).sort(), left)
    }
    assert.equal(readFileSync(join(directory, 'notes'), 'utf8'), 'precious\n')
  })
})

describe('--exit-with-parent', () => {
  const words = (directory: string): string[] =>
    ['serve', '--port', '0', '--data-dir', join(directory, 'data'), '--exit-with-parent']
  const start = (serveWords: readonly string[]) => {
    const [program, ...first] = COMMAND
    return spawn(program, [...first, ...serveWords], { env: cleanEnvironment({}) })
  }

  it('ends the service cleanly when its input closes', async (t) => {
    const child = start(words(temporaryDirectory(t)))
    t.after(() => void child.kill('SIGKILL'))
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => void (log += chunk.toString()))
    await once(child.stdout, 'data')
    child.stdin.write('what is written there is not read as anything\n')
    child.stdin.end()
    assert.deepEqual(await once(child, 'exit'), [0, null])
    assert.match(log, /"event":"stopping","reason":"stdin closed"/)
    assert.match(log, /"event":"stopped"/)
  })

  it('ends it too when the input closed while it started, and never holds up a start that fails', async (t) => {
    const directory = temporaryDirectory(t)
    assert.equal((await run(words(directory))).code, 0)
    const child = start([...words(directory), '--host', '192.0.2.1'])
    assert.deepEqual(await once(child, 'exit'), [1, null])
  })

  it('ends it when its parent is killed and the input says nothing', { skip: process.platform === 'win32' }, async (t) => {
    const [first = '', ...rest] = [...COMMAND, ...words(temporaryDirectory(t))]
    const script = '"$0" "$@" </dev/null & echo "$!"; wait'
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const parent = spawn('sh', ['-c', script, first, ...rest], { env: cleanEnvironment({}), stdio: [...stdio] })
    let output = ''
    let pid = 0
    t.after(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
    while (!output.includes('"ready"')) output += String((await once(parent.stdout, 'data'))[0])
    pid = Number(output.split('\n')[0])
    process.kill(pid, 0)
    parent.kill('SIGKILL')
    // The service holds the other end of this pipe for as long as it lives.
    await once(parent.stdout, 'close')
    await until(() => !isAlive(pid))
  })

  it('leaves a service alone that has no input, and whose parent lives', async (t) => {
    const service = await serve(t, ['--data-dir', await startedSite(t), '--exit-with-parent'])
    assert.equal((await fetch(`${service.url}/api/v1/auth/me`)).status, 401)
    assert.equal(await service.end('SIGTERM'), 0)
    assert.match(service.output().stderr, /"reason":"SIGTERM"/)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('pages of each framework that the guide names may use the API under its flag, and no other page may', async (t) => {
  const guide = readFileSync(join(import.meta.dirname, '../../data/guides/embedding.md'), 'utf8')
  const section = guide.slice(guide.indexOf('## Pages of the app'))
  const commands = [...section.matchAll(/--cors-origins (\S+)$/gm)].map(([, list = '']) => list)
  assert.equal(commands.length, 3)
  const origins = [...commands.flatMap((list) => list.split(',')), 'file://', 'null']
  for (const origin of origins) assert.ok(section.includes(`\`${origin}\``), origin)
  const service = await serveCheaply(t, ['--data-dir', await startedSite(t), '--cors-origins', origins.join()])
  const port = Number(service.ready['port'])
  for (const origin of origins) {
    const response = await send(port, '/api/v1/auth/anonymous', { method: 'POST', headers: { Origin: origin } })
    assert.deepEqual([response.status, response.headers['access-control-allow-origin']], [200, origin])
    assert.equal((await send(port, '/metrics', { headers: { Origin: origin } })).status, 401, 'metrics want a token from pages')
  }
  assert.equal((await send(port, '/metrics')).status, 200)
  for (const origin of ['https://evil.example', 'http://localhost:5173', 'file:///', 'tauri://localhost.evil.example']) {
    assert.equal((await send(port, '/api/v1/auth/anonymous', { method: 'POST', headers: { Origin: origin } })).status, 403, origin)
  }
})
