// gate: runs every example
/** The examples as they are given away, each run against the program and left without a trace of it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '../src/config/read-config.ts'
import { EXAMPLES as EXAMPLES_OF_COMMAND } from '../src/guides/examples.ts'
import { codeBlocks, DOCUMENTS } from './support/service/documented-commands.ts'
import { runCheaply } from './support/service/in-process.ts'
import { cleanEnvironment, COMMAND, finish } from '../scripts/tools/program.ts'
import { temporaryDirectory } from '../scripts/tools/temporary-directory.ts'

const EXAMPLES = join(import.meta.dirname, '../examples')
const ON_WINDOWS = process.platform === 'win32'

function lacks(program: string, ...words: readonly string[]): string | false {
  return spawnSync(program, words).status === 0 ? false : `there is no ${program}`
}

const ROWS = [
  {
    file: 'embed.mjs',
    command: process.execPath,
    lacking: false,
    output: '1 topic, Harbours, as created\nended with 0\n',
  },
  {
    file: 'embed.py',
    command: 'python3',
    lacking: lacks('python3', '--version'),
    output: '1 topic, Harbours, as created\nended with 0\n',
  },
  {
    file: 'embed.sh',
    command: 'sh',
    lacking: lacks('curl', '--fail-with-body', '--version'),
    output: '"name":"Harbours"\nended with 0\n',
  },
] as const

describe('the example', { skip: ON_WINDOWS }, () => {
  for (const { file, command, lacking, output } of ROWS) {
    const run = async (program: string, data: string) => {
      const child = spawn(command, [join(EXAMPLES, file), program, data], {
        env: cleanEnvironment({ http_proxy: 'http://127.0.0.1:1' }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return finish(child)
    }

    it(`${file} starts the service, calls it as its administrator, and stops it`, { skip: lacking }, async (t) => {
      const directory = temporaryDirectory(t)
      const [program, data] = [join(directory, 'dateline'), join(directory, 'da ta')]
      writeFileSync(program, `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`)
      chmodSync(program, 0o700)
      const { code, stdout, stderr } = await run(program, data)
      assert.deepEqual([code, stdout], [0, output], stderr)
      assert.match(stderr, /"event":"stopped"/)
      assert.equal(existsSync(join(data, 'token')), false)
      assert.deepEqual(
        readdirSync(data).filter((name) => name.startsWith('ready')),
        [],
      )
    })

    it(`${file} fails where the service does`, { skip: lacking }, async (t) => {
      const directory = temporaryDirectory(t)
      const program = join(directory, 'dateline')
      writeFileSync(program, '#!/bin/sh\necho "it cannot be" >&2\nexit 1\n')
      chmodSync(program, 0o700)
      const { code, stdout, stderr } = await run(program, join(directory, 'data'))
      assert.deepEqual([code, stdout, stderr], [1, '', 'it cannot be\n'])
    })
  }

  it('is linked from the guide on embedding', () => {
    const guide = DOCUMENTS.get('data/guides/embedding.md') ?? ''
    const files = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isFile())
    assert.deepEqual(files.map(({ name }) => name).sort(), ROWS.map(({ file }) => file).sort())
    for (const { file } of ROWS) assert.ok(guide.includes(`](../../examples/${file})`), file)
  })
})

describe('the files of the machine', () => {
  const read = (name: string): string => readFileSync(join(EXAMPLES, 'machine', name), 'utf8')

  it('are those that the command prints, with those for containers', async () => {
    const files = ['machine', 'container'].flatMap((folder) => readdirSync(join(EXAMPLES, folder)).map((name) => `${folder}/${name}`))
    assert.deepEqual(EXAMPLES_OF_COMMAND.map(({ file }) => file).sort(), files.sort())
    const { stdout } = await runCheaply(['example'])
    for (const { name, file } of EXAMPLES_OF_COMMAND) {
      assert.match(stdout, new RegExp(`^${name} `, 'm'))
      const { code, stdout: printed, stderr } = await runCheaply(['example', name])
      assert.deepEqual([code, printed, stderr], [0, readFileSync(join(EXAMPLES, file), 'utf8'), ''])
    }
    const unknown = await runCheaply(['example', 'system'])
    assert.deepEqual([unknown.code, unknown.stderr], [2, 'Unknown example "system": did you mean "systemd"?\n'])
    assert.equal((await runCheaply(['example', 'systemd', 'nginx'])).code, 2)
  })

  it('the units are sound for systemd, and so is the drop-in of the guide on mail', { skip: lacks('systemd-analyze', '--version') }, (t) => {
    const directory = temporaryDirectory(t)
    assert.match(read('dateline.service'), /^ExecStart=\/usr\/local\/bin\/dateline serve /m)
    const files = [
      ['dateline.service', read('dateline.service').replace('/usr/local/bin/dateline', '/bin/sh')],
      ['dateline.socket', read('dateline.socket')],
    ] as const
    for (const [name, text] of files) writeFileSync(join(directory, name), text)
    const [dropIn = ''] = codeBlocks(DOCUMENTS.get('data/guides/mail.md') ?? '', 'ini')
    assert.match(dropIn, /^NoNewPrivileges=no$/m)
    mkdirSync(join(directory, 'dateline.service.d'))
    writeFileSync(join(directory, 'dateline.service.d', 'sendmail.conf'), dropIn)
    const verified = spawnSync('systemd-analyze', ['verify', ...files.map(([name]) => join(directory, name))])
    assert.deepEqual([verified.status, verified.stderr.toString()], [0, ''])
  })

  it('the settings are those of the unit and trust a proxy that sends the address of its client alone', () => {
    const settings = readConfig(new Map([['config', join(EXAMPLES, 'machine/dateline.json')]]), {})
    assert.ok(read('dateline.service').includes(` --data-dir ${settings.dataDir}\n`))
    for (const name of ['nginx.conf', 'Caddyfile']) {
      assert.ok(settings.allowedHosts.every((host) => read(name).includes(host)), name)
      assert.ok(read(name).includes(`127.0.0.1:${settings.port}`), name)
    }
    assert.match(read('nginx.conf'), /X-Forwarded-For \$remote_addr;/)
  })
})
