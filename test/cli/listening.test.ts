// also: executable
/** Where the program listens, and how it is stopped and told to read its files again. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { request as requestTls } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { connect } from 'node:tls'
import { inheritedSocket } from '../../src/cli/serve/systemd.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { requestCode } from '../support/service/program-calls.ts'
import { cleanEnvironment, COMMAND, serve } from '../../scripts/tools/program.ts'
import { startedSite } from '../support/service/made-site.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { OTHER_CERTIFICATE, OTHER_KEY, TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'

const ON_WINDOWS = process.platform === 'win32'

it(
  'serve --listen unix:PATH prints the path and no port, responds there, and removes its socket at the end',
  { skip: ON_WINDOWS },
  async (t) => {
    const directory = temporaryDirectory(t)
    const path = join(directory, 's')
    const service = await serveCheaply(t, ['--data-dir', join(directory, 'data'), '--listen', `unix:${path}`])
    assert.equal(service.url, `unix:${path}`)
    assert.equal('port' in service.ready, false)
    const outgoing = request({ socketPath: path, path: '/api/v1/auth/me', agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [{ statusCode: number }]
    assert.equal(incoming.statusCode, 401)
    assert.equal((await service.logged('request'))['client'], 'unix')
    const rival = await runCheaply(['serve', '--data-dir', join(directory, 'rival'), '--listen', `unix:${path}`])
    assert.deepEqual([rival.code, rival.stderr], [1, `Cannot listen on "unix:${path}": another program listens there\n`])
    assert.equal(await service.end('SIGTERM'), 0)
    assert.equal(existsSync(path), false)
  },
)

describe('settings of the certificate', () => {
  const both = ['--tls-cert', '/nowhere/c', '--tls-key', '/nowhere/k']
  for (const [name, words, message] of [
    ['one file without the other', ['--tls-cert', 'c'], 'Cannot use one of --tls-cert and --tls-key alone: expected both'],
    ['TLS on a Unix socket', [...both, '--listen', 'unix:s'], 'Cannot use --tls-cert with --listen: a Unix socket has no TLS'],
    ['a place that is none', ['--listen', '0.0.0.0:80'], 'Cannot use --listen: expected unix:PATH, found "0.0.0.0:80"'],
    ['a host with a port', ['--allowed-hosts', 'a:1'], 'Cannot use --allowed-hosts: expected a host name such as'],
  ] as const) {
    it(`with ${name} end with status 2 and one sentence`, { skip: ON_WINDOWS }, async (t) => {
      const data = join(temporaryDirectory(t), 'data')
      const { code, stdout, stderr } = await runCheaply(['serve', '--port', '0', '--data-dir', data, ...words])
      assert.deepEqual([code, stdout], [2, ''])
      assert.ok(stderr.startsWith(message), stderr)
      assert.equal(stderr.trim().split('\n').length, 1)
    })
  }
})

it('SIGHUP takes a renewed certificate, and keeps the old one when the new one is bad', { skip: ON_WINDOWS }, async (t) => {
  const directory = temporaryDirectory(t)
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const write = (certText: string, keyText: string): void => {
    writeFileSync(cert, certText)
    writeFileSync(key, keyText)
  }
  write(TEST_CERTIFICATE, TEST_KEY)
  const words = ['--data-dir', join(directory, 'data'), '--tls-cert', cert, '--tls-key', key, '--threads', '3']
  const service = await serve(t, words)
  assert.equal(service.url, `https://127.0.0.1:${String(service.ready['port'])}`)
  const subject = (): Promise<unknown> => subjectAt(service)
  assert.equal(await subject(), 'Dateline test mail server')
  write(OTHER_CERTIFICATE, TEST_KEY)
  service.child.kill('SIGHUP')
  assert.match(String((await service.logged('certificate.kept'))['reason']), /they are no pair$/)
  assert.equal(await subject(), 'Dateline test mail server')
  write(OTHER_CERTIFICATE, OTHER_KEY)
  service.child.kill('SIGHUP')
  await service.logged('certificate.loaded')
  // Each thread has it when it has read the message.
  const ofTwelve = async (): Promise<unknown> => [...new Set(await Promise.all(Array.from({ length: 12 }, subject)))].join()
  while ((await ofTwelve()) !== 'Dateline test web server');
  assert.equal(await service.end('SIGTERM'), 0)
  assert.doesNotMatch(service.output().stderr, /BEGIN|PRIVATE/)
})

it('a reload reads the log level from the settings file again, and rejects a bad one', { skip: ON_WINDOWS }, async (t) => {
  const directory = temporaryDirectory(t)
  const settings = join(directory, 'dateline.json')
  writeFileSync(settings, '{"logLevel":"error"}')
  const service = await serveCheaply(t, ['--data-dir', join(directory, 'data'), '--config', settings])
  await fetch(`${service.url}/nowhere`)
  assert.equal(service.output().stderr, '')
  writeFileSync(settings, '{"logLevel":"loud"}')
  service.reload()
  assert.match(String((await service.logged('reload.failed'))['reason']), /expected one of debug, info, warn, error/)
  writeFileSync(settings, '{"logLevel":"info"}')
  service.reload()
  await service.logged('reloaded')
  await fetch(`${service.url}/nowhere`)
  assert.equal((await service.logged('request'))['status'], 404)
})

it('certificate files of a reload stay in use after a restore, also where those of the start are gone', { skip: ON_WINDOWS }, async (t) => {
  const directory = temporaryDirectory(t)
  const [settings, tokenFile] = [join(directory, 'dateline.json'), join(directory, 'token')]
  const write = (name: string, cert: string, key: string): void => {
    const [tlsCert, tlsKey] = [join(directory, `${name}.cert.pem`), join(directory, `${name}.key.pem`)]
    writeFileSync(tlsCert, cert)
    writeFileSync(tlsKey, key)
    writeFileSync(settings, JSON.stringify({ tlsCert, tlsKey }))
  }
  write('old', TEST_CERTIFICATE, TEST_KEY)
  const service = await serveCheaply(t, ['--data-dir', join(directory, 'data'), '--config', settings, '--token-file', tokenFile])
  write('new', OTHER_CERTIFICATE, OTHER_KEY)
  service.reload()
  await service.logged('certificate.loaded')
  for (const name of ['old.cert.pem', 'old.key.pem']) rmSync(join(directory, name))
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, 'content-type': 'application/json' }
    const outgoing = requestTls(`${service.url}/api/v1/admin/backups${path}`, { method: 'POST', headers, rejectUnauthorized: false, agent: false })
    const [response] = (await once(outgoing.end(JSON.stringify(body)), 'response')) as [IncomingMessage]
    return ((await json(response)) as { readonly data: Record<string, unknown> }).data
  }
  const { name } = await post('', {})
  await post(`/${String(name)}/restore`, { confirm: name })
  await service.said(/"starting_again"[^]*"event":"settings"/)
  assert.equal(await subjectAt(service), 'Dateline test web server')
})

/** Of the certificate that a new connection gets. */
async function subjectAt({ url }: { readonly url: string }): Promise<unknown> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

it('a reload takes changed templates, and keeps the old ones while one of them is bad', { skip: ON_WINDOWS }, async (t) => {
  const directory = temporaryDirectory(t)
  const [data, mail] = [join(directory, 'data'), join(directory, 'mail')]
  /** Without the one that is being written. */
  const written = (): string[] => readdirSync(mail).filter((name) => name.endsWith('.eml'))
  const service = await serveCheaply(t, ['--data-dir', data, '--mail', `file:${mail}`])
  mkdirSync(join(data, 'templates'))
  const template = join(data, 'templates', 'sign-in.en.txt')
  writeFileSync(template, 'Subject: {{kode}}\n\n{{code}}\n')
  service.reload()
  assert.match(String((await service.logged('templates.kept'))['reason']), /sign-in\.en\.txt", line 1: /)
  writeFileSync(template, 'Subject: {{code}} opens the door\n\n{{code}}\n')
  // The event of the first one is in the log already: the reload is done when the file is in use.
  service.reload()
  for (let asked = 1; ; asked++) {
    await requestCode(service.url, `reader${asked}@example.org`)
    while (written().length < asked) await fetch(`${service.url}/nowhere`)
    const [newest = ''] = written().sort().reverse()
    if (/^Subject: \d{6} opens the door/m.test(readFileSync(join(mail, newest), 'utf8'))) break
  }
})

it('serve on a terminal takes two lines to start, and a third without an administrator: data, first step and URL', { skip: !hasPython() }, async (t) => {
  const script = `
while b'is ready at' not in text or not text.endswith(b'\\n'): text += os.read(terminal, 4096)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.stdout.buffer.write(text)
`
  const data = join(temporaryDirectory(t), 'data')
  const starts: readonly (readonly [words: readonly string[], line: RegExp])[] = [
    [[], /^New data in .*\/data; to become administrator without a browser on this machine, run in .* admin --email you@example\.org --code --data-dir ".*\/data"$/],
    [[], /^Data in .*\/data; sign-in codes appear here$/],
    [['--data-dir', `${data}-2`, '--admin-email', 'you@example.org'], /^New data in .*-2; sign in as you@example\.org, the code appears here$/],
  ]
  for (const [given, line] of starts) {
    const words = ['serve', '--port', '0', ...(given.includes('--data-dir') ? [] : ['--data-dir', data]), ...given]
    const { output } = await inTerminal(t, script, words)
    // Sources that were not started by npm may not have been built, which is a warning.
    const all = output.trimEnd().split('\r\n').filter((one) => !one.includes('dashboard.missing'))
    const isSetup = (one: string): boolean => /^Become administrator, once and within an hour, at http:\/\/127\.0\.0\.1:\d+\/#setup=[\w-]{43}$/.test(one)
    assert.equal(all.filter(isSetup).length, given.includes('--admin-email') ? 0 : 1, output)
    const lines = all.filter((one) => !isSetup(one))
    assert.equal(lines.length, 2, output)
    assert.match(lines[0] ?? '', line)
    assert.match(lines[1] ?? '', /^Dateline \S+ is ready at http:\/\/127\.0\.0\.1:\d+$/)
  }
})

it('SIGHUP of a terminal that is gone ends the service, and any other does not', { skip: !hasPython() }, async (t) => {
  const script = `
while b'is ready at' not in text: text += os.read(terminal, 4096)
os.kill(pid, signal.SIGHUP)
while b'reloaded' not in text: text += os.read(terminal, 4096)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
  const words = ['serve', '--port', '0', '--data-dir', await startedSite(t)]
  const { output, errors } = await inTerminal(t, script, words)
  assert.equal(output, '0\n', errors)
})

it('a second signal of another kind ends at once a service that waits for a request', { skip: ON_WINDOWS }, async (t) => {
  const service = await serve(t, ['--data-dir', await startedSite(t)])
  const slow = await RawConnection.open(Number(service.ready['port']))
  slow.write('POST /api/v1/auth/request-code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
  slow.write('Expect: 100-continue\r\nContent-Length: 9\r\n\r\n')
  await once(slow.socket, 'data') // It waits for the body now.
  const exited = once(service.child, 'exit')
  service.child.kill('SIGTERM')
  await service.logged('stopping')
  assert.equal(service.child.exitCode, null)
  service.child.kill('SIGINT')
  assert.deepEqual(await exited, [null, 'SIGINT'])
  slow.destroy()
})

describe('a service that systemd started', { skip: ON_WINDOWS }, () => {
  it('responds on the socket that it was handed', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const script = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"'
    const words = [...COMMAND, 'serve', '--port', '0', '--data-dir', await startedSite(t)]
    const child = spawn('sh', ['-c', script, ...words], {
      env: cleanEnvironment({}),
      stdio: ['ignore', 'pipe', 'ignore', descriptorOf(server)],
    })
    t.after(() => void child.kill('SIGKILL'))
    server.close()
    const closed = once(child, 'close')
    const [ready] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    assert.equal((JSON.parse(String(ready)) as { port: number }).port, port)
    assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/auth/me`)).status, 401)
    child.kill('SIGTERM')
    assert.deepEqual(await closed, [0, null])
  })

  it('leaves a socket alone that is meant for another process, and refuses several', () => {
    assert.equal(inheritedSocket({ LISTEN_PID: '1', LISTEN_FDS: '1' }, 7), undefined)
    assert.equal(inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 7), 3)
    const several = () => inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)
    assert.throws(several, { name: 'ListenError', message: 'Cannot take the sockets of LISTEN_FDS: expected 1, found "2"' })
  })

  it('says when it is ready and when it stops, and hands none of its secrets on', async (t) => {
    const directory = temporaryDirectory(t)
    const [bin, told] = [join(directory, 'bin'), join(directory, 'told')]
    mkdirSync(bin)
    const report = `echo "$* | $NOTIFY_SOCKET | \${DATELINE_JWT_SECRET-none} | \${LISTEN_FDS-none}" >> '${told}'`
    writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\n${report}\n`)
    chmodSync(join(bin, 'systemd-notify'), 0o700)
    const secret = 'a secret of more than thirty-two bytes'
    const environment = { NOTIFY_SOCKET: '/run/notify', PATH: bin, DATELINE_JWT_SECRET: secret }
    const service = await serve(t, ['--data-dir', join(directory, 'data')], { environment })
    while (!existsSync(told)) await fetch(`${service.url}/nowhere`)
    assert.equal(await service.end('SIGTERM'), 0)
    const states = [`READY=1 STATUS=Listening on ${service.url}`, 'STOPPING=1']
    const lines = states.map((state) => `${state} | /run/notify | none | none\n`)
    assert.equal(readFileSync(told, 'utf8'), lines.join(''))
  })

  it('runs on without systemd-notify, and says so in the log', async (t) => {
    const directory = temporaryDirectory(t)
    const environment = { NOTIFY_SOCKET: '/run/notify', PATH: directory }
    const service = await serveCheaply(t, ['--data-dir', join(directory, 'data')], { environment })
    assert.match(String((await service.logged('systemd.notify-failed'))['reason']), /ENOENT/)
    assert.equal(await service.end('SIGTERM'), 0)
  })
})

it('a name that an operator gave is served, and its absence is told with the name of the setting', async (t) => {
  const service = await serveCheaply(t, [
    ...['--data-dir', await startedSite(t)],
    ...['--allowed-hosts', 'news.example.org'],
  ])
  const ask = (host: string) => send(Number(service.ready['port']), '/api/v1/auth/me', { headers: { Host: host } })
  assert.equal((await ask('news.example.org')).status, 401)
  const refused = await ask('evil.example')
  assert.deepEqual([refused.status, refused.text.includes('--allowed-hosts')], [421, true])
})

/** Starts the program in a terminal, which Python can make and Node cannot, and goes on with the script. */
async function inTerminal(t: Cleanup, script: string, words: readonly string[]) {
  const start = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b''`
  const python = spawn('python3', ['-c', start + script, ...COMMAND, ...words], { env: cleanEnvironment({}) })
  t.after(() => void python.kill('SIGKILL'))
  let [output, errors] = ['', '']
  python.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  python.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
  await once(python, 'close')
  return { output, errors }
}

/** Node shows it nowhere else. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import os, pty; os.waitstatus_to_exitcode']).status === 0
}
