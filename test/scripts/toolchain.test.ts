// gate: sets up many clones
// isolated: it sets variables of the process
/**
 * The way from a fresh clone to a running program, with an npm of our own in PATH: it installs a small package, and
 * writes down every call. The pinned Node is a script that becomes the real one.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { PINNED_VERSION } from '../../scripts/pinned-node.mjs'
import { tarGz } from '../../scripts/release-archive.ts'
import { finish, type Finished } from '../../scripts/tools/program.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '99.0.0'
const FAKE_NPM = `#!${process.execPath}
const fs = require('node:fs')
const path = require('node:path')
const started = process.cwd()
process.chdir(path.dirname(path.dirname(process.argv[1])))
fs.appendFileSync('calls', process.argv[2] + '\\n')
if (!process.argv.includes('--ignore-scripts')) throw new Error('scripts would run')
console.log('npm talks on stdout')
if (fs.existsSync('fail-with')) {
  console.error(fs.readFileSync('fail-with', 'utf8'))
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
`
const NODE = `#!/bin/sh\nexec "${process.execPath}" "$@"\n`
const SYSTEM = `${process.platform}-${process.arch}`
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
  return tarGz([{ path: 'package/bin/node', bytes: Buffer.from(node), isExecutable: true }])
}
const PACKAGE = await packed(NODE)

function makeClone(t: Cleanup) {
  const root = temporaryDirectory(t)
  for (const folder of ['scripts', 'path', 'src/dashboard']) mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['toolchain.mjs', 'pinned-node.mjs', 'fresh-dashboard.ts']) copyFileSync(join(ROOT, 'scripts', name), join(root, 'scripts', name))
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(root, name), content)
  /** What the registry gives, and the package whose checksum stands in the repository. */
  const pin = (given: Buffer, pinned: Buffer, system = SYSTEM): void => {
    const integrity = `sha512-${createHash('sha512').update(pinned).digest('base64')}`
    const packages = { [system]: { name: 'node-test', integrity, binary: 'bin/node' } }
    write('scripts/pinned-node.json', JSON.stringify({ version: VERSION, packages }))
    write('package.tgz', given)
  }
  const writeLock = (integrity: string, more: object = {}): void =>
    write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/node': { version: VERSION, integrity }, ...more } }))
  pin(PACKAGE, PACKAGE)
  writeLock('sha512-one')
  write('path/npm', FAKE_NPM)
  chmodSync(join(root, 'path/npm'), 0o755)
  write('program.mjs', 'console.log(JSON.stringify(process.argv.slice(2))); process.exit(3)')
  const start = (args: readonly string[], options: readonly string[] = []) =>
    spawn(process.execPath, [...options, 'scripts/toolchain.mjs', ...args], {
      cwd: root,
      // Each copy of the script has another path, so the cache of this run would grow with every run.
      env: { ...process.env, PATH: `${join(root, 'path')}:${process.env['PATH'] ?? ''}`, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
  return {
    ...{ root, write, writeLock, pin, start },
    run: (args: readonly string[] = ['program.mjs']): Promise<Finished> => finish(start(args)),
    calls: () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n'),
    installed: () => readdirSync(join(root, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('bin/')).sort(),
    isLocked: () => existsSync(join(root, '.toolchain.lock')),
  }
}

it('installs what is missing once, runs the program with its arguments and exit code, and sets up again for another lock file', async (t) => {
  const clone = makeClone(t)
  const { code, stdout, stderr } = await clone.run(['program.mjs', '--port', '0', 'a b'])
  assert.deepEqual([code, stdout], [3, '["--port","0","a b"]\n'], 'stdout belongs to the program')
  assert.match(stderr, /^toolchain: installing the development packages and Node 99\.0\.0 \(once, [^\n]*\) …\n$/)
  assert.deepEqual(clone.installed(), ['.bin/node', 'node/bin/.integrity', 'node/bin/node'])
  assert.equal(clone.isLocked(), false)
  const again = await clone.run()
  assert.deepEqual([again.code, again.stderr, clone.calls()], [3, '', ['ci', 'pack']])
  clone.writeLock('sha512-two')
  await clone.run()
  assert.deepEqual(clone.calls(), ['ci', 'pack', 'ci', 'pack'])
})

it('sets up once when two start on a fresh clone, after one that died and left its lock', async (t) => {
  const clone = makeClone(t)
  clone.write('.toolchain.lock', '2147483646')
  const [first, second] = await Promise.all([clone.run(), clone.run()])
  assert.deepEqual([first.code, second.code, clone.calls()], [3, 3, ['ci', 'pack']])
})

it('says why npm failed, and gives its lock back', async (t) => {
  const clone = makeClone(t)
  clone.write('fail-with', 'npm error code ENOTFOUND')
  const { code, stdout, stderr } = await clone.run()
  assert.deepEqual([code, stdout, clone.isLocked()], [1, '', false])
  assert.match(stderr, /cannot set up: "npm ci .*" failed: the package registry cannot be reached \(ENOTFOUND\)\n$/)
})

it('attack: a Node package without the pinned checksum is refused, neither installed nor run, and not remembered', async (t) => {
  const clone = makeClone(t)
  clone.pin(await packed(`${NODE}# changed\n`), PACKAGE)
  const { code, stdout, stderr } = await clone.run()
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /node-test@99\.0\.0 is not the package that was pinned: wanted sha512-\S{88}, found sha512-/)
  assert.deepEqual(clone.installed(), [])
  clone.pin(PACKAGE, PACKAGE)
  assert.deepEqual([(await clone.run()).code, clone.calls()], [3, ['ci', 'pack', 'pack']])
})

it('attack: a Node that an npm ci by hand has brought is replaced, and never run', async (t) => {
  const clone = makeClone(t)
  await clone.run()
  rmSync(join(clone.root, 'node_modules/.toolchain-stamp'))
  rmSync(join(clone.root, 'node_modules/node/bin/.integrity'))
  clone.write('node_modules/node/bin/node', `#!/bin/sh\ntouch '${clone.root}/pwned'\n`)
  assert.deepEqual([(await clone.run()).code, clone.calls()], [3, ['ci', 'pack', 'pack']])
  assert.equal(existsSync(join(clone.root, 'pwned')), false)
})

it('attack: a package for this system that npm leaves out in silence, since its checksum is wrong, is noticed', async (t) => {
  const clone = makeClone(t)
  clone.writeLock('sha512-one', {
    'node_modules/@esbuild/this': { version: '1.0.0', integrity: 'sha512-a', optional: true, os: [process.platform] },
    'node_modules/@esbuild/other': { version: '1.0.0', integrity: 'sha512-b', optional: true, os: ['plan9'] },
  })
  const { code, stderr } = await clone.run()
  assert.equal(code, 1)
  assert.match(stderr, /npm did not install @esbuild\/this as package-lock\.json has it: .* its checksum is another\n/)
  assert.deepEqual(clone.installed(), [])
})

it('attack: a script of a package does not run for an npm ci by hand either', () => {
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T
  const { allowScripts, devDependencies } = read<{ allowScripts: object; devDependencies: { node: string } }>('package.json')
  const { packages } = read<{ packages: Record<string, { hasInstallScript?: boolean }> }>('package-lock.json')
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
  const denied = scripted.map((path) => [path.replace('node_modules/', ''), false])
  assert.deepEqual(allowScripts, Object.fromEntries(denied), 'npm from 11.16 on')
  assert.match(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m, 'npm before that')
  assert.equal(devDependencies.node, PINNED_VERSION)
})

it('says so where there is no pinned Node for this system', async (t) => {
  const clone = makeClone(t)
  clone.pin(PACKAGE, PACKAGE, 'plan9-mips')
  const { code, stderr } = await clone.run()
  assert.equal(code, 1)
  assert.match(stderr, /there is no pinned Node for \S+: install Node 99\.0\.0, and run this with it/)
})

it('the dashboard is built for the service when a source of it changed, and the service starts also where that fails', async (t) => {
  const clone = makeClone(t)
  const main = (command: string) => clone.run(['--import', './scripts/fresh-dashboard.ts', 'src/main.ts', command])
  for (const [name, text] of Object.entries({ 'scripts/build-dashboard.ts': BUILDER, 'src/dashboard/page.ts': '', 'src/main.ts': 'process.exit(3)' })) clone.write(name, text)
  const builds = (): number => clone.calls().filter((call) => call === 'dashboard').length
  await main('version')
  assert.equal(builds(), 0)
  const { code, stdout } = await main('serve')
  assert.deepEqual([code, stdout, builds()], [3, '', 1])
  await main('serve')
  assert.equal(builds(), 1)
  rmSync(join(clone.root, 'src/dashboard/page.ts'))
  clone.write('fail-with', '')
  const failed = await main('serve')
  assert.deepEqual([failed.code, failed.stdout, builds()], [3, '', 2])
  assert.match(failed.stderr, /a mistake in the page[^]*the dashboard stays as it was/)
})

it('passes signals on where this Node cannot become the pinned one', async (t) => {
  const clone = makeClone(t)
  clone.write('serve.mjs', "process.once('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up')")
  const child = clone.start(['serve.mjs'], ['--import', 'data:text/javascript,process.execve=undefined'])
  child.stdout.once('data', () => child.kill('SIGTERM'))
  assert.deepEqual(await finish(child).then(({ code, stdout }) => [code, stdout]), [7, 'up\n'])
})
