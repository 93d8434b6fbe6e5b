/**
 * Brings the pinned Node and the packages that a fresh clone lacks, then hands over to that Node.
 *
 *   node scripts/toolchain.mjs [options of node] <file.ts> [arguments…]
 *
 * Any Node from 18 on may run this file, so it is plain JavaScript. When all is there it costs a few milliseconds: one
 * comparison of package-lock.json with the copy kept beside the installed packages.
 *
 * Everything that is installed has a checksum in this repository: packages in package-lock.json, which npm compares, and
 * Node in pinned-node.json. No script of a package runs. Everything it says goes to stderr, since stdout belongs to the
 * program it starts.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const LOCK_POLL_MS = 100

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.toolchain-stamp')
const lockFile = join(root, '.toolchain.lock')
/** Where Node keeps our sources without their types: a service that finds them there takes 20 MiB less, of each thread 10. */
const compileCache = join(modules, '.cache', 'compiled')
const bundledNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
/** Says that the Node beside it came from the package with this checksum. */
const sumFile = join(modules, 'node', 'bin', '.integrity')
const pinnedNodes = readFileSync(join(root, 'scripts', 'pinned-node.json'), 'utf8')
const pinnedVersion = JSON.parse(pinnedNodes).version
const system = `${process.platform}-${process.arch}`
const packageLock = readFileSync(join(root, 'package-lock.json'), 'utf8')
/** Packages for another machine are of no use, as when a directory is shared with a container. */
const stamp = `${system}\n${pinnedNodes}\n${packageLock}`

try {
  if (!isReady()) await setUpOnce()
} catch (error) {
  process.stderr.write(`toolchain: cannot set up: ${error.message}\n`)
  process.exit(1)
}
handOver(process.argv.slice(2))

/** Whether the last set-up was for this lock file, and its Node is still there. */
function isReady() {
  return readIfThere(stampFile) === stamp && existsSync(pinnedNode())
}

/** The Node of the repository's checksum. Only where there is none for this system, one of the right version counts. */
function pinnedNode() {
  const isPinned = Object.hasOwn(JSON.parse(pinnedNodes).packages, system)
  return !isPinned && process.versions.node === pinnedVersion ? process.execPath : bundledNode
}

async function setUp() {
  say(`installing the development packages and Node ${pinnedVersion} (once, and after every change of package-lock.json) …`)
  if (missingPackages().length > 0) {
    run('npm', ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'], root)
    // Of an optional package, as the compiler of one system, npm says nothing where its checksum is wrong.
    const missing = missingPackages()
    if (missing.length > 0) {
      throw new Error(
        `npm did not install ${missing.join(', ')} as package-lock.json has it: it cannot be fetched, or its checksum is another`,
      )
    }
  }
  if (pinnedNode() === bundledNode) await bringNode()
  writeFileSync(stampFile, stamp)
}

/** Puts the pinned Node into node_modules, where npm's package `node` would. Nothing is left there where that fails. */
async function bringNode() {
  const { filesOfPackage, packageFor, packArguments } = await import('./pinned-node.mjs')
  const wanted = packageFor(system)
  if (wanted === undefined) throw new Error(`there is no pinned Node for ${system}: install Node ${pinnedVersion}, and run this with it`)
  if (readIfThere(sumFile) !== wanted.integrity || !existsSync(bundledNode)) {
    // What a process that was killed has left: the lock is ours.
    for (const left of readdirSync(modules).filter((name) => name.startsWith('.node-'))) rmSync(join(modules, left), { recursive: true })
    const draft = mkdtempSync(join(modules, '.node-'))
    try {
      run('npm', packArguments(wanted), draft)
      const [archive = ''] = readdirSync(draft).filter((name) => name.endsWith('.tgz'))
      const node = join(draft, 'node')
      writeFileSync(node, filesOfPackage(wanted, readFileSync(join(draft, archive))).get(wanted.binary))
      chmodSync(node, 0o755)
      mkdirSync(dirname(bundledNode), { recursive: true })
      rmSync(sumFile, { force: true })
      renameSync(node, bundledNode)
      writeFileSync(sumFile, wanted.integrity)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  // npm makes this link only where the package brings its file. Through it `npm start` begins on the pinned Node.
  const link = join(modules, '.bin', 'node')
  if (process.platform !== 'win32' && !existsSync(link)) {
    rmSync(link, { force: true })
    symlinkSync(join('..', 'node', 'bin', 'node'), link)
  }
}

/** The packages of the lock file that npm does not say it installed, as it does also after an `npm ci` by hand. */
function missingPackages() {
  const installed = JSON.parse(readIfThere(join(modules, '.package-lock.json')) ?? '{"packages":{}}').packages
  const isForThisMachine = ({ os, cpu }) => (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true)
  const isThere = ([path, wanted]) => {
    const found = installed[path]
    if (found === undefined) return wanted.optional === true && !isForThisMachine(wanted)
    return found.version === wanted.version && found.integrity === wanted.integrity && existsSync(join(root, path))
  }
  const packages = Object.entries(JSON.parse(packageLock).packages).filter(([path]) => path !== '')
  return packages.filter((entry) => !isThere(entry)).map(([path]) => path.replace(/^.*node_modules\//, ''))
}

/** Runs a command to its end. Where it fails, shows what it printed and throws. */
function run(command, args, cwd) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    // Of a failure, the causes that npm prints are wanted, also where the user silences npm.
    env: { ...process.env, PATH: foreignPath(), npm_config_loglevel: 'notice' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32', // It is a batch file there.
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  const network = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/.exec(stderr ?? '')
  const cause =
    network === null ? (error?.message ?? signal ?? `exit code ${status}`) : `the package registry cannot be reached (${network[0]})`
  throw new Error(`"${[command, ...args].join(' ')}" failed: ${cause}`)
}

/** `npm start` puts node_modules/.bin first in PATH; npm must not run on the Node that it is about to delete. */
function foreignPath() {
  const entries = (process.env.PATH ?? '').split(delimiter)
  return entries.filter((entry) => resolve(entry) !== join(modules, '.bin')).join(delimiter)
}

/** Sets up in one process at a time. The lock of a process that is gone is taken over. */
async function setUpOnce() {
  for (let isFirst = true; !tryLock(); isFirst = false) {
    if (isFirst) say('another process is setting up, waiting for it (where there is none, remove .toolchain.lock) …')
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS))
  }
  try {
    if (!isReady()) await setUp()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = readIfThere(lockFile)
  if (holder === undefined || !isGone(Number(holder))) return false
  // Moved first and looked at again: of two that find it stale, the second may have caught the lock of the first.
  const moved = `${lockFile}.${process.pid}`
  try {
    renameSync(lockFile, moved)
    if (readIfThere(moved) !== holder) renameSync(moved, lockFile)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  rmSync(moved, { force: true })
  return false
}

function isGone(pid) {
  if (!(pid > 0)) return false // Its holder has not written to it yet.
  if (pid === process.pid) return true // Left over from before a restart of this container.
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** Becomes the pinned Node where the system lets us, else runs it as a child that gets our signals. */
function handOver(args) {
  const node = pinnedNode()
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.execve(node, [node, ...args], env)
  }
  const child = spawn(node, args, { stdio: 'inherit', env })
  // At a terminal, Ctrl-C reaches the child by itself, and a second signal would mean "now" to it.
  const atTerminal = process.stdin.isTTY === true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!atTerminal || signal === 'SIGTERM') child.kill(signal)
    })
  }
  child.on('error', (error) => {
    say(`cannot run ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
}

function say(text) {
  process.stderr.write(`toolchain: ${text}\n`)
}
