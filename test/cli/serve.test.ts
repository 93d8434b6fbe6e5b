// also: executable
/** The program as an operator starts it: its lines, its exit codes. What only a process shows runs as one. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { get, me, requestCode } from '../support/service/program-calls.ts'
import { portFor } from '../../scripts/tools/listening.ts'
import { run, serve } from '../../scripts/tools/program.ts'
import { startedSite } from '../support/service/made-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('serve writes one line to stdout when it accepts requests, its log as JSON lines, and ends with 0', async (t) => {
  const service = await serve(t, ['--data-dir', join(temporaryDirectory(t), 'data')])
  const { event, url, port, pid, instance, version } = service.ready
  assert.deepEqual([event, url, pid], ['ready', `http://127.0.0.1:${String(port)}`, service.child.pid])
  assert.match(String(instance), /^[0-9a-f]{16}$/)
  assert.match(String(version), /^\d+\.\d+\.\d+/)
  assert.equal((await fetch(`${service.url}/api/v1/data?model=topic`)).status, 401)
  const last = fetch(`${service.url}/api/v1/auth/anonymous`, { method: 'POST' })
  const [code] = await Promise.all([service.end('SIGTERM'), last.catch(() => 'refused')])
  assert.equal(code, 0)
  assert.equal(service.output().stdout.split('\n').length, 2, 'one line')
  const lines = service.output().stderr.trim().split('\n')
  const logged = lines.map((line) => JSON.parse(line) as { event: string; status?: number })
  assert.ok(logged.some((one) => one.event === 'request' && one.status === 401))
  assert.equal(logged.at(-1)?.event, 'stopped')
})

it('serve on a new directory says where it listens, where the data and the dashboard are, and what to do first', async (t) => {
  for (const words of [[], ['--dashboard', 'off']]) {
    const data = join(temporaryDirectory(t), 'data')
    const service = await serveCheaply(t, ['--data-dir', data, '--log-format', 'pretty', ...words])
    const { status } = await fetch(service.url)
    await service.end('SIGINT')
    const { stderr } = service.output()
    const admin = `admin --email you@example.org --code --data-dir ${JSON.stringify(data)}`
    // By the address of the service, which the sample names its pictures by.
    const seed = `seed --port ${new URL(service.url).port} --data-dir ${JSON.stringify(data)}`
    for (const wanted of [`Listening on ${service.url}`, `Data in ${data} (new)`, 'printed to the service log', admin, seed]) {
      assert.ok(stderr.includes(wanted), `${wanted} in:\n${stderr}`)
    }
    // Sources that were not started by npm may not have been built.
    assert.ok(words.length === 0 ? status === 200 || status === 503 : status === 404, String(status))
    assert.equal(stderr.includes(`Dashboard at ${service.url}/\n`), status === 200, stderr)
    assert.equal(stderr.includes('dashboard.missing'), status === 503, stderr)
  }
})

it('serve logs what it warns of at level warn', async (t) => {
  const service = await serveCheaply(t, ['--data-dir', await startedSite(t), '--rate-limits', 'off'])
  await service.end('SIGTERM')
  const lines = service.output().stderr.trimEnd().split('\n')
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => event === 'start')
  assert.deepEqual(told.filter(({ level }) => level === 'warn').map(({ message }) => message), ['Warning: rate limits are off'])
  assert.ok(told.some(({ level }) => level === 'info'))
})

it('serve takes no more connections than its limit on open files leaves beside its own', {
  skip: process.platform === 'win32',
}, async (t) => {
  const few = `ulimit -n 400 && exec "$0" "$@"`
  const service = await serve(t, ['--data-dir', await startedSite(t)], { before: ['sh', '-c', few] })
  const { max, openFiles } = await service.logged('connections.limited')
  assert.deepEqual({ max, openFiles }, { max: 144, openFiles: 400 })
  const sockets = Array.from({ length: 450 }, () => connect(Number(service.ready['port']), '127.0.0.1'))
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(sockets.map((socket) => once(socket.on('error', () => {}), 'connect')))
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  const { stderr } = service.output()
  assert.doesNotMatch(stderr, /EMFILE|"level":"error"/)
})

it('serve does not start with a mail template that it cannot use, and says which line is wrong', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const file = join(data, 'templates', 'sign-in.de.txt')
  mkdirSync(join(data, 'templates'), { recursive: true })
  writeFileSync(file, 'Subject: {{code}}\n\n{{code}} für {{appNaem}}\n')
  const { code, stdout, stderr } = await runCheaply(['serve', '--port', '0', '--data-dir', data])
  const problem = 'unknown placeholder "{{appNaem}}": did you mean "appName"?'
  assert.deepEqual([code, stdout, stderr], [2, '', `Cannot use template "${file}", line 3: ${problem}\n`])
})

it('serve makes no new site beside the pictures of one that lost its database, and leaves them', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const picture = join(data, 'media', 'ab', `${'ab'.repeat(32)}.webp`)
  mkdirSync(dirname(picture), { recursive: true })
  writeFileSync(picture, 'of the lost site')
  for (const words of [['serve', '--port', '0'], ['seed']]) {
    const { code, stdout, stderr } = await runCheaply([...words, '--data-dir', data])
    const remedy = `put its database back, with "dateline restore" from a backup, or move "${join(data, 'media')}" away to begin a new site`
    assert.deepEqual([code, stdout, stderr], [1, '', `Cannot use the data directory "${data}": it has pictures and no database: ${remedy}\n`])
  }
  assert.ok(existsSync(picture))
})

it('a second service on the same directory exits at once and names the first', async (t) => {
  const data = await startedSite(t)
  const first = await serve(t, ['--data-dir', data])
  const second = await run(['serve', '--port', '0', '--data-dir', data])
  assert.equal(second.code, 1)
  assert.equal(second.stdout, '')
  assert.match(second.stderr, new RegExp(`process ${first.child.pid ?? 0}, started .*, is using it`))
  // The lock goes with the process, however it ends.
  await first.end('SIGKILL')
  const third = await serve(t, ['--data-dir', data])
  assert.equal(await third.end('SIGTERM'), 0)
})

it('a port in use is one sentence with the remedy', async (t) => {
  const port = await portFor(t, createServer())
  const { code, stderr } = await runCheaply(['serve', '--port', String(port), '--data-dir', await startedSite(t)])
  assert.equal(code, 1)
  assert.match(stderr, /Cannot listen on 127\.0\.0\.1:\d+: another program uses this port: choose another with --port/)
  assert.doesNotMatch(stderr, /\n\s+at /)
})

for (const [name, words, message, environment = {}] of [
  ['a misspelt flag', ['serve', '--prot', '1'], 'Unknown flag "--prot": did you mean "--port"?'],
  ['a flag that is near to none', ['serve', '--foo', '1'], 'Unknown flag "--foo": see "dateline help serve"'],
  ['a flag that is near to none but for its hyphens', ['export', '--sort', 'x'], 'Unknown flag "--sort": see "dateline help export"'],
  ['a misspelt command', ['sevre'], 'Unknown command "sevre": did you mean "serve"?'],
  ['a stray word', ['serve', 'now'], 'takes no argument "now"'],
  ['a flag without its value', ['serve', '--port'], '--port needs a value'],
  ['a flag without its value before another', ['backup', '--to', '--json'], '--to needs a value, found --json'],
  ['a flag given twice', ['serve', '--port', '1', '--port', '2'], '--port is given twice'],
  ['a bad port', ['serve', '--port', '70000'], '--port: expected a whole number from 0 to 65535, found "70000"'],
  ['a misspelt variable', ['serve'], '"DATELINE_PROT": did you mean "DATELINE_PORT"?', { DATELINE_PROT: '1' }],
  ['a bad variable', ['serve'], 'Cannot use DATELINE_LOG_LEVEL: expected one of debug,', { DATELINE_LOG_LEVEL: 'loud' }],
  ['a short secret', ['serve'], 'expected a secret of at least 32 bytes, found 5', { JWT_SECRET_KEY: 'short' }],
  ['an unknown mail scheme', ['serve', '--mail', 'pigeon:x'], 'Cannot use --mail'],
  ['a strange switch', ['serve', '--rate-limits', 'maybe'], '--rate-limits: expected on or off, found "maybe"'],
  ['a page size above its maximum', ['serve', '--page-size', '500'], 'expected at most --page-size-max'],
] as const) {
  it(`${name} ends with status 2 and says what is wanted`, async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const { code, stdout, stderr } = await runCheaply(words, { environment: { DATELINE_DATA_DIR: data, ...environment } })
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.ok(stderr.includes(message), stderr)
    assert.doesNotMatch(stderr, /\n\s+at /)
  })
}

it('a password in --mail never appears in an error or at start', async (t) => {
  const data = await startedSite(t)
  const bad = await runCheaply(['serve', '--port', '0', '--data-dir', data, '--mail', 'smtp://me:hunter2@host:99999'])
  assert.equal(bad.code, 2)
  assert.doesNotMatch(bad.stderr, /hunter2/)
  const good = await serveCheaply(t, ['--data-dir', data, '--mail', 'smtp://me:hunter2@127.0.0.1:1'])
  await good.end('SIGTERM')
  assert.doesNotMatch(good.output().stderr + good.output().stdout, /hunter2/)
})

for (const [name, words, message] of [
  ['a data directory where none can be made', ['--data-dir', '/proc/nowhere'], /directory "\/proc\/nowhere": no such file/],
  ['a host name that does not resolve', ['--host', 'nowhere.invalid'], /nowhere\.invalid: no address is known/],
  ['an address of another machine', ['--host', '192.0.2.1'], /192\.0\.2\.1: this machine does not have that address/],
] as const) {
  it(`${name} is told in one sentence, with status 1`, async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const { code, stdout, stderr } = await runCheaply(['serve', '--port', '0', ...words], {
      environment: { DATELINE_DATA_DIR: data },
    })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /\n\s+at /)
  })
}

it('help lists every command, and the flags of one with their defaults', async () => {
  const overview = await runCheaply(['help'])
  assert.equal(overview.code, 0)
  for (const name of ['serve', 'seed', 'admin', 'match', 'version'])
    assert.match(overview.stdout, new RegExp(`^  ${name} `, 'm'))
  const help = await runCheaply(['serve', '--help'])
  assert.match(help.stdout, /--port .*\(default: 8080\)/)
  assert.deepEqual((await runCheaply(['help', 'serve'])).stdout, help.stdout)
  assert.match((await runCheaply(['version'])).stdout, /^dateline \d+\.\d+\.\d+\n$/)
})

it('kill -9 at any moment loses no write that was acknowledged', async (t) => {
  const directory = temporaryDirectory(t)
  const [data, mail] = [join(directory, 'data'), join(directory, 'mail')]
  const words = ['--data-dir', data, '--mail', `file:${mail}`, '--rate-limits', 'off']
  const acknowledged: string[] = []
  for (let round = 0; round < 2; round++) {
    const service = await serve(t, words)
    let killed = false
    const write = async (): Promise<void> => {
      while (!killed) {
        const response = await fetch(`${service.url}/api/v1/auth/anonymous`, { method: 'POST' }).catch(() => undefined)
        const body = await response?.text().catch(() => undefined)
        if (response?.status !== 200 || body === undefined) continue
        acknowledged.push((JSON.parse(body) as { data: { token: string } }).data.token)
        // The moment of death depends on the round, not on the clock.
        if (acknowledged.length % 40 === 7 * round) {
          killed = true
          service.child.kill('SIGKILL')
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
    await service.end('SIGKILL')
  }
  const service = await serveCheaply(t, words)
  assert.ok(acknowledged.length > 20)
  for (const token of acknowledged) {
    const account = await me(service.url, token)
    assert.equal(account.status, 200)
    const { data: user } = (await account.json()) as { data: { id: string } }
    const settings = await get(service.url, `/api/v1/data/${user.id}?model=user_app_settings`, token)
    assert.equal(settings.status, 200, 'the account is whole')
  }
})

it('a code that was promised is sent after a restart', async (t) => {
  const directory = temporaryDirectory(t)
  const [data, mail] = [join(directory, 'data'), join(directory, 'mail')]
  const first = await serveCheaply(t, ['--data-dir', data, '--mail', `file:${mail}`])
  // The directory is gone when the mail is to be written, as on a disk that went away.
  rmSync(mail, { recursive: true })
  writeFileSync(mail, 'in the way')
  assert.equal((await requestCode(first.url, 'reader@example.org')).status, 202)
  await first.end('SIGTERM')
  rmSync(mail)
  const second = await serveCheaply(t, ['--data-dir', data, '--mail', `file:${mail}`])
  const written = (): string[] => readdirSync(mail).filter((name) => name.endsWith('.eml'))
  await second.logged('mail.delivered')
  const [name = ''] = written()
  assert.match(readFileSync(join(mail, name), 'utf8'), /^To: reader@example\.org/m)
  assert.equal((statSync(join(mail, name)).mode & 0o777).toString(8), '600')
})

it('serve starts again by itself, at the same port, with the backup that an administrator restores', async (t) => {
  const directory = temporaryDirectory(t)
  const [data, file] = [join(directory, 'data'), join(directory, 'token')]
  const service = await serveCheaply(t, ['--data-dir', data, '--token-file', file, '--threads', '2'])
  const call = async (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${readFileSync(file, 'utf8').trim()}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const made = (await (await call('POST', '/admin/backups')).json()) as { data: { name: string } }
  const { name } = made.data
  const topic = { name: 'New', description: 'd', iconUrl: 'https://images.example/t.png', status: 'active' }
  assert.equal((await call('POST', '/data?model=topic', topic)).status, 201)
  const restored = await call('POST', `/admin/backups/${name}/restore`, { confirm: name })
  assert.equal(restored.status, 200, await restored.text())
  assert.match(String((await service.logged('starting_again'))['reason']), /^the backup dateline-.* is restored$/)
  await service.logged('restore.replaced')
  let [outcome, instance] = ['', '']
  // Until it listens again, connections are refused.
  while (outcome === '') {
    await new Promise(setImmediate)
    const response = await call('GET', '/admin/restore').catch(() => undefined)
    if (response?.status !== 200) continue
    instance = response.headers.get('x-dateline-instance') ?? ''
    outcome = ((await response.json()) as { data: { restore: { outcome: string } } }).data.restore.outcome
  }
  assert.equal(outcome, 'restored')
  assert.notEqual(instance, service.ready['instance'])
  const topics = (await (await call('GET', '/data?model=topic')).json()) as { data: { items: unknown[] } }
  assert.deepEqual(topics.data.items, [])
  assert.equal(await service.end('SIGTERM'), 0)
})

it('a sign-in code is a line of JSON where the log is, and a line of text where a person reads', async (t) => {
  for (const [format, wanted] of [
    ['json', /^\{"time":"[^"]+","level":"info","event":"printed","message":"Mail to you@example\.org: sign-in code \d{6}"\}$/m],
    ['pretty', /^Mail to you@example\.org: sign-in code \d{6}$/m],
  ] as const) {
    const service = await serveCheaply(t, ['--data-dir', join(temporaryDirectory(t), 'data'), '--admin-email', 'you@example.org', '--log-format', format])
    assert.equal((await requestCode(service.url, 'you@example.org')).status, 202)
    await service.said(wanted)
    assert.equal(await service.end('SIGTERM'), 0)
    const lines = service.output().stderr.trim().split('\n')
    if (format === 'json') for (const line of lines) assert.equal(typeof JSON.parse(line), 'object', line)
  }
})
