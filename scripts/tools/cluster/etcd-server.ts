/**
 * Real etcd servers for tests, drills and benchmarks: one or several, on free ports, with their data and logs in a directory. The
 * program is `etcd` of PATH (Debian: etcd-server), or the one that ETCD_BINARY names. Debian's package also starts a service on
 * ports 2379 and 2380 where systemd runs; these are never used here. The servers end with the process that starts them.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../free-ports.ts'
import { temporaryDirectory, type Cleanup } from '../temporary-directory.ts'
import { WITH_PARENT } from '../with-parent.ts'

export const ETCD_BINARY = process.env['ETCD_BINARY'] ?? 'etcd'
const version = spawnSync(ETCD_BINARY, ['--version'], { encoding: 'utf8' })
/** Undefined where it cannot be run. */
export const etcdVersion = version.error === undefined ? /etcd Version: (\S+)/.exec(version.stdout)?.[1] : undefined
/** Why there can be no etcd here; false where there can. */
export const noEtcd: string | false =
  etcdVersion === undefined ? `"${ETCD_BINARY}" cannot be run: install etcd-server, or name a program in ETCD_BINARY` : false

/** A port may be taken between its choice and the start. */
const STARTS_MAX = 5
const READY_MS_MAX = 120_000
/** A server that is paused does not respond. */
const RESPONSE_MS_MAX = 3_000
const POLL_MS = 10
const LOG_CHARS_SHOWN = 2_000
/** It says so once it has joined the others and knows a leader: in other words in 3.4 than from 3.5 on. */
const IS_SERVING = /ready to serve client requests|serving client traffic/
const LOOPBACK: EtcdPlace = { host: '127.0.0.1', prefix: [] }

export interface EtcdPlace {
  readonly host: string
  /** What runs a program there, such as in its network namespace. */
  readonly prefix: readonly string[]
}

export interface EtcdFiles {
  readonly certificate: string
  readonly key: string
  /** Clients must have a certificate of this authority. */
  readonly clientAuthority?: string
}

export interface EtcdOptions {
  readonly servers?: number
  /** One for each server; all on this machine by default. */
  readonly places?: readonly EtcdPlace[] | undefined
  /** A temporary one by default. */
  readonly directory?: string
  /** 8 MiB by default, as Dateline wants. */
  readonly requestBytesMax?: number
  readonly tls?: EtcdFiles
  /** Whether a new leader is found sooner than by etcd's own settings. */
  readonly isQuick?: boolean
}

/** Whether no thread runs (proc(5), the state in /proc/PID/stat); true where the system does not tell. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`
  if (!existsSync(threads)) return true
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')))
}

/** Starts servers that end with the test. Resolves when each serves clients. */
export async function startEtcd(t: Cleanup, options: EtcdOptions = {}) {
  const directory = options.directory ?? temporaryDirectory(t)
  for (let start = 1; ; start++) {
    try {
      return await startServers(t, join(directory, String(start)), options)
    } catch (error) {
      if (start === STARTS_MAX || !/address already in use/.test(String(error))) throw error
    }
  }
}

export type EtcdServers = Awaited<ReturnType<typeof startEtcd>>

async function startServers(t: Cleanup, directory: string, { servers = 1, places, requestBytesMax = 8 * 1024 * 1024, tls, isQuick = true }: EtcdOptions) {
  mkdirSync(directory, { recursive: true })
  const ports = await freePorts(2 * servers)
  const names = Array.from({ length: servers }, (_, i) => `e${i + 1}`)
  const placeOf = (i: number): EtcdPlace => places?.[i] ?? LOOPBACK
  const peerUrls = names.map((_, i) => `http://${placeOf(i).host}:${ports[2 * i + 1]}`)
  const endpoints = names.map((_, i) => (tls === undefined ? `http://${placeOf(i).host}:${ports[2 * i]}` : `https://localhost:${ports[2 * i]}`))
  const argumentsOf = (i: number): string[] => [
    ...['--name', names[i] ?? '', '--data-dir', join(directory, names[i] ?? '')],
    ...['--listen-client-urls', (endpoints[i] ?? '').replace('localhost', '127.0.0.1'), '--advertise-client-urls', endpoints[i] ?? ''],
    ...['--listen-peer-urls', peerUrls[i] ?? '', '--initial-advertise-peer-urls', peerUrls[i] ?? ''],
    ...['--initial-cluster', names.map((name, at) => `${name}=${peerUrls[at]}`).join(','), '--logger', 'zap'],
    ...(isQuick ? ['--heartbeat-interval', '50', '--election-timeout', '500'] : []),
    ...['--max-request-bytes', String(requestBytesMax), ...tlsArguments(directory, tls)],
  ]
  const running: (ChildProcess | undefined)[] = names.map(() => undefined)
  const logged: number[] = names.map(() => 0)
  const logOf = (i: number): string => join(directory, `${names[i]}.log`)
  const start = (i: number): void => {
    const log = openSync(logOf(i), 'a')
    logged[i] = readFileSync(logOf(i)).length
    const [program = '', ...words] = [...placeOf(i).prefix, ...WITH_PARENT, ETCD_BINARY, ...argumentsOf(i)]
    // etcd takes settings from ETCD_ variables, which are for another one.
    const env = { PATH: process.env['PATH'], ...(process.arch === 'x64' ? {} : { ETCD_UNSUPPORTED_ARCH: process.arch }) }
    running[i] = spawn(program, words, { stdio: ['ignore', log, log], env })
    closeSync(log)
  }
  const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null
  const ready = async (i: number): Promise<void> => {
    const begun = performance.now()
    for (let text = ''; !IS_SERVING.test(text); await pause(POLL_MS)) {
      text = readFileSync(logOf(i)).subarray(logged[i]).toString()
      const child = running[i]
      if (IS_SERVING.test(text)) return
      if (child === undefined || hasEnded(child) || performance.now() - begun > READY_MS_MAX)
        throw new Error(`etcd is not ready, see ${logOf(i)}: ${text.slice(-LOG_CHARS_SHOWN)}`)
    }
  }
  const end = async (i: number, signal: NodeJS.Signals): Promise<void> => {
    const child = running[i]
    running[i] = undefined
    if (child === undefined || hasEnded(child)) return
    const closed = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await closed
  }
  t.after(async () => {
    await Promise.all(names.map((_, i) => end(i, 'SIGKILL')))
  })
  for (const i of names.keys()) start(i)
  await Promise.all(names.map((_, i) => ready(i)))
  return {
    endpoints,
    /** All that the servers have on disk. */
    directory,
    /** Ends a server, also one that is paused, and waits until it is gone. */
    end,
    /** Starts a server that has ended, with its data and on its ports. */
    start,
    /** Resolves when a server that was started serves clients. */
    ready,
    /** Sends a signal to a server; behind SIGSTOP, resolves when all of its threads have stopped: on a busy machine some go on for a while. */
    async signal(i: number, signal: NodeJS.Signals): Promise<void> {
      const child = running[i]
      child?.kill(signal)
      while (signal === 'SIGSTOP' && child?.pid !== undefined && !isStopped(child.pid)) await pause(POLL_MS)
    },
    /** Which of the servers leads, if one does. */
    async leader(): Promise<number | undefined> {
      const i = (await Promise.all(endpoints.map(isLeader))).indexOf(true)
      return i === -1 ? undefined : i
    },
  }
}

function tlsArguments(directory: string, tls: EtcdFiles | undefined): readonly string[] {
  if (tls === undefined) return []
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const own = ['--cert-file', file('server.pem', tls.certificate), '--key-file', file('server-key.pem', tls.key)]
  if (tls.clientAuthority === undefined) return own
  return [...own, '--client-cert-auth', '--trusted-ca-file', file('clients.pem', tls.clientAuthority)]
}

/** etcd's gateway of its gRPC service: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ */
async function isLeader(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(RESPONSE_MS_MAX)
    const response = await fetch(`${url}/v3/maintenance/status`, { method: 'POST', body: '{}', signal })
    const { header, leader } = (await response.json()) as { header?: { member_id?: string }; leader?: string }
    return leader !== undefined && leader !== '0' && header?.member_id === leader
  } catch {
    return false
  }
}
