/**
 * Real etcd servers for tests: one or several, on free ports of loopback, with their data in a temporary directory. The
 * program is `etcd` of PATH (Debian: etcd-server), or the one that ETCD_BINARY names. Debian's package also starts a service
 * on ports 2379 and 2380 where systemd runs; these are never used here.
 *
 * A shell stands between the tests and each server, and kills it when the process of the tests is gone, however it ended.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../free-ports.ts'
import { temporaryDirectory, type Cleanup } from '../temporary-directory.ts'

const BINARY = process.env['ETCD_BINARY'] ?? 'etcd'
/** A port may be taken between its choice and the start. */
const STARTS_MAX = 5

/** Why there can be no etcd here; false where there can. */
export const noEtcd: string | false =
  spawnSync(BINARY, ['--version']).status === 0 ? false : `"${BINARY}" cannot be run: install etcd-server, or name a program in ETCD_BINARY`

/** Reads its pipe in the background: that ends with the tests, and then the server ends. */
const KEEPER = `
exec 3<&0
"$@" 2>&1 < /dev/null &
server=$!
echo "pid $server"
{ cat <&3; kill -KILL $server; } > /dev/null 2>&1 &
watcher=$!
wait $server
kill $watcher 2> /dev/null
echo "ended with $?"
`

export interface EtcdFiles {
  readonly certificate: string
  readonly key: string
  /** Clients must have a certificate of this authority. */
  readonly clientAuthority?: string
}

export interface EtcdOptions {
  readonly servers?: number
  /** 8 MiB by default, as Dateline wants. */
  readonly requestBytesMax?: number
  readonly tls?: EtcdFiles
  readonly args?: readonly string[]
}

/** Starts servers that end with the test. Resolves when each serves clients. */
export async function startEtcd(t: Cleanup, options: EtcdOptions = {}) {
  const directory = temporaryDirectory(t)
  for (let start = 1; ; start++) {
    try {
      return await startServers(t, join(directory, String(start)), options)
    } catch (error) {
      if (start === STARTS_MAX || !/address already in use/.test(String(error))) throw error
    }
  }
}

export type EtcdServers = Awaited<ReturnType<typeof startEtcd>>

async function startServers(t: Cleanup, directory: string, { servers = 1, requestBytesMax = 8 * 1024 * 1024, tls, args = [] }: EtcdOptions) {
  mkdirSync(directory)
  const ports = await freePorts(2 * servers)
  const names = Array.from({ length: servers }, (_, i) => `e${i + 1}`)
  const peerUrls = names.map((_, i) => `http://127.0.0.1:${ports[2 * i + 1]}`)
  const endpoints = names.map((_, i) => (tls === undefined ? `http://127.0.0.1:${ports[2 * i]}` : `https://localhost:${ports[2 * i]}`))
  const dataOf = (i: number): string => join(directory, names[i] ?? '')
  const argumentsOf = (i: number): string[] => [
    ...['--name', names[i] ?? '', '--data-dir', dataOf(i)],
    ...['--listen-client-urls', (endpoints[i] ?? '').replace('localhost', '127.0.0.1'), '--advertise-client-urls', endpoints[i] ?? ''],
    ...['--listen-peer-urls', peerUrls[i] ?? '', '--initial-advertise-peer-urls', peerUrls[i] ?? ''],
    ...['--initial-cluster', names.map((name, at) => `${name}=${peerUrls[at]}`).join(',')],
    ...['--heartbeat-interval', '50', '--election-timeout', '500', '--logger', 'zap'],
    ...['--max-request-bytes', String(requestBytesMax), ...tlsArguments(directory, tls), ...args],
  ]
  const running = names.map(() => undefined as Server | undefined)
  const start = async (i: number): Promise<void> => {
    const server = launch(argumentsOf(i))
    running[i] = server
    await server.ready
  }
  const kill = async (i: number): Promise<void> => {
    running[i]?.signal('SIGKILL')
    await running[i]?.ended
  }
  t.after(async () => {
    await Promise.all(names.map((_, i) => kill(i)))
  })
  await Promise.all(names.map((_, i) => start(i)))
  return {
    endpoints,
    /** All that the servers have on disk. */
    directory,
    /** Kills a server with SIGKILL, and waits until it is gone. */
    kill,
    /** Starts a server that was killed, with its data and on its ports. */
    start,
    /** Sends a signal, such as SIGSTOP and SIGCONT, to a server. */
    signal: (i: number, signal: NodeJS.Signals): void => running[i]?.signal(signal),
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

type Server = ReturnType<typeof launch>

function launch(args: readonly string[]) {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', BINARY, ...args], {
    // etcd takes settings from ETCD_ variables, which are for another one.
    env: { PATH: process.env['PATH'], ...(process.arch === 'x64' ? {} : { ETCD_UNSUPPORTED_ARCH: process.arch }) },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const [ready, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  ready.promise.catch(() => {})
  let printed = ''
  let pid: number | undefined
  keeper.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (pid !== undefined && isServing(printed)) return
    printed += text
    pid ??= Number(/^pid (\d+)$/m.exec(printed)?.[1] ?? NaN) || undefined
    if (isServing(printed)) ready.resolve()
  })
  keeper.once('close', () => {
    pid = undefined
    ready.reject(new Error(`etcd ended before it was ready: ${printed.slice(-2_000)}`))
    ended.resolve()
  })
  return {
    ready: ready.promise,
    ended: ended.promise,
    signal: (signal: NodeJS.Signals): void => {
      if (pid !== undefined) process.kill(pid, signal)
    },
  }
}

/** It says so once it has joined the others and knows a leader: in other words in 3.4 than from 3.5 on. */
function isServing(printed: string): boolean {
  return /ready to serve client requests|serving client traffic/.test(printed)
}
