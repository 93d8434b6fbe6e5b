/**
 * `npm run bench -- cluster [HEADLINES]`: what a cluster of three nodes over three etcd servers costs and gives, beside a
 * single process in the same run, all on this machine. Writes and reads are measured in turn, three rounds each; medians.
 *
 * The load generators sleep while no response is there: nodes and etcd servers need the cores. A node serves with one
 * thread, and a single process with as many as there are cores: reads are compared with both.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createNodes, type Nodes } from '../cluster/node-processes.ts'
import { joinNode, startCluster, type RunningCluster } from '../cluster/running-cluster.ts'
import { etcdVersion, noEtcd } from '../tools/cluster/etcd-server.ts'
import { freePorts } from '../tools/free-ports.ts'
import { temporaryDirectory, type Cleanup } from '../tools/temporary-directory.ts'
import { withCleanup } from '../with-cleanup.ts'
import { measureFailover } from './cluster-failover.ts'
import { measureLag } from './cluster-lag.ts'
import { fillDirectory, type Filled } from './filled-service.ts'
import { requestText } from './http-scenarios.ts'
import { CONNECTIONS, measureLoad, type LoadJob } from './load-job.ts'
import { median } from '../tools/percentile.ts'
import { newHeadline } from './world.ts'

const HEADLINES_DEFAULT = 20_000
const JOINED_HEADLINES = 100_000
const CLIENTS = [1, 16, 64]
const ROUNDS = 3
const NODES = 3
const IDS = 1_000
const WINDOW_MS = 2_000
const WORDS = ['--rate-limits', 'off', '--log-level', 'error']
const ONE_THREAD = ['--threads', '1']
const [WRITES_WANTED, READS_WANTED] = [0.5, 0.95]

export async function benchCluster([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  if (noEtcd !== false) return console.log(noEtcd)
  await withCleanup(async (cleanup) => {
    const generators = await Promise.all([1, 2, 3].map(() => startGenerator(cleanup)))
    const from = join(temporaryDirectory(cleanup), 'filled')
    const filled = await fillDirectory(from, Number(count))
    const single = { nodes: await startSingle(cleanup, { from, words: WORDS }), filled }
    const oneThread = { nodes: await startSingle(cleanup, { from, words: [...WORDS, ...ONE_THREAD] }), filled }
    const cluster = await startFilled(cleanup, { headlines: Number(count) })
    console.log(`etcd ${etcdVersion}, ${count} headlines, medians of ${ROUNDS} rounds; [least, most]\n`)
    await benchRates({ single, oneThread, cluster, generators })
    await measureLag(cluster, newHeadline(cluster.filled.world))
    await measureFailover(cluster, newHeadline(cluster.filled.world))
  })
  await withCleanup(benchJoin)
}

interface Served {
  readonly nodes: Nodes
  readonly filled: Filled
}

interface Rates {
  readonly single: Served
  readonly oneThread: Served
  readonly cluster: RunningCluster & { readonly filled: Filled }
  readonly generators: readonly ChildProcess[]
}

type Job = Omit<LoadJob, 'port' | 'pid'>

async function benchRates(rates: Rates): Promise<void> {
  const request = (method: string, query: string, token: string, body?: object): string =>
    requestText(method, `/api/v1/data${query}`, { token, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const reads = (requests: readonly string[]): Job => ({ kind: 'requests', status: 200, windowMs: WINDOW_MS, requests })
  for (const connections of CLIENTS) {
    const create = (filled: Filled): readonly string[] => [request('POST', '?model=headline', filled.token, newHeadline(filled.world))]
    const jobFor = (filled: Filled): Job => ({ ...reads(create(filled)), status: 201, connections })
    await printRates(`writes/s, ${connections} clients`, rates, jobFor, connections === CLIENTS.at(-1) ? WRITES_WANTED : undefined)
  }
  const byId = ({ world, token }: Filled): Job => reads(world.ids.slice(0, IDS).map((id) => request('GET', `/${id}?model=headline`, token)))
  await printRates('reads/s by id', rates, byId, READS_WANTED)
  const list = '?model=headline&sort=updatedAt:desc&limit=20'
  await printRates('reads/s of a list', rates, ({ token }) => reads([request('GET', list, token)]), READS_WANTED)
}

/** The single process with all threads and with one, one node, and all nodes at once. `wanted` is of one node. */
async function printRates(name: string, served: Rates, jobFor: (filled: Filled) => Job, wanted?: number): Promise<void> {
  const { single, oneThread, cluster, generators } = served
  const [first] = generators
  if (first === undefined) throw new Error('There is no load generator')
  const at = ({ nodes, filled }: Served, i: number): LoadJob => ({
    ...jobFor(filled),
    sleeps: true,
    port: nodes.ports[i] ?? 0,
    pid: nodes.pidOf(i),
  })
  /** Of the whole cluster, with so many clients at each node. */
  const measureNodes = async (clients: readonly number[]): Promise<NodeFigures> => {
    const jobs = generators.map((generator, i) => measureLoad(generator, { ...at(cluster, i), connections: clients[i] ?? 0 }))
    const figures = await Promise.all(jobs)
    const perSecond = figures.reduce((sum, each) => sum + each.perSecond, 0)
    return { perSecond, busiestMicros: (Math.max(...figures.map((each) => each.serverBusy)) * 1e6) / perSecond }
  }
  const clients = jobFor(cluster.filled).connections ?? CONNECTIONS
  const [alone, threadless]: [number[], number[]] = [[], []]
  const [one, three]: [NodeFigures[], NodeFigures[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    alone.push((await measureLoad(first, at(single, 0))).perSecond)
    threadless.push((await measureLoad(first, at(oneThread, 0))).perSecond)
    one.push(await measureNodes([clients]))
    three.push(await measureNodes(generators.map(() => Math.max(1, Math.round(clients / generators.length)))))
  }
  const rates = (figures: readonly NodeFigures[]): number[] => figures.map((each) => each.perSecond)
  const micros = (figures: readonly NodeFigures[]): number[] => figures.map((each) => each.busiestMicros)
  const ratio = (above: readonly number[], below: readonly number[]): string => (median(above) / median(below)).toFixed(2)
  const line = [`single ${spreadOf(alone)}`, `of one thread ${spreadOf(threadless)}`, `one node ${spreadOf(rates(one))}`, `three nodes ${spreadOf(rates(three))}`]
  console.log(`${titleOf(name)} ${line.join('  ')}`)
  const toSingle = `one node is ${ratio(rates(one), alone)} of the single process, ${ratio(rates(one), threadless)} of one thread`
  console.log(`${titleOf('')} ${toSingle}${wanted === undefined ? '' : `; wanted at least ${wanted}`}; three are ${ratio(rates(three), rates(one))} of one`)
  const limit = `CPU of the busiest node, µs a request: one node ${spreadOf(micros(one))}  three nodes ${spreadOf(micros(three))}`
  console.log(`${titleOf('')} ${limit}; with a machine for each, three are at most ${ratio(micros(one), micros(three))} of one`)
}

interface NodeFigures {
  /** Requests of all nodes. */
  readonly perSecond: number
  /**
   * CPU time of the node that has most to do, for each request of the cluster: on a machine each, that node is the limit,
   * whatever the nodes, the etcd servers and the load generators take from each other here.
   */
  readonly busiestMicros: number
}

const titleOf = (name: string): string => name.padEnd(24)

function spreadOf(values: readonly number[]): string {
  return `${median(values).toFixed(0)} [${Math.min(...values).toFixed(0)}, ${Math.max(...values).toFixed(0)}]`
}

async function startGenerator(cleanup: Cleanup): Promise<ChildProcess> {
  const generator = fork(join(import.meta.dirname, 'load-process.ts'))
  cleanup.after(() => void generator.kill())
  await once(generator, 'message')
  return generator
}

interface SingleOptions {
  /** A filled data directory, of which it gets a copy. */
  readonly from: string
  readonly words: readonly string[]
}

async function startSingle(cleanup: Cleanup, { from, words }: SingleOptions): Promise<Nodes> {
  const directory = temporaryDirectory(cleanup)
  const [port = 0] = await freePorts(1)
  const dataDir = join(directory, 'data')
  cpSync(from, dataDir, { recursive: true })
  const nodes = createNodes({ plans: [{ port, dataDir, log: join(directory, 'log'), etcd: [] }], words })
  cleanup.after(nodes.stop)
  nodes.start(0)
  await nodes.ready(0)
  return nodes
}

interface FilledOptions {
  readonly headlines: number
  readonly started?: number
}

async function startFilled(cleanup: Cleanup, { headlines, started = NODES }: FilledOptions): Promise<Rates['cluster']> {
  let filled: Filled | undefined
  const fill = async (dataDir: string): Promise<string> => (filled = await fillDirectory(dataDir, headlines)).token
  const cluster = await startCluster(cleanup, { directory: temporaryDirectory(cleanup), count: NODES, started, logLevel: 'error', fill })
  if (filled === undefined) throw new Error('The cluster was not filled')
  return { ...cluster, filled }
}

/** From the command until the new node serves requests. */
async function benchJoin(cleanup: Cleanup): Promise<void> {
  const times: number[] = []
  const { nodes } = await startFilled(cleanup, { headlines: JOINED_HEADLINES, started: 1 })
  for (let i = 1; i < NODES; i++) {
    const begun = performance.now()
    await joinNode(nodes, i)
    nodes.start(i)
    await nodes.ready(i)
    times.push(performance.now() - begun)
  }
  console.log(`${titleOf('join, ms')} ${spreadOf(times)} for ${JOINED_HEADLINES} headlines; wanted at most 10000`)
}
