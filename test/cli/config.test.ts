/** Where settings come from, and what the command `config` tells of them. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'
import { namedPipe } from '../support/service/named-pipe.ts'
import { type Finished, type RunOptions } from '../../scripts/tools/program.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const ON_WINDOWS = process.platform === 'win32'
const SECRET = 'a-secret-of-more-than-thirty-two-bytes'

function fileWith(t: Cleanup, content: string | Buffer): string {
  const file = join(temporaryDirectory(t), 'dateline.json')
  writeFileSync(file, content)
  return file
}

const config = (words: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  runCheaply(['config', '--json', ...words], options)

async function effective(words: readonly string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = await config(words, options)
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout) as Record<string, { value: string; from: string }>
}

it('a flag wins over the environment, the environment over the file, the file over the default', async (t) => {
  const file = fileWith(t, '\ufeff{"port": 1111, "host": "::1", "pageSize": 7}')
  const environment = { DATELINE_PORT: '2222', DATELINE_HOST: '127.0.0.2', DATELINE_CONFIG: file }
  const found = await effective(['--port', '3333'], { environment })
  assert.deepEqual(found['port'], { value: '3333', from: '--port' })
  assert.deepEqual(found['host'], { value: '127.0.0.2', from: 'DATELINE_HOST' })
  assert.deepEqual(found['pageSize'], { value: '7', from: `pageSize in "${file}"` })
  assert.deepEqual(found['pageSizeMax'], { value: '100', from: 'default' })
})

it('a file holds texts, numbers, true and false, and lists', async (t) => {
  const settings = { rateLimits: false, hideInactive: true, corsOrigins: ['https://a.example', 'https://b.example'] }
  const found = await effective(['--config', fileWith(t, JSON.stringify({ ...settings, logLevel: 'warn' }))])
  const values = ['rateLimits', 'hideInactive', 'corsOrigins', 'logLevel'].map((name) => found[name]?.value)
  assert.deepEqual(values, ['off', 'on', 'https://a.example,https://b.example', 'warn'])
})

it('every command with settings takes the file', async (t) => {
  const directory = temporaryDirectory(t)
  const data = join(directory, 'from-file')
  const file = fileWith(t, JSON.stringify({ dataDir: data, port: 9 }))
  assert.equal((await runCheaply(['admin', '--yes', '--email', 'a@example.org', '--config', file])).code, 0)
  assert.match((await runCheaply(['user', 'list', '--config', file])).stdout, /a@example\.org/)
})

it('passwords and secrets are masked, in the table too', async () => {
  const environment = {
    DATELINE_JWT_SECRET: SECRET,
    DATELINE_MAIL: 'smtp://me:hunter2%40@mail.example.org',
    DATELINE_OUTBOUND_PROXY: 'http://me:hunter2@proxy.example.org:3128',
  }
  const json = await config([], { environment })
  const table = await runCheaply(['config'], { environment })
  for (const { stdout } of [json, table]) {
    assert.doesNotMatch(stdout, /hunter2|thirty-two/)
    assert.match(stdout, /smtp:\/\/\*\*\*@mail\.example\.org/)
    assert.match(stdout, /http:\/\/me:\*\*\*@proxy\.example\.org:3128/)
    assert.match(stdout, /DATELINE_JWT_SECRET/)
  }
})

it('a secret may stand in a file of its own', async (t) => {
  const found = await effective([], { environment: { JWT_SECRET_KEY_FILE: fileWith(t, `${SECRET}\n`) } })
  assert.deepEqual(found['jwtSecret'], { value: '***', from: 'JWT_SECRET_KEY_FILE' })
  const missing = await config([], { environment: { DATELINE_JWT_SECRET_FILE: '/nowhere/secret' } })
  const sentence = 'Cannot use DATELINE_JWT_SECRET_FILE: the file "/nowhere/secret" cannot be read: no such file or directory\n'
  assert.deepEqual([missing.code, missing.stderr], [2, sentence])
  for (const [content, says] of [
    ['short\n', /expected a secret of at least 32 bytes, found 5: make one with "openssl rand -base64 32"; .*$/m],
    ['x'.repeat(5_000), /expected at most 4096 bytes, found 5000$/m],
  ] as const) {
    const refused = await config([], { environment: { DATELINE_JWT_SECRET_FILE: fileWith(t, content) } })
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, says)
    assert.doesNotMatch(refused.stderr, /short|xxx/)
  }
})

it('settings of outbound connections are refused with what is wanted, and without a password', async () => {
  const rows = [
    ['--outbound-allow', '10.0.0.0/40', /^Cannot use --outbound-allow: expected host names, IP addresses and CIDR blocks .* found "10\.0\.0\.0\/40"$/m],
    ['--outbound-proxy', 'socks5://me:hunter2@p.example', /^Cannot use --outbound-proxy: expected the URL of an HTTP proxy .* found "socks5:\/\/me:\*\*\*@p\.example"$/m],
    ['--outbound-ca', ' ', /^Cannot use --outbound-ca: expected the path of a file, found none$/m],
  ] as const
  for (const [flag, value, says] of rows) {
    const { code, stderr } = await config([flag, value])
    assert.equal(code, 2)
    assert.match(stderr, says)
  }
})

for (const [name, content, says] of [
  ['a misspelt setting', '{"prt": 1}', /there is no setting "prt": did you mean "port"\?/],
  ['a file that names a file', '{"config": "x"}', /there is no setting "config"/],
  ['a name of every object', '{"__proto__": 1, "constructor": 2}', /there is no setting "/],
  ['a value out of range', '{"port": 70000}', /port in ".*": expected a whole number from 0 to 65535/],
  ['a list', '[]', /expected a JSON object, found/],
  ['half a file', '{"port": 1', /it is not JSON: /],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), /it is not JSON: /],
  ['depth without end', '['.repeat(100_000), /nested deeper than/],
  ['a file beyond all limits', ' '.repeat(2_000_000), /expected at most 1048576 bytes, found 2000000/],
] as const) {
  it(`a file with ${name} is refused in one sentence`, async (t) => {
    const { code, stdout, stderr } = await config(['--config', fileWith(t, content)])
    assert.deepEqual([code, stdout, stderr.split('\n').length], [2, '', 2], stderr)
    assert.match(stderr, says)
  })
}

it('a file that is none is refused in one sentence', async (t) => {
  const directory = join(temporaryDirectory(t), 'dir')
  mkdirSync(directory)
  for (const [path, says] of [
    ['/nowhere/dateline.json', /no such file or directory$/m],
    [directory, /it is a directory$/m],
  ] as const) {
    const { code, stderr } = await config(['--config', path])
    assert.equal(code, 2)
    assert.match(stderr, says)
  }
})

// They held up the start for good, or until the memory was full, and no signal but the last one ended it.
it('attack: a device without end or a pipe in the place of a file ends the start', { skip: ON_WINDOWS }, async (t) => {
  for (const path of ['/dev/zero', namedPipe(t)]) {
    for (const { words = [], environment = {} } of [
      { words: ['--config', path] },
      { environment: { DATELINE_JWT_SECRET_FILE: path } },
    ]) {
      const { code, stderr } = await config(words, { environment })
      assert.equal(code, 2)
      assert.match(stderr, /^Cannot use .*: expected a regular file, found a device or pipe\n$/)
    }
  }
})

it('version tells a program what it needs to know', async () => {
  const about = JSON.parse((await runCheaply(['version', '--json'])).stdout) as Record<string, unknown>
  assert.match(String(about['version']), /^\d+\.\d+\.\d+/)
  assert.ok(Number(about['schema']) >= 2)
  assert.equal(about['node'], process.versions.node)
})
