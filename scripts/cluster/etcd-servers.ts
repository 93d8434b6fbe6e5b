/** Three etcd servers as processes that can be killed, paused and started again. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../tools/free-ports.ts'
import { WITH_PARENT } from './with-parent.ts'

/** What `dateline check` asks of a server: a commit may be as large as the largest request body, sealed. */
const REQUEST_BYTES_MAX = 8 * 2 ** 20
const READY_MS_MAX = 120_000
/** A server that is paused does not answer. */
const RESPONSE_MS_MAX = 3_000
const POLL_MS = 50
export const SERVER_COUNT = 3

export interface EtcdPlace {
  readonly host: string
  /** What runs a program there, such as in its network namespace. */
  readonly prefix: readonly string[]
}

export interface EtcdOptions {
  readonly binary: string
  readonly directory: string
  /** One for each server. */
  readonly places: readonly EtcdPlace[]
}

/** The version of an etcd binary; undefined where it cannot be run. */
export function etcdVersion(binary: string): string | undefined {
  const { stdout, error } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return error === undefined ? /etcd Version: (\S+)/.exec(stdout)?.[1] : undefined
}

export async function startEtcdServers({ binary, directory, places }: EtcdOptions) {
  const servers = await Promise.all(places.map((place, i) => planServer(place, i, directory)))
  const initial = servers.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join()
  const running = new Map<number, ChildProcess>()
  const start = (i: number): void => {
    const { name, data, clientUrl, peerUrl, prefix } = serverAt(i)
    const state = existsSync(data) ? 'existing' : 'new'
    const [program = binary, ...words] = [...prefix, ...WITH_PARENT, binary]
    const log = openSync(join(directory, `${name}.log`), 'a')
    const flags = {
      name,
      'data-dir': data,
      'listen-client-urls': clientUrl,
      'advertise-client-urls': clientUrl,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': initial,
      'initial-cluster-state': state,
      'max-request-bytes': String(REQUEST_BYTES_MAX),
      'log-level': 'warn',
    }
    const given = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    running.set(i, spawn(program, [...words, ...given], { stdio: ['ignore', log, log] }))
    closeSync(log)
  }
  const serverAt = (i: number) => {
    const server = servers[i]
    if (server === undefined) throw new Error(`There is no etcd server ${i}`)
    return server
  }
  const end = async (i: number, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(i)
    running.delete(i)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await closed
  }
  const leader = async (): Promise<number | undefined> => {
    const found = await Promise.all(servers.map(({ clientUrl }) => isLeader(clientUrl)))
    const i = found.indexOf(true)
    return i === -1 ? undefined : i
  }
  mkdirSync(directory, { recursive: true })
  for (const i of servers.keys()) start(i)
  for (const begun = performance.now(); (await leader()) === undefined; ) {
    if (performance.now() - begun > READY_MS_MAX) throw new Error(`etcd has no leader: see ${directory}/*.log`)
    await pause(POLL_MS)
  }
  return {
    addresses: servers.map(({ host, clientPort }) => ({ host, port: clientPort })),
    urls: servers.map(({ clientUrl }) => clientUrl),
    directory,
    leader,
    start,
    end,
    pause: (i: number): void => void running.get(i)?.kill('SIGSTOP'),
    resume: (i: number): void => void running.get(i)?.kill('SIGCONT'),
    isRunning: (i: number): boolean => running.get(i)?.exitCode === null,
    async stop(): Promise<void> {
      await Promise.all([...servers.keys()].map((i) => end(i, 'SIGKILL')))
    },
  }
}

export type EtcdServers = Awaited<ReturnType<typeof startEtcdServers>>

async function planServer({ host, prefix }: EtcdPlace, i: number, directory: string) {
  const [clientPort = 0, peerPort = 0] = await freePorts(2)
  const name = `e${i + 1}`
  return {
    ...{ name, host, prefix, clientPort },
    data: join(directory, name),
    clientUrl: `http://${host}:${clientPort}`,
    peerUrl: `http://${host}:${peerPort}`,
  }
}

/** etcd's gateway of its gRPC service: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ */
async function isLeader(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v3/maintenance/status`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(RESPONSE_MS_MAX),
    })
    const { header, leader } = (await response.json()) as { header?: { member_id?: string }; leader?: string }
    return leader !== undefined && leader !== '0' && header?.member_id === leader
  } catch {
    return false
  }
}
