/**
 * Brings what a fresh clone lacks, then hands over to the pinned Node.
 *
 *   node scripts/toolchain.mjs <file.ts> [arguments…]
 *
 * Any Node from 18 on may run this file, so it is plain JavaScript. When all is there it costs a few milliseconds: one
 * comparison of package-lock.json with the copy kept beside the installed packages, and, for what serves or tests the
 * dashboard, one look at the times of its sources.
 *
 * Everything that is installed has a checksum in this repository: packages in package-lock.json, which npm compares, and
 * Node in pinned-node.json. No script of a package runs.
 * Everything it says goes to stderr, since stdout belongs to the program it starts. What npm and the build print is
 * shown only where they fail.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { constants, hostname } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const LOCK_BEAT_MS = 2_000
/** A lock that was not touched for this long is stale, whatever its process id says. */
const LOCK_STALE_MS = 30_000
const LOCK_POLL_MS = 100
const SHOWN_CAUSE_CHARS_MAX = 300
/** Of what a command printed, kept to be shown where it fails. */
const PRINTED_CHARS_MAX = 10_000
/** What the files of the dashboard are made of; folders count with all that is in them. */
const DASHBOARD_SOURCES = [
  'src',
  'data',
  'scripts/build-dashboard.ts',
  'scripts/client-files.ts',
  'package.json',
  'package-lock.json',
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.toolchain-stamp')
const lockFile = join(root, '.toolchain.lock')
/** Where Node keeps our sources without their types: a service that finds them there takes 20 MiB less, of each thread 10. */
const compileCache = join(modules, '.cache', 'compiled')
const bundledNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const wantedVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node
const pinnedNodes = readFileSync(join(root, 'scripts', 'pinned-node.json'), 'utf8')
const system = `${process.platform}-${process.arch}`
const packageLock = readFileSync(join(root, 'package-lock.json'), 'utf8')
const dashboardBuilder = join(root, 'scripts', 'build-dashboard.ts')
const builtDashboard = join(root, 'dist', 'dashboard', 'page-assets.bin')
/** Packages for another machine are of no use, as when a directory is shared with a container. */
const stamp = `${system}\n${pinnedNodes}\n${packageLock}`
/** Says that the Node beside it came from the package with this sum. */
const sumFile = join(modules, 'node', 'bin', '.integrity')

class SetUpError extends Error {}

/** The npm, or the installer, that runs now. */
let running
/** A first run takes one line for all that it brings. */
let hasSaidSo = false

try {
  if (!isReady()) await underLock(setUp)
  if (needsDashboard()) await bringDashboard()
  handOver(process.argv.slice(2))
} catch (error) {
  if (error instanceof SetUpError) say(error.message)
  // The system's: a full disk, a directory of another user.
  else if (error.syscall !== undefined) say(`cannot set up: ${error.message}`)
  else throw error
  process.exit(1)
}

/** Whether the last set-up was for this lock file, and its Node is still there. */
function isReady() {
  return readIfThere(stampFile) === stamp && existsSync(pinnedNode())
}

/** The Node of the repository's checksum. Only where there is none for this system, one of the right version counts. */
function pinnedNode() {
  const isPinned = Object.hasOwn(JSON.parse(pinnedNodes).packages, system)
  return !isPinned && process.versions.node === wantedVersion ? process.execPath : bundledNode
}

async function setUp() {
  if (isReady()) return // Another process did it while this one waited for the lock.
  const needsPackages = missingPackages().length > 0
  const needsNode = pinnedNode() === bundledNode && (needsPackages || !(await hasPinnedNode()))
  const wanted = [...(needsPackages ? ['the development packages'] : []), ...(needsNode ? [`Node ${wantedVersion}`] : [])]
  if (wanted.length > 0) {
    const building = needsDashboard() ? ', then building the dashboard' : ''
    say(`installing ${wanted.join(' and ')} (once, and after every change of package-lock.json)${building} …`)
    hasSaidSo = true
  }
  if (needsPackages) {
    // Scripts stay off: the only one that matters is run below, by every version of npm alike.
    const options = ['--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
    await run('npm', ['ci', ...options], root)
    // Of an optional package, as the compiler of one system, npm says nothing where its checksum is wrong.
    const missing = missingPackages()
    if (missing.length > 0) {
      throw new SetUpError(
        `cannot set up: npm did not install ${missing.join(', ')} as package-lock.json has it: ` +
          'it cannot be fetched, or its checksum is another',
      )
    }
  }
  if (needsNode) await bringNode()
  try {
    linkNode()
    writeFileSync(stampFile, stamp)
  } catch (error) {
    say(`cannot write what would make the next start quicker: ${error.message}`)
  }
}

/** Throws a SetUpError where there is no pinned Node for this system. */
async function wantedNode() {
  const { packageFor, PINNED_VERSION } = await import('./pinned-node.mjs')
  const wanted = packageFor(system)
  if (wanted === undefined) {
    throw new SetUpError(`there is no pinned Node for ${system}: install Node ${wantedVersion}, and run this with it`)
  }
  if (PINNED_VERSION !== wantedVersion) {
    throw new SetUpError(`pinned-node.json has the sums of Node ${PINNED_VERSION}, package.json wants ${wantedVersion}`)
  }
  return wanted
}

async function hasPinnedNode() {
  return readIfThere(sumFile) === (await wantedNode()).integrity && versionOf(bundledNode) === wantedVersion
}

/** Puts the pinned Node into node_modules, where npm's package `node` would. Nothing is left there where that fails. */
async function bringNode() {
  const { filesOfPackage, packArguments } = await import('./pinned-node.mjs')
  const wanted = await wantedNode()
  // What a process that was killed has left: the lock is ours.
  for (const left of readdirSync(modules).filter((name) => name.startsWith('.node-'))) {
    rmSync(join(modules, left), { recursive: true, force: true })
  }
  const draft = mkdtempSync(join(modules, '.node-'))
  try {
    await run('npm', packArguments(wanted), draft)
    const [archive = ''] = readdirSync(draft).filter((name) => name.endsWith('.tgz'))
    const node = join(draft, 'node')
    writeFileSync(node, unpacked(() => filesOfPackage(wanted, readFileSync(join(draft, archive)))).get(wanted.binary))
    chmodSync(node, 0o755)
    const found = versionOf(node)
    if (found !== wantedVersion) {
      throw new SetUpError(`cannot run the pinned Node for ${system}: wanted version ${wantedVersion}, found ${found}`)
    }
    mkdirSync(dirname(bundledNode), { recursive: true })
    rmSync(sumFile, { force: true })
    renameSync(node, bundledNode)
    writeFileSync(sumFile, wanted.integrity)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function unpacked(read) {
  try {
    return read()
  } catch (error) {
    throw new SetUpError(
      `cannot set up: ${error.message}; nothing was installed. See which registry "npm config get registry" names, and ` +
        'empty its cache with "npm cache clean --force"',
    )
  }
}

/** The packages of the lock file that npm does not say it installed, as it does also after an `npm ci` by hand. */
function missingPackages() {
  const hidden = readIfThere(join(modules, '.package-lock.json'))
  const installed = hidden === undefined ? {} : JSON.parse(hidden).packages
  const isThere = ([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    if (found === undefined) return wanted.optional === true && !isForThisMachine(wanted)
    return found.version === wanted.version && found.integrity === wanted.integrity && existsSync(join(root, path))
  }
  const missing = Object.entries(JSON.parse(packageLock).packages).filter((entry) => !isThere(entry))
  return missing.map(([path]) => path.replace(/^.*node_modules\//, ''))
}

function isForThisMachine({ os, cpu }) {
  return (os === undefined || os.includes(process.platform)) && (cpu === undefined || cpu.includes(process.arch))
}

/** npm makes this link only where the package brings its file. Through it `npm start` begins on the pinned Node. */
function linkNode() {
  const link = join(modules, '.bin', 'node')
  if (process.platform !== 'win32' && !existsSync(link) && existsSync(bundledNode)) {
    rmSync(link, { force: true })
    symlinkSync(join('..', 'node', 'bin', 'node'), link)
  }
}

function needsDashboard() {
  return wantsDashboard(process.argv.slice(2)) && existsSync(dashboardBuilder) && !isDashboardBuilt()
}

/** Whether this program serves the dashboard, writes a file of it or tests it; the attacks ask for its pages as well. */
function wantsDashboard([script, command]) {
  if (script === 'src/main.ts') return command === 'serve' || command === 'client'
  if (script === 'scripts/drill.ts') return command === 'attacks'
  return script === 'scripts/check.ts' || script === 'scripts/soak.ts'
}

/** Whether nothing changed since the last build; a folder changes when a file in it comes or goes. */
function isDashboardBuilt() {
  const built = statSync(builtDashboard, { throwIfNoEntry: false })?.mtimeMs
  return built !== undefined && DASHBOARD_SOURCES.every((path) => isOlder(join(root, path), built))
}

function isOlder(path, time) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  if (found.mtimeMs > time) return false
  return !found.isDirectory() || readdirSync(path).every((name) => isOlder(join(path, name), time))
}

/**
 * Builds the dashboard where it is not there or older than its sources. The service runs without it, too, and the tests
 * find out by themselves: so neither a page with a mistake nor a disk that cannot be written to stops anybody.
 */
async function bringDashboard() {
  try {
    await underLock(async () => {
      if (isDashboardBuilt()) return
      if (!hasSaidSo) say('building the dashboard …')
      await run(pinnedNode(), [dashboardBuilder], root)
    })
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error
    say(`${error.message}; the dashboard stays as it was`)
  }
}

/** What the executable says, or why it cannot. */
function versionOf(executable) {
  const { stdout, error } = spawnSync(executable, ['--version'], { encoding: 'utf8' })
  return error === undefined ? stdout.trim().replace(/^v/, '') : error.message
}

/** Runs a command to its end. Where it fails, prints what it printed and throws a SetUpError with the cause. */
async function run(command, args, cwd) {
  const shown = [command === process.execPath ? 'node' : command, ...args].join(' ')
  const child = spawn(command, args, {
    cwd,
    // Of a failure, the causes that npm prints are wanted, also where the user silences npm.
    env: { ...withoutOwnPath(process.env), npm_config_loglevel: 'notice' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32', // It is a batch file there.
  })
  running = child
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      printed = (printed + chunk).slice(-PRINTED_CHARS_MAX)
    })
  }
  const ended = await new Promise((done) => {
    child.on('error', (error) => done(error.code === 'ENOENT' ? `there is no ${command} in PATH` : error.message))
    child.on('close', (code, signal) =>
      done(code === 0 ? undefined : (causeIn(printed) ?? `it ended with ${signal ?? code}`)),
    )
  })
  running = undefined
  if (ended === undefined) return
  process.stderr.write(printed)
  throw new SetUpError(`cannot set up: "${shown}" in ${cwd} failed: ${ended}`)
}

function causeIn(printed) {
  const network =
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/.exec(printed)
  if (network !== null) return `the package registry cannot be reached (${network[0]}); the first start needs a network`
  return /^npm (?:error|ERR!) (?!code\b)\S.*$/m.exec(printed)?.[0].slice(0, SHOWN_CAUSE_CHARS_MAX)
}

/** `npm start` puts node_modules/.bin first in PATH; npm must not run on the Node that it is about to delete. */
function withoutOwnPath(env) {
  const own = join(modules, '.bin')
  const path = (env.PATH ?? '').split(delimiter).filter((entry) => resolve(entry) !== own)
  return { ...env, PATH: path.join(delimiter) }
}

/** Lets one process at a time into the task. A holder that dies, or whose machine does, is soon found out. */
async function underLock(task) {
  const mine = `${hostname()} ${process.pid}`
  let hasSaidSo = false
  while (!tryLock(mine)) {
    if (!hasSaidSo) say('another process is setting up, waiting for it …')
    hasSaidSo = true
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS))
  }
  const beat = setInterval(() => {
    if (readIfThere(lockFile) === mine) utimesSync(lockFile, new Date(), new Date())
  }, LOCK_BEAT_MS)
  const giveUp = (signal) => {
    const leave = () => {
      release(mine)
      process.exit(128 + constants.signals[signal])
    }
    // The lock is held for as long as an npm of ours writes to node_modules.
    if (running === undefined) leave()
    else running.once('close', leave).kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, giveUp)
  try {
    await task()
  } finally {
    clearInterval(beat)
    release(mine)
    for (const signal of signals) process.off(signal, giveUp)
  }
}

function tryLock(mine) {
  try {
    writeFileSync(lockFile, mine, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw new SetUpError(`cannot set up: ${error.message}`)
  }
  const holder = readIfThere(lockFile)
  if (holder !== undefined && isStale(holder)) {
    // Moved first and looked at again: of two that find it stale, the second may have caught the lock of the first.
    const moved = `${lockFile}.${process.pid}`
    try {
      renameSync(lockFile, moved)
      if (readIfThere(moved) !== holder) renameSync(moved, lockFile)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    rmSync(moved, { force: true })
  }
  return false
}

function isStale(holder) {
  const [host, pid] = holder.split(' ')
  const touched = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - touched > LOCK_STALE_MS) return true
  if (host !== hostname() || !/^\d+$/.test(pid ?? '')) return false
  try {
    process.kill(Number(pid), 0)
    return Number(pid) === process.pid // Left over from before a restart of this container.
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function release(mine) {
  if (readIfThere(lockFile) === mine) rmSync(lockFile, { force: true })
}

/** Becomes the pinned Node where the system lets us, else runs it as a child that gets our signals. */
function handOver(args) {
  const node = pinnedNode()
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.execve(node, [node, ...args], env)
  }
  const child = spawn(node, args, { stdio: 'inherit', env })
  // At a terminal, Ctrl-C reaches the child by itself, and a second signal would mean "at once" to it.
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
