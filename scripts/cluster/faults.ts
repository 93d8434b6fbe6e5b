/** What a cluster has to live with: a seeded series of faults, each of which ends after a while. */
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { EtcdServers } from '../tools/cluster/etcd-server.ts'
import type { Random } from '../tools/random.ts'
import type { FaultyProxy, LinkFault } from './faulty-proxy.ts'
import type { Machines } from './machines.ts'
import type { Nodes } from './node-processes.ts'
import { joinNode, SERVER_COUNT } from './running-cluster.ts'

export interface Patient {
  readonly etcd: EtcdServers
  readonly nodes: Nodes
  /** The links of each node to the etcd servers. */
  readonly links: readonly (readonly FaultyProxy[])[]
  /** By which the other nodes reach each node. */
  readonly doors: readonly FaultyProxy[]
  /** Undefined where network namespaces cannot be had. */
  readonly machines: Machines | undefined
  /** Fills the disk of a node; the result frees it. Undefined where there is no small disk. */
  readonly fillDisk: (() => () => void) | undefined
  readonly random: Random
  /** The only fault, which brings a planted bug to light: it comes often, and lasts less long. */
  readonly only: LinkFaultName | undefined
  /** Takes what should not have happened. */
  readonly report: (fault: string) => void
}

/** Begins a fault and names it; `end` heals it and waits for nothing. */
interface Fault {
  readonly name: string
  readonly end: () => void | Promise<void>
}

const QUIET_MS = 1_500
const FAULT_MS_MIN = 500
const FAULT_MS_SPREAD = 3_000
/** Of a fault that comes alone. */
const ONLY = { quietMs: 300, spreadMs: 700 }
const DELAYS_MS = [50, 150, 400]

type Kind = (patient: Patient) => Promise<Fault> | Fault

export type LinkFaultName = 'killNode' | 'dropAnswers' | 'delayWatches' | 'dropKeeper' | 'delayNodes'

const OF_LINKS: Readonly<Record<LinkFaultName, Kind>> = {
  killNode: (patient) => endNode(patient, 'SIGKILL'),
  dropAnswers: (patient) => breakLinks(patient, 'drop the answers of etcd to', { kind: 'drop' }),
  delayWatches(patient) {
    const ms = patient.random.pick(DELAYS_MS)
    return breakLinks(patient, `delay etcd by ${ms} ms for`, { kind: 'delay', ms })
  },
  dropKeeper: (patient) => breakDoors(patient, 'drop the answers of the keeper to nodes', { kind: 'drop' }),
  delayNodes(patient) {
    const ms = patient.random.pick(DELAYS_MS)
    return breakDoors(patient, `delay nodes by ${ms} ms for each other`, { kind: 'delay', ms })
  },
}

const OF_PROCESSES: Readonly<Record<string, Kind>> = {
  killLeader: async (patient) => endServer(patient, await leaderOf(patient), 'SIGKILL'),
  killFollower: async (patient) => endServer(patient, (await leaderOf(patient)) + 1, 'SIGKILL'),
  restartLeader: async (patient) => endServer(patient, await leaderOf(patient), 'SIGTERM'),
  async pauseLeader(patient) {
    const i = await leaderOf(patient)
    await patient.etcd.signal(i, 'SIGSTOP')
    return { name: `pause etcd leader ${i}`, end: () => patient.etcd.signal(i, 'SIGCONT') }
  },
  async killAllServers({ etcd }) {
    for (let i = 0; i < SERVER_COUNT; i++) await etcd.end(i, 'SIGKILL')
    const end = (): void => [0, 1, 2].forEach((i) => etcd.start(i))
    return { name: 'kill -9 all etcd servers', end }
  },
  restartNode: (patient) => endNode(patient, 'SIGTERM'),
  /** Its machine is lost: a new node joins in its place, with nothing. */
  async replaceNode({ nodes, random }) {
    const i = 1 + random.below(nodes.count - 1)
    await nodes.end(i, 'SIGKILL')
    rmSync(nodes.dataDir(i), { recursive: true })
    await joinNode(nodes, i)
    nodes.start(i)
    return { name: `replace node ${i}`, end: () => {} }
  },
  pauseNode({ nodes, random }) {
    const i = random.below(nodes.count)
    nodes.pause(i)
    return { name: `pause node ${i}`, end: () => nodes.resume(i) }
  },
  cutNode: (patient) => breakLinks(patient, 'cut from etcd', { kind: 'cut' }),
  cutNodes: (patient) => breakDoors(patient, 'cut nodes from each other', { kind: 'cut' }),
}

const OF_MACHINES: Readonly<Record<string, (patient: Patient, machines: Machines) => Promise<Fault> | Fault>> = {
  async partitionLeader(patient, machines) {
    return cutMachines(patient, machines, [await leaderOf(patient)])
  },
  async partitionFollower(patient, machines) {
    return cutMachines(patient, machines, [((await leaderOf(patient)) + 1) % SERVER_COUNT])
  },
  partitionAll: (patient, machines) => cutMachines(patient, machines, [0, 1, 2]),
}

/** Goes on until it is told to stop, and heals what is broken then. Tells each fault as it begins. */
export async function causeFaults(patient: Patient, isOver: () => boolean, tell: (text: string) => void): Promise<void> {
  const { random, only } = patient
  const { quietMs, spreadMs } = only === undefined ? { quietMs: QUIET_MS, spreadMs: FAULT_MS_SPREAD } : ONLY
  const kinds = kindsFor(patient)
  // Each kind once before any comes again.
  let left: Kind[] = []
  while (!isOver()) {
    if (left.length === 0) left = [...kinds]
    const [kind] = left.splice(random.below(left.length), 1)
    const ms = FAULT_MS_MIN + random.below(spreadMs)
    const fault = await kind?.(patient)
    if (fault === undefined) continue
    tell(`${fault.name} for ${ms} ms`)
    await pauseUnless(isOver, ms)
    await fault.end()
    await pauseUnless(isOver, quietMs)
  }
}

function kindsFor({ machines, fillDisk, only }: Patient): readonly Kind[] {
  if (only !== undefined) return [OF_LINKS[only]]
  const kinds: Kind[] = [...Object.values(OF_LINKS), ...Object.values(OF_PROCESSES)]
  if (machines !== undefined) {
    kinds.push(...Object.values(OF_MACHINES).map((kind): Kind => (patient) => kind(patient, machines)))
  }
  if (fillDisk !== undefined) kinds.push(() => ({ name: 'fill the disk of the last node', end: fillDisk() }))
  return kinds
}

async function pauseUnless(isOver: () => boolean, ms: number): Promise<void> {
  for (const begun = performance.now(); !isOver() && performance.now() - begun < ms; ) await pause(20)
}

const leaderOf = async ({ etcd }: Patient): Promise<number> => (await etcd.leader()) ?? 0

async function endServer({ etcd }: Patient, at: number, signal: NodeJS.Signals): Promise<Fault> {
  const i = at % SERVER_COUNT
  await etcd.end(i, signal)
  return { name: `${signal === 'SIGKILL' ? 'kill -9' : 'stop'} etcd server ${i}`, end: () => etcd.start(i) }
}

async function endNode({ nodes, random, report }: Patient, signal: NodeJS.Signals): Promise<Fault> {
  const i = random.below(nodes.count)
  const code = await nodes.end(i, signal)
  if (signal === 'SIGTERM' && code !== 0) report(`node ${i} ended with ${code ?? 'a signal'}, wanted 0`)
  // It comes back at once: another fault may end a cluster of two.
  nodes.start(i)
  return { name: `${signal === 'SIGKILL' ? 'kill -9' : 'stop'} and start node ${i}`, end: () => {} }
}

function breakLinks({ links, random }: Patient, what: string, fault: LinkFault): Fault {
  const i = random.below(links.length)
  const ofNode = links[i] ?? []
  for (const link of ofNode) link.set(fault)
  return {
    name: `${what} node ${i}`,
    end: () => {
      for (const link of ofNode) link.set(undefined)
    },
  }
}

/** Requests between nodes go to the keeper alone, whichever that is, but for copies. */
function breakDoors({ doors }: Patient, name: string, fault: LinkFault): Fault {
  for (const door of doors) door.set(fault)
  return {
    name,
    end: () => {
      for (const door of doors) door.set(undefined)
    },
  }
}

/** A node stands on the machine of each server, so its links are cut with it. */
function cutMachines({ links }: Patient, machines: Machines, cut: readonly number[]): Fault {
  const set = (fault: LinkFault | undefined): void => {
    for (const i of cut) for (const link of links[i] ?? []) link.set(fault)
  }
  for (const i of cut) machines.cut(i)
  set({ kind: 'cut' })
  return {
    name: `partition machine ${cut.join(' and ')}`,
    end: () => {
      for (const i of cut) machines.join(i)
      set(undefined)
    },
  }
}
