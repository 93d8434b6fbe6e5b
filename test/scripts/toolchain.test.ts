/**
 * The way from a fresh clone to a running program, with an npm of our own in PATH: it installs two small packages, and
 * writes down every call. The pinned Node is a script that says it is version 99 and then becomes the real one.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PINNED_VERSION } from '../../scripts/pinned-node.mjs'
import { tarGz } from '../../scripts/release-archive.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '99.0.0'
/** Takes away what lets a process become another, as in older versions of Node. */
const WITHOUT_EXECVE = ['--import', 'data:text/javascript,process.execve=undefined']

const FAKE_NPM = `#!${process.execPath}
const fs = require('node:fs')
const path = require('node:path')
const started = process.cwd()
process.chdir(path.dirname(path.dirname(process.argv[1])))
fs.appendFileSync('calls', process.argv.slice(2, 4).join(' ').replace(' --ignore-scripts', '') + '\\n')
if (!process.argv.includes('--ignore-scripts')) throw new Error('scripts would run')
console.log('npm talks on stdout')
if (fs.existsSync('fail-with')) {
  if (!process.argv.includes('--silent')) console.error(fs.readFileSync('fail-with', 'utf8'))
  process.exit(1)
}
if (process.argv[2] === 'pack') {
  fs.copyFileSync('package.tgz', path.join(started, 'node-test-99.0.0.tgz'))
  process.exit()
}
fs.rmSync('node_modules', { recursive: true, force: true })
fs.mkdirSync('node_modules/node', { recursive: true })
fs.mkdirSync('node_modules/.bin')
const { packages } = JSON.parse(fs.readFileSync('package-lock.json'))
for (const name of Object.keys(packages)) if (name === '' || packages[name].optional) delete packages[name]
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
fs.writeFileSync('node_modules/node/installArchSpecificPackage.js', 'throw new Error("a script of a package runs")')
const wait = () => { if (fs.existsSync('hold')) setTimeout(wait, 5) }
wait()
`
/** Stands for Node: says its version, and is otherwise the real one. */
const nodeThatSays = (version: string): string =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo v${version}; exit; fi\nexec "${process.execPath}" "$@"\n`
const SYSTEM = `${process.platform}-${process.arch}`
const PACK = 'pack node-test@99.0.0'

/** Stands for the build of the dashboard; the pinned Node takes away its types. */
const BUILDER = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('calls', 'dashboard\\n')
console.log('the builder talks on stdout' as string)
if (existsSync('fail-with')) throw new Error('a mistake in the page')
mkdirSync('dist/dashboard', { recursive: true })
writeFileSync('dist/dashboard/page-assets.bin', '')
`

function packed(node: string): Promise<Buffer> {
  const files = [{ path: 'package/bin/node', bytes: Buffer.from(node), isExecutable: true }]
  return tarGz([...files, { path: 'package/package.json', bytes: Buffer.from('{}') }])
}
const NODE = await packed(nodeThatSays(VERSION))

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

class Clone implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'toolchain-'))

  constructor() {
    for (const folder of ['scripts', 'path']) mkdirSync(join(this.root, folder))
    for (const name of ['toolchain.mjs', 'pinned-node.mjs']) {
      copyFileSync(join(import.meta.dirname, '../../scripts', name), join(this.root, 'scripts', name))
    }
    this.write('package.json', JSON.stringify({ devDependencies: { node: VERSION } }))
    this.writeLock('sha512-one')
    this.write('path/npm', FAKE_NPM)
    chmodSync(join(this.root, 'path/npm'), 0o755)
    this.pin(NODE, NODE)
    this.write('program.mjs', 'console.log(JSON.stringify(process.argv.slice(2))); process.exit(3)')
  }

  write(name: string, content: string | Buffer): void {
    writeFileSync(join(this.root, name), content)
  }

  /** What the registry gives, and the package whose sum stands in the repository. */
  pin(given: Buffer, pinned: Buffer, system = SYSTEM): void {
    const integrity = `sha512-${createHash('sha512').update(pinned).digest('base64')}`
    const packages = { [system]: { name: 'node-test', integrity, binary: 'bin/node' } }
    this.write('scripts/pinned-node.json', JSON.stringify({ version: VERSION, packages }))
    this.write('package.tgz', given)
  }

  get installed(): readonly string[] {
    return readdirSync(join(this.root, 'node_modules'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('bin/') || name.startsWith('.node-'))
      .sort()
  }

  writeLock(integrity: string, more: object = {}): void {
    const packages = { '': {}, 'node_modules/node': { version: VERSION, integrity }, ...more }
    this.write('package-lock.json', JSON.stringify({ packages }))
  }

  /** A program with pages, which were never built. */
  withDashboard(): this {
    for (const folder of ['src/dashboard/view', 'src/models', 'data/texts']) mkdirSync(join(this.root, folder), { recursive: true })
    this.write('scripts/build-dashboard.ts', BUILDER)
    this.write('src/dashboard/page.ts', '')
    this.write('src/dashboard/view/table.ts', '')
    this.write('src/models/topic.ts', '')
    for (const program of ['src/main.ts', 'scripts/check.ts']) this.write(program, 'process.exit(3)')
    return this
  }

  get builds(): number {
    return this.calls.filter((call) => call === 'dashboard').length
  }

  get calls(): readonly string[] {
    const file = join(this.root, 'calls')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Resolves when npm was started with this, as it notes before it does anything. */
  async called(call: string): Promise<void> {
    while (!this.calls.includes(call)) await pause(5)
  }

  start(args: readonly string[] = ['program.mjs'], options: readonly string[] = []) {
    const child = spawn(process.execPath, [...options, 'scripts/toolchain.mjs', ...args], {
      cwd: this.root,
      env: {
        ...process.env,
        PATH: `${join(this.root, 'path')}:${process.env['PATH'] ?? ''}`,
        // Each copy of the script has another path, so the cache of this run would grow with every run.
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const printed = { stdout: '', stderr: '' }
    const waiting: { stream: keyof typeof printed; text: string; resolve: () => void }[] = []
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (chunk: string) => {
        printed[stream] += chunk
        for (const one of waiting) if (printed[one.stream].includes(one.text)) one.resolve()
      })
    }
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, ...printed })),
    )
    return {
      child,
      ended,
      prints: async (stream: keyof typeof printed, text: string): Promise<void> => {
        if (printed[stream].includes(text)) return
        await new Promise<void>((resolve) => waiting.push({ stream, text, resolve }))
      },
    }
  }

  async run(args?: readonly string[], options?: readonly string[]): Promise<Ended> {
    return await this.start(args, options).ended
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

describe('toolchain', { timeout: 110_000 }, () => {
  it('installs what is missing once, runs the program with its arguments and exit code, and sets up again for another lock file', async () => {
    using clone = new Clone()
    const { code, stdout, stderr } = await clone.run(['program.mjs', '--port', '0', 'a b'])
    assert.equal(code, 3)
    assert.equal(stdout, '["--port","0","a b"]\n', 'stdout belongs to the program')
    assert.deepEqual(clone.calls, ['ci', PACK])
    assert.match(stderr, /^toolchain: installing the development packages and Node 99\.0\.0 \(once, [^\n]*\) …\n$/)
    assert.deepEqual(clone.installed, ['.bin/node', 'node/bin/.integrity', 'node/bin/node'])
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
    const again = await clone.run()
    assert.deepEqual([again.code, again.stderr], [3, ''])
    clone.writeLock('sha512-two')
    await clone.run()
    assert.deepEqual(clone.calls, ['ci', PACK, 'ci', PACK])
  })

  it('sets up once when two start on a fresh clone, after one that died and left its lock', async () => {
    using clone = new Clone()
    clone.write('.toolchain.lock', '2147483646')
    clone.write('hold', '')
    const first = clone.start()
    await clone.called('ci')
    const second = clone.start()
    await second.prints('stderr', 'another process is setting up')
    rmSync(join(clone.root, 'hold'))
    assert.deepEqual([(await first.ended).code, (await second.ended).code], [3, 3])
    assert.deepEqual(clone.calls, ['ci', PACK])
  })

  it('says why npm failed, and gives its lock back', async () => {
    using clone = new Clone()
    clone.write('fail-with', 'npm error code ENOTFOUND')
    const { code, stdout, stderr } = await clone.run()
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /cannot set up: "npm ci .*" failed: the package registry cannot be reached \(ENOTFOUND\)\n$/)
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
  })

  it('attack: a Node package without the pinned checksum is refused, neither installed nor run, and not remembered', async () => {
    using clone = new Clone()
    clone.pin(await packed(`${nodeThatSays(VERSION)}# changed\n`), NODE)
    const { code, stdout, stderr } = await clone.run()
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /node-test@99\.0\.0 is not the package that was pinned: wanted sha512-\S{88}, found sha512-/)
    assert.deepEqual(clone.installed, [])
    clone.pin(NODE, NODE)
    assert.equal((await clone.run()).code, 3)
    assert.deepEqual(clone.calls, ['ci', PACK, PACK])
  })

  it('attack: a Node that an npm ci by hand has brought is replaced, and never run', async () => {
    using clone = new Clone()
    await clone.run()
    rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
    rmSync(join(clone.root, 'node_modules/node/bin/.integrity'))
    clone.write('node_modules/node/bin/node', `#!/bin/sh\ntouch '${clone.root}/pwned'\n`)
    assert.equal((await clone.run()).code, 3)
    assert.deepEqual(clone.calls, ['ci', PACK, PACK])
    assert.equal(existsSync(join(clone.root, 'pwned')), false)
  })

  it('attack: a package for this system that npm leaves out in silence, since its checksum is wrong, is noticed', async () => {
    using clone = new Clone()
    clone.writeLock('sha512-one', {
      'node_modules/@esbuild/this': { version: '1.0.0', integrity: 'sha512-a', optional: true, os: [process.platform] },
      'node_modules/@esbuild/other': { version: '1.0.0', integrity: 'sha512-b', optional: true, os: ['plan9'] },
    })
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /npm did not install @esbuild\/this as package-lock\.json has it: .* its checksum is another\n/)
    assert.deepEqual(clone.installed, [])
  })

  it('attack: a script of a package does not run for an npm ci by hand either', () => {
    const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T
    const { allowScripts } = read<{ allowScripts: object }>('package.json')
    const { packages } = read<{ packages: Record<string, { hasInstallScript?: boolean }> }>('package-lock.json')
    const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
    const denied = scripted.map((path) => [path.replace('node_modules/', ''), false])
    assert.deepEqual(allowScripts, Object.fromEntries(denied), 'npm from 11.16 on')
    assert.match(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m, 'npm before that')
  })

  it('pinned-node.json has the version of package.json, and where it lacks this system, a Node of that version counts', async () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { devDependencies: { node: string } }
    assert.equal(devDependencies.node, PINNED_VERSION)
    using clone = new Clone()
    clone.pin(NODE, NODE, 'plan9-mips')
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /there is no pinned Node for \S+: install Node 99\.0\.0, and run this with it/)
  })

  it('builds the dashboard for the service when a source of it changed, and starts it also where that fails', async () => {
    using clone = new Clone().withDashboard()
    const args = ['src/main.ts', 'serve', '--port', '0']
    await clone.run(['src/main.ts', 'version'])
    assert.equal(clone.builds, 0)
    const { code, stdout } = await clone.run(args)
    assert.deepEqual([code, stdout, clone.builds], [3, '', 1])
    await clone.run(args)
    assert.equal(clone.builds, 1)
    rmSync(join(clone.root, 'src/dashboard/view/table.ts'))
    clone.write('fail-with', '')
    const failed = await clone.run(args)
    assert.deepEqual([failed.code, failed.stdout, clone.builds], [3, '', 2])
    assert.match(failed.stderr, /a mistake in the page[^]*the dashboard stays as it was/)
  })

  for (const [name, options] of [
    ['becomes the pinned Node', []],
    ['runs it as a child', WITHOUT_EXECVE],
  ] as const) {
    it(`passes signals on where it ${name}`, async () => {
      using clone = new Clone()
      clone.write('serve.mjs', "process.once('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up')")
      const service = clone.start(['serve.mjs'], options)
      await service.prints('stdout', 'up')
      service.child.kill('SIGTERM')
      assert.equal((await service.ended).code, 7)
    })
  }
})
