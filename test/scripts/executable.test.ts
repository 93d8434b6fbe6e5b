// night: it builds the executable; the gate runs it against the one that it builds
/** What is true of the executable beyond what is true of the program: it needs nothing, and it is no Node. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unpackAssets } from '../../src/app/page-assets.ts'
import { VERSION } from '../../src/base/version.ts'
import { bundleProgram } from '../../scripts/build-bundle.ts'
import { executable } from '../support/service/executable.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const directory = mkdtempSync(join(tmpdir(), 'dateline-executable-'))
let program = ''
before(async () => void (program = await executable(directory)))
after(() => rmSync(directory, { recursive: true, force: true }))

type Variables = Readonly<Record<string, string>>

function run(words: readonly string[], { env = {}, cwd = directory }: { env?: Variables; cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, { env, cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Starts the service from a directory that it cannot write to, with nothing in its environment but what is given. */
async function serve(t: Cleanup, env: Variables = {}) {
  const [cwd, data] = [temporaryDirectory(t), join(temporaryDirectory(t), 'data')]
  chmodSync(cwd, 0o500)
  const words = ['serve', '--config', 'none', '--port', '0', '--data-dir', data, '--admin-email', 'admin@example.org']
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text))
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, pid } = JSON.parse(line) as { url: string; pid: number }
    return { child, closed, cwd, url, pid, stderr: () => stderr }
  }
  throw new Error(`It ended before it was ready:\n${stderr}`)
}

it('runs with an empty environment from a directory that it cannot write to, and leaves nothing there', async (t) => {
  const service = await serve(t)
  assert.equal(service.pid, service.child.pid)
  const guest = await fetch(`${service.url}/api/v1/auth/anonymous`, { method: 'POST' })
  const { data } = (await guest.json()) as { data: { token: string } }
  assert.equal(guest.status, 200)
  const countries = `${service.url}/api/v1/data?model=country&limit=3&filter=`
  const headers = { authorization: `Bearer ${data.token}` }
  // No index serves this, so that it runs in a thread, whose program is embedded too.
  const inThread = await fetch(countries + encodeURIComponent('{"name":{"$regex":"^(F|G).*y$"}}'), { headers })
  assert.equal(inThread.status, 200)
  const names = ((await inThread.json()) as { data: { items: { name: string }[] } }).data.items.map(({ name }) => name)
  assert.deepEqual(
    names,
    ['Germany', 'Guernsey'].filter((name) => names.includes(name)),
  )
  assert.ok(names.includes('Germany'))
  const { pages } = await bundleProgram()
  for (const { path, type, body } of unpackAssets(pages)) {
    const response = await fetch(service.url + path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, type])
    assert.ok(Buffer.from(body).equals(Buffer.from(await response.arrayBuffer())), path)
  }
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.closed, [0, null])
  assert.doesNotMatch(service.stderr(), /Warning/, 'Node says nothing of its own')
  assert.deepEqual(readdirSync(service.cwd), [])
})

it('takes the options of Node as words of its own command line', () => {
  for (const words of [['--inspect'], ['-e', '1'], ['--node-options=--inspect'], ['--v8-options']]) {
    const { status, stdout, stderr } = run(words)
    assert.deepEqual([status, stdout], [2, ''], words.join(' '))
    assert.match(stderr, /^Unknown command "-/)
  }
})

it('a variable of Node has no effect on a command', () => {
  const place = join(directory, 'written-by-node')
  mkdirSync(place)
  for (const [name, value] of [
    ['NODE_OPTIONS', '--require=/nowhere.js'],
    ['NODE_V8_COVERAGE', place],
    ['NODE_REDIRECT_WARNINGS', join(place, 'warnings')],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['NODE_USE_ENV_PROXY', '1'],
    ['NODE_ICU_DATA', '/nowhere'],
    ['OPENSSL_CONF', '/nowhere.cnf'],
    ['SSL_CERT_FILE', '/nowhere.pem'],
  ] as const) {
    const { status, stdout, stderr } = run(['version'], { env: { [name]: value }, cwd: place })
    assert.deepEqual([status, stdout, stderr], [0, `dateline ${VERSION}\n`, ''], name)
    assert.deepEqual(readdirSync(place), [], name)
  }
})

it('the service that was given a variable of Node runs without it, as the same process', { skip: process.platform !== 'linux' }, async (t) => {
  const service = await serve(t, { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_DEBUG: 'http', NODE_EXTRA_CA_CERTS: '/x', DATELINE_APP_NAME: 'Kept' })
  assert.equal(service.pid, service.child.pid)
  const environment = readFileSync(`/proc/${service.pid}/environ`, 'utf8').split('\0')
  assert.deepEqual(environment, ['DATELINE_APP_NAME=Kept', ''])
  await (await fetch(`${service.url}/api/v1/auth/me`)).text()
  assert.doesNotMatch(service.stderr(), /^HTTP /m)
})

it('a signal does not open a debugger', { skip: process.platform === 'win32' }, async (t) => {
  const service = await serve(t)
  service.child.kill('SIGUSR1')
  // Signals are taken in order of their arrival only by luck; a response after it proves that the service still runs.
  assert.equal((await fetch(`${service.url}/api/v1/auth/me`)).status, 401)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.closed, [0, null])
  assert.doesNotMatch(service.stderr(), /Debugger/)
})

it('tells the commit that it was built of', () => {
  const { commit } = JSON.parse(run(['version', '--json']).stdout) as { commit: string | null }
  assert.match(String(commit), spawnSync('git', ['rev-parse', 'HEAD']).status === 0 ? /^[0-9a-f]{40}(?:-dirty)?$/ : /^null$/)
})

const MACHINE_FILE = '/etc/dateline/dateline.json'
const noMounts =
  process.platform === 'linux' && spawnSync('unshare', ['--mount', 'true']).status === 0 ? false : 'no mounts can be made for a process alone'

describe('the settings file of the machine', { skip: noMounts }, () => {
  /** Runs the executable where /etc holds that file alone, in a namespace of its own. */
  const withFile = (text: string, words: readonly string[], { mode = 0o644, env = {}, user = 0 } = {}) => {
    const etc = mkdtempSync(join(tmpdir(), 'dateline-etc-'))
    try {
      chmodSync(etc, 0o755)
      mkdirSync(join(etc, 'dateline'), { mode: 0o755 })
      writeFileSync(join(etc, 'dateline/dateline.json'), text)
      chmodSync(join(etc, 'dateline/dateline.json'), mode)
      const script = 'mount --bind "$1" /etc && user=$2 && shift 2 && exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"'
      const command = ['--mount', 'sh', '-c', script, 'sh', etc, String(user), program, ...words]
      return spawnSync('unshare', command, { env: { PATH: process.env['PATH'], ...env }, cwd: tmpdir(), encoding: 'utf8' })
    } finally {
      rmSync(etc, { recursive: true, force: true })
    }
  }
  const settings = (text: string, words: readonly string[], options: Parameters<typeof withFile>[2] = {}) => {
    const { stdout, stderr } = withFile(text, ['config', '--json', ...words], options)
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Record<string, { value: string; from: string }>
  }
  const FILE = '{"dataDir":"/srv/site","port":9000}'

  it('is read by every command, below flags and variables, and --config takes its place', () => {
    const found = settings(FILE, ['--port', '9001'])
    assert.deepEqual(found['dataDir'], { value: '/srv/site', from: `dataDir in "${MACHINE_FILE}"` })
    assert.deepEqual(found['config'], { value: MACHINE_FILE, from: 'default' })
    assert.equal(found['port']?.value, '9001')
    assert.equal(settings(FILE, [], { env: { DATELINE_DATA_DIR: '/srv/other' } })['dataDir']?.value, '/srv/other')
    assert.match(withFile(FILE, ['user', 'list']).stderr, /\/srv\/site/)
  })

  it('is not read with --config none, nor by a service that an app starts', () => {
    for (const words of [['--config', 'none'], ['--exit-with-parent']]) {
      const found = settings(FILE, words)
      assert.deepEqual([found['dataDir']?.value, found['port']?.value], ['./dateline-data', '8080'])
    }
  })

  it('is refused where every user may change it, and where this user may not read it', () => {
    const exposed = withFile(FILE, ['config'], { mode: 0o666 })
    assert.deepEqual([exposed.status, exposed.stdout], [2, ''])
    assert.match(exposed.stderr, /lets every user of this machine change it/)
    chmodSync(directory, 0o755)
    const hidden = withFile(FILE, ['config'], { mode: 0o600, user: 61234 })
    assert.deepEqual([hidden.status, hidden.stdout, hidden.stderr], [2, '', `Cannot use the settings in "${MACHINE_FILE}": permission denied\n`])
  })
})
