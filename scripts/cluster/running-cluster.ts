/**
 * A cluster for drills and benchmarks: three etcd servers and some nodes, with a proxy on each link between them and, where it is
 * wanted, one by which the other nodes reach each node.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openFaultyProxy, type FaultyProxy } from './faulty-proxy.ts'
import { createNodes, type Nodes } from './node-processes.ts'
import { startEtcd, type EtcdPlace } from '../tools/cluster/etcd-server.ts'
import { freePorts } from '../tools/free-ports.ts'
import type { Cleanup } from '../tools/temporary-directory.ts'

const ADMIN = 'drill@example.org'
export const SERVER_COUNT = 3

export interface ClusterOptions {
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
  /** The nodes reach each other by proxies as well. */
  readonly hasDoors?: boolean
  /** Where the last node has its data; below the directory of the cluster by default. */
  readonly lastDataDir?: string | undefined
}

/** Makes a site of a new data directory, and joins the other nodes to it. All ends with the run. */
export async function startCluster(cleanup: Cleanup, options: ClusterOptions) {
  const { directory, count, started = count, logLevel = 'info', nodeOptions, environment } = options
  const mails = join(directory, 'mail')
  mkdirSync(mails, { recursive: true })
  const etcd = await startEtcd(cleanup, { servers: SERVER_COUNT, places: options.places, directory: join(directory, 'etcd'), isQuick: false })
  const links: FaultyProxy[][] = []
  const ports = await freePorts(count)
  for (let i = 0; i < count; i++) links.push(await Promise.all(etcd.endpoints.map(openFaultyProxy)))
  const doors = options.hasDoors === true ? await Promise.all(ports.map((port) => openFaultyProxy(`http://127.0.0.1:${port}`))) : []
  cleanup.after(() => [...links.flat(), ...doors].forEach((link) => link.close()))
  const nodes = createNodes({
    plans: ports.map((port, i) => ({
      port,
      nodeUrl: doors[i]?.url,
      dataDir: (i === count - 1 ? options.lastDataDir : undefined) ?? join(directory, `node${i}`),
      log: join(directory, `node${i}.log`),
      etcd: (links[i] ?? []).map(({ url }) => url),
    })),
    words: ['--mail', `file:${mails}`, '--rate-limits', 'off', '--log-level', logLevel, '--log-format', 'json'],
    ...{ nodeOptions, environment },
  })
  cleanup.after(nodes.stop)
  const token = await (options.fill?.(nodes.dataDir(0)) ?? addAdmin(nodes))
  await nodes.command(0, 'cluster', 'init', ...nodes.clusterWords(0))
  nodes.start(0)
  await nodes.ready(0)
  for (let i = 1; i < started; i++) {
    await joinNode(nodes, i)
    nodes.start(i)
    await nodes.ready(i)
  }
  return { etcd, nodes, links, doors, mails, token }
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
