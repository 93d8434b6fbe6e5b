/** A cluster for drills and benchmarks: three etcd servers and some nodes, with a proxy on each link between them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startEtcdServers, SERVER_COUNT, type EtcdPlace } from './etcd-servers.ts'
import { openFaultyProxy, type FaultyProxy } from './faulty-proxy.ts'
import { createNodes, type Nodes } from './node-processes.ts'
import { freePorts } from '../tools/free-ports.ts'

const ADMIN = 'drill@example.org'
const LOOPBACK: EtcdPlace = { host: '127.0.0.1', prefix: [] }

export interface ClusterOptions {
  /** An etcd server. */
  readonly binary: string
  readonly directory: string
  readonly count: number
  /** How many of the nodes join and start; all by default. */
  readonly started?: number
  /** Where the etcd servers are; this machine by default. */
  readonly places?: readonly EtcdPlace[] | undefined
  readonly logLevel?: 'info' | 'error'
  /** Options of node itself, and variables, for all nodes. */
  readonly nodeOptions?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Fills the data directory of the first node, and gives a token of an administrator. */
  readonly fill?: (dataDir: string) => Promise<string>
  /** Where the last node has its data; below the directory of the cluster by default. */
  readonly lastDataDir?: string | undefined
}

/** Makes a site of a new data directory, and joins the other nodes to it. */
export async function startCluster(options: ClusterOptions) {
  const { binary, directory, count, started = count, logLevel = 'info', nodeOptions, environment } = options
  const places = options.places ?? Array.from({ length: SERVER_COUNT }, () => LOOPBACK)
  const mails = join(directory, 'mail')
  mkdirSync(mails, { recursive: true })
  const etcd = await startEtcdServers({ binary, directory: join(directory, 'etcd'), places })
  const links: FaultyProxy[][] = []
  const ports = await freePorts(count)
  for (let i = 0; i < count; i++) links.push(await Promise.all(etcd.addresses.map((address) => openFaultyProxy(address))))
  const nodes = createNodes({
    plans: ports.map((port, i) => ({
      port,
      dataDir: (i === count - 1 ? options.lastDataDir : undefined) ?? join(directory, `node${i}`),
      log: join(directory, `node${i}.log`),
      etcd: (links[i] ?? []).map(({ url }) => url),
    })),
    words: ['--mail', `file:${mails}`, '--rate-limits', 'off', '--log-level', logLevel, '--log-format', 'json'],
    ...{ nodeOptions, environment },
  })
  const stop = async (): Promise<void> => {
    await nodes.stop()
    for (const link of links.flat()) link.close()
    await etcd.stop()
  }
  try {
    const token = await (options.fill?.(nodes.dataDir(0)) ?? addAdmin(nodes))
    await nodes.command(0, 'cluster', 'init', ...nodes.clusterWords(0))
    nodes.start(0)
    await nodes.ready(0)
    for (let i = 1; i < started; i++) {
      await joinNode(nodes, i)
      nodes.start(i)
      await nodes.ready(i)
    }
    return { etcd, nodes, links, mails, token, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export type RunningCluster = Awaited<ReturnType<typeof startCluster>>

async function addAdmin({ command }: Nodes): Promise<string> {
  await command(0, 'admin', '--yes', '--email', ADMIN)
  return (await command(0, 'token', '--email', ADMIN)).stdout.trim()
}

/** Fetches a snapshot from the first node with a token that it gives once. */
export async function joinNode(nodes: Nodes, i: number): Promise<void> {
  const { stdout } = await nodes.command(0, 'cluster', 'token', ...nodes.clusterWords(0))
  const words = ['cluster', 'join', '--from', nodes.urls[0] ?? '', '--token', stdout.trim()]
  await nodes.command(i, ...words, ...nodes.clusterWords(i))
}
