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
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { tarGz } from '../../scripts/release-archive.ts'

const VERSION = '99.0.0'
/** Takes away what lets a process become another, as in older versions of node. */
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
  it('installs what is missing, then runs the program with its arguments and its exit code', async () => {
    using clone = new Clone()
    const { code, stdout, stderr } = await clone.run(['program.mjs', '--port', '0', 'a b'])
    assert.equal(code, 3)
    assert.equal(stdout, '["--port","0","a b"]\n', 'stdout belongs to the program')
    assert.deepEqual(clone.calls, ['ci', PACK])
    assert.match(stderr, /^toolchain: installing the development packages and Node 99\.0\.0 \(once, [^\n]*\) …\n$/)
    assert.ok(existsSync(join(clone.root, 'node_modules/.bin/node')), 'the pinned Node is where npm would put it')
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
  })

  it('does nothing the second time, and sets up again when the lock file changes', async () => {
    using clone = new Clone()
    await clone.run()
    const { code, stderr } = await clone.run()
    assert.equal(code, 3)
    assert.equal(stderr, '')
    clone.writeLock('sha512-two')
    await clone.run()
    assert.deepEqual(clone.calls, ['ci', PACK, 'ci', PACK])
  })

  it('takes packages that were installed by hand, and fetches only the Node', async () => {
    using clone = new Clone()
    await clone.run()
    rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
    rmSync(join(clone.root, 'node_modules/node/bin'), { recursive: true })
    const { code, stderr } = await clone.run()
    assert.equal(code, 3)
    assert.match(stderr, /^toolchain: installing Node 99\.0\.0 \(once, [^\n]*\) …\n$/)
    assert.deepEqual(clone.calls, ['ci', PACK, PACK])
  })

  it('sets up once when two start at once on a fresh clone', async () => {
    using clone = new Clone()
    clone.write('hold', '')
    const first = clone.start()
    await clone.called('ci')
    const second = clone.start()
    await second.prints('stderr', 'another process is setting up')
    rmSync(join(clone.root, 'hold'))
    assert.deepEqual([(await first.ended).code, (await second.ended).code], [3, 3])
    assert.deepEqual(clone.calls, ['ci', PACK])
  })

  it('takes over from a process that died', async () => {
    using clone = new Clone()
    clone.write('.toolchain.lock', `${hostname()} 2147483646`)
    assert.equal((await clone.run()).code, 3)
  })

  it('gives its lock back when it is stopped', async () => {
    using clone = new Clone()
    clone.write('hold', '')
    const first = clone.start()
    await clone.called('ci')
    first.child.kill('SIGTERM')
    assert.equal((await first.ended).code, 143, 'npm, which is held up for ever, was stopped too')
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
  })

  for (const [name, said, told] of [
    [
      'no network',
      'npm error code ENOTFOUND\nnpm error syscall getaddrinfo',
      /registry cannot be reached \(ENOTFOUND\); the first start needs a network/,
    ],
    [
      'another reason',
      'npm error code EUSAGE\nnpm error the lock file is out of step',
      /failed: npm error the lock file is out of step/,
    ],
    ['no reason', 'oh', /failed: it ended with 1/],
  ] as const) {
    it(`says so when npm fails for ${name}`, async () => {
      using clone = new Clone()
      clone.write('fail-with', said)
      const { code, stdout, stderr } = await clone.run()
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, told)
      assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
    })
  }

  // npm was told to be silent, and so the message was that it ended with 1.
  it('says why where only the Node cannot be fetched', async () => {
    using clone = new Clone()
    await clone.run()
    rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
    rmSync(join(clone.root, 'node_modules/node/bin'), { recursive: true })
    clone.write('fail-with', 'npm error code ENOTFOUND')
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /"npm pack .* failed: the package registry cannot be reached \(ENOTFOUND\)/)
    assert.deepEqual(clone.calls, ['ci', PACK, PACK])
  })

  it('says so where the Node cannot be written', async () => {
    using clone = new Clone()
    await clone.run()
    rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
    rmSync(join(clone.root, 'node_modules/node/bin'), { recursive: true })
    clone.write('node_modules/node/bin', 'a file')
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /^toolchain: cannot set up: EEXIST: .*bin'\n$/m)
    assert.doesNotMatch(stderr, /\n {4}at /)
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
  })

  it('says so when the Node it got is another one', async () => {
    using clone = new Clone()
    const other = await packed(nodeThatSays('1.2.3'))
    clone.pin(other, other)
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /cannot run the pinned Node for .*: wanted version 99\.0\.0, found 1\.2\.3/)
    assert.deepEqual(clone.installed, [])
  })

  // The package was installed by its name: whatever a registry, a mirror or a cache gave was run.
  describe('attack: a Node package that is not the pinned one', () => {
    for (const [name, forged] of [
      ['another Node that says the right version', () => packed(`${nodeThatSays(VERSION)}# changed\n`)],
      ['one byte more', async () => Buffer.concat([NODE, Buffer.alloc(1)])],
      ['nothing', async () => Buffer.alloc(0)],
      ['a page of a proxy', async () => Buffer.from('<html>Please sign in</html>')],
    ] as const) {
      it(`${name} is refused, and nothing of it is installed or run`, async () => {
        using clone = new Clone()
        clone.pin(await forged(), NODE)
        const { code, stdout, stderr } = await clone.run()
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /node-test@99\.0\.0 is not the package that was pinned: wanted sha512-\S{88}, found sha512-/)
        assert.match(stderr, /nothing was installed\. .*npm config get registry.*npm cache clean --force/)
        assert.deepEqual(clone.installed, [])
        assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
      })
    }

    it('is not remembered: the true one is taken the next time', async () => {
      using clone = new Clone()
      clone.pin(Buffer.alloc(9), NODE)
      assert.equal((await clone.run()).code, 1)
      clone.pin(NODE, NODE)
      assert.equal((await clone.run()).code, 3)
      assert.deepEqual(clone.calls, ['ci', PACK, PACK])
    })

    it('is replaced where an install by hand has brought one', async () => {
      using clone = new Clone()
      await clone.run()
      rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
      rmSync(join(clone.root, 'node_modules/node/bin/.integrity'))
      mkdirSync(join(clone.root, 'node_modules/.node-killed'))
      const theirs = `#!/bin/sh\ntouch '${clone.root}/pwned'\necho v${VERSION}\n`
      clone.write('node_modules/node/bin/node', theirs)
      assert.equal((await clone.run()).code, 3)
      assert.deepEqual(clone.calls, ['ci', PACK, PACK])
      assert.equal(existsSync(join(clone.root, 'pwned')), false)
      assert.deepEqual(clone.installed, ['.bin/node', 'node/bin/.integrity', 'node/bin/node'])
    })

    it('is fetched again when the sum in the repository changes', async () => {
      using clone = new Clone()
      await clone.run()
      const next = await packed(`${nodeThatSays(VERSION)}# another build\n`)
      clone.pin(next, next)
      assert.equal((await clone.run()).code, 3)
      assert.deepEqual(clone.calls, ['ci', PACK, PACK])
    })
  })

  it('attack: a package for this system that npm leaves out in silence, since its checksum is wrong, is noticed', async () => {
    using clone = new Clone()
    clone.writeLock('sha512-one', {
      'node_modules/@esbuild/this': { version: '1.0.0', integrity: 'sha512-a', optional: true, os: [process.platform] },
      'node_modules/@esbuild/other': { version: '1.0.0', integrity: 'sha512-b', optional: true, os: ['plan9'] },
    })
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await clone.run()
      assert.equal(code, 1)
      assert.match(stderr, /npm did not install @esbuild\/this as package-lock\.json has it: .* its checksum is another\n/)
    }
    assert.deepEqual(clone.calls, ['ci', 'ci'])
    assert.deepEqual(clone.installed, [])
  })

  it('attack: a script of a package does not run for an npm ci by hand either', () => {
    const root = join(import.meta.dirname, '../..')
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { allowScripts: object }
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>
    }
    const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
    const denied = scripted.map((path) => [path.replace('node_modules/', ''), false])
    assert.deepEqual(allowScripts, Object.fromEntries(denied), 'npm from 11.16 on')
    assert.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m, 'npm before that')
  })

  it('says so where there is no pinned Node for this system, or for another version', async () => {
    using clone = new Clone()
    clone.pin(NODE, NODE, 'plan9-mips')
    const { code, stderr } = await clone.run()
    assert.equal(code, 1)
    assert.match(stderr, /there is no pinned Node for \S+: install Node 99\.0\.0, and run this with it/)
    clone.write('package.json', JSON.stringify({ devDependencies: { node: process.versions.node } }))
    assert.equal((await clone.run()).code, 3, 'one of the right version counts then')
    clone.pin(NODE, NODE)
    const other = await clone.run()
    assert.equal(other.code, 1)
    assert.match(other.stderr, /pinned-node\.json has the sums of Node 99\.0\.0, package\.json wants /)
  })

  it('builds the dashboard once for the service, and again whenever a source of it changed', async () => {
    using clone = new Clone().withDashboard()
    const args = ['src/main.ts', 'serve', '--port', '0']
    const { code, stdout } = await clone.run(args)
    assert.deepEqual([code, stdout, clone.builds], [3, '', 1])
    const again = await clone.run(args)
    assert.deepEqual([again.code, again.stderr, clone.builds], [3, '', 1])
    for (const [i, change] of [
      () => clone.write('src/dashboard/page.ts', '1'),
      () => clone.write('src/dashboard/view/new.ts', ''),
      () => clone.write('data/texts/en.json', '{}'),
      () => rmSync(join(clone.root, 'src/dashboard/view/table.ts')),
      () => rmSync(join(clone.root, 'dist'), { recursive: true }),
    ].entries()) {
      change()
      assert.equal((await clone.run(args)).code, 3)
      assert.equal(clone.builds, i + 2, String(change))
    }
  })

  it('takes one line for all that a first run of the service brings', async () => {
    using clone = new Clone().withDashboard()
    const { stderr } = await clone.run(['src/main.ts', 'serve'])
    assert.match(stderr, /^toolchain: installing the development packages and Node [^\n]*, then building the dashboard …\n$/)
    assert.equal(clone.builds, 1)
  })

  it('builds the dashboard for the tests, and not for other commands', async () => {
    using clone = new Clone().withDashboard()
    for (const args of [
      ['src/main.ts', 'version'],
      ['program.mjs', 'serve'],
    ])
      await clone.run(args)
    assert.equal(clone.builds, 0)
    await clone.run(['scripts/check.ts'])
    assert.equal(clone.builds, 1)
  })

  it('builds the dashboard once when two start at once', async () => {
    using clone = new Clone().withDashboard()
    await clone.run()
    const both = [clone.start(['src/main.ts', 'serve']), clone.start(['src/main.ts', 'serve'])]
    assert.deepEqual(
      (await Promise.all(both.map(({ ended }) => ended))).map(({ code }) => code),
      [3, 3],
    )
    assert.equal(clone.builds, 1)
  })

  it('runs the service all the same when the dashboard cannot be built', async () => {
    using clone = new Clone().withDashboard()
    await clone.run()
    clone.write('fail-with', '')
    const { code, stdout, stderr } = await clone.run(['src/main.ts', 'serve'])
    assert.deepEqual([code, stdout], [3, ''])
    assert.match(stderr, /a mistake in the page/)
    assert.match(stderr, /the dashboard stays as it was/)
    assert.equal(existsSync(join(clone.root, '.toolchain.lock')), false)
  })

  for (const [name, options] of [
    ['becomes the pinned Node', []],
    ['runs it as a child', WITHOUT_EXECVE],
  ] as const) {
    it(`passes signals on where it ${name}`, async () => {
      using clone = new Clone()
      clone.write(
        'serve.mjs',
        "process.once('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up')",
      )
      const service = clone.start(['serve.mjs'], options)
      await service.prints('stdout', 'up')
      service.child.kill('SIGTERM')
      assert.equal((await service.ended).code, 7)
    })

    it(`ends as the program ends where it ${name}`, async () => {
      using clone = new Clone()
      clone.write('die.mjs', "process.kill(process.pid, 'SIGKILL')")
      const { code, signal } = await clone.run(['die.mjs'], options)
      assert.ok(code === 137 || signal === 'SIGKILL', `${code} ${signal}`)
      assert.equal((await clone.run(['program.mjs'], options)).code, 3)
    })
  }
})
