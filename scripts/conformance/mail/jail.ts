/**
 * A root directory for a mail server: its program, libraries, users and settings.
 *
 * These servers have paths and users compiled in, and check the owners of their directories. With chroot(2) all of that
 * exists only inside: no user is added to the machine, no file of it is changed, and removing the directory removes
 * everything.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runTool, unpackDebian, type DebianSystem } from '../debian-archive.ts'

const START_MS_MAX = 15_000
const RUN_MS_MAX = 20_000
const STOP_MS_MAX = 5_000
const POLL_MS = 20
const SHOWN_CHARS_MAX = 2_000

export interface Jail extends AsyncDisposable {
  readonly root: string
  /** Makes directories of a user, with those above them. */
  directories(user: string, ...paths: readonly string[]): void
  write(path: string, content: string, mode?: number): void
  /** Empty if the file does not exist yet, such as a log. */
  read(path: string): string
  /** Starts a program in the foreground; it ends with the jail. */
  start(command: readonly string[], environment?: Readonly<Record<string, string>>): void
  /** Runs a program to its end; returns its output. Throws if it fails. */
  run(command: readonly string[], input?: string | Uint8Array): string
  /**
   * Resolves once the port accepts connections. Rejects with the programs' output if one ends, or after a timeout.
   */
  listening(port: number): Promise<void>
  /** What the programs printed. */
  printed(): string
}

/** A jail at `root`, which must not exist, with a Debian. Throws NotAvailable. */
export function openJail(system: DebianSystem, root: string): Jail {
  unpackDebian(system, root)
  makeDevices(join(root, 'dev'))
  const children: ChildProcess[] = []
  let printed = ''

  const write: Jail['write'] = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    chmodSync(join(root, path), mode)
  }
  write('/etc/hosts', '127.0.0.1 localhost mail.example.test\n::1 localhost\n')
  write('/etc/resolv.conf', '')
  write('/etc/mailname', 'mail.example.test\n')

  return {
    root,
    directories: (user, ...paths) => void runTool('chroot', [root, 'install', '-d', '-m', '700', '-o', user, ...paths]),
    write,
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''),
    start(command, environment = {}) {
      const child = spawn('chroot', [root, ...command], {
        // Its own process group, because servers signal theirs when they end.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
      })
      const collect = (text: string): void => void (printed = (printed + text).slice(-100_000))
      child.stdout.setEncoding('utf8').on('data', collect)
      child.stderr.setEncoding('utf8').on('data', collect)
      child.on('error', (error) => collect(`${error.message}\n`))
      children.push(child)
    },
    run(command, input = '') {
      const { status, stdout, stderr } = spawnSync('chroot', [root, ...command], {
        input,
        encoding: 'utf8',
        timeout: RUN_MS_MAX,
      })
      if (status !== 0) throw new Error(`Cannot run ${command[0]}: it ended with ${status}: ${stderr}`)
      return stdout
    },
    async listening(port) {
      const deadline = performance.now() + START_MS_MAX
      while (!isListening(port)) {
        const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
        if (ended !== undefined || performance.now() > deadline) {
          const how = ended === undefined ? 'does not listen' : 'ended at once'
          throw new Error(`the server ${how}: ${printed.slice(-SHOWN_CHARS_MAX)}`)
        }
        await pause(POLL_MS)
      }
    },
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      await Promise.all(children.toReversed().map((child) => end(child)))
      for (const pid of processesIn(root)) kill(pid, 'SIGKILL')
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  const group = -child.pid
  kill(group, 'SIGTERM')
  const timer = setTimeout(() => kill(group, 'SIGKILL'), STOP_MS_MAX)
  await closed
  clearTimeout(timer)
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!hasEnded) throw error
  }
}

/** Whether a server listens, by the kernel's table: a test connection would appear in its log. */
function isListening(port: number): boolean {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n').map((line) => line.trim().split(/\s+/))
  return sockets.some(([, address, , state]) => address === local && state === '0A')
}

/** Processes that a server left behind, by their root directory. */
function processesIn(root: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/root`) === root
      } catch {
        return false // It has ended.
      }
    })
    .map(Number)
}

function makeDevices(folder: string): void {
  for (const [name, minor] of [['null', '3'], ['zero', '5'], ['random', '8'], ['urandom', '9']] as const) {
    const path = join(folder, name)
    const { status } = spawnSync('mknod', ['-m', '666', path, 'c', '1', minor])
    // Where devices cannot be made, a file replaces /dev/null, and programs use getrandom(2).
    if (status !== 0) writeFileSync(path, '', { mode: 0o666 })
  }
}
