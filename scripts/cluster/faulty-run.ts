/** One run of the drill: a new cluster, clients and faults for a while, then peace, and the verdict. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../tools/random.ts'
import type { Cleanup } from '../tools/temporary-directory.ts'
import { noSmallDisk, smallDisk } from '../tools/small-disk.ts'
import { createClusterClient } from './cluster-client.ts'
import { causeFaults } from './faults.ts'
import { inspectNodes } from './final-state.ts'
import { faultsOfHistory } from './history-verdict.ts'
import { withCleanup } from '../with-cleanup.ts'
import { createMailbox } from '../tools/mailbox.ts'
import type { Machines } from './machines.ts'
import { writeHistory, type Operation } from './operation.ts'
import { startCluster, type RunningCluster } from './running-cluster.ts'
import { prepareDocuments, readEverything } from './shared-documents.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'
import * as workload from './workload.ts'

const NODES = 3
const DISK_MB = 192
/** How many clients do each kind of work. */
const CLIENTS: readonly (readonly [work: (work: workload.Workload) => Promise<void>, count: number])[] = [
  [workload.replaceRegisters, 5],
  [workload.appendEntries, 3],
  [workload.insertHeadlines, 2],
  [workload.useCodes, 1],
  [workload.convertGuests, 1],
  [workload.addUsers, 1],
  [workload.changeLimits, 1],
  [workload.followTopics, 1],
]

export interface FaultyRun {
  readonly seed: number
  readonly machines: Machines | undefined
  readonly directory: string
  readonly seconds: number
  /** The name of a bug that is planted in the nodes. */
  readonly bug?: string
}

export interface RunVerdict {
  readonly faults: readonly string[]
  /** How the nodes differ at one position, which none of the planted bugs explains. */
  readonly differences: readonly string[]
  readonly summary: string
}

export function runUnderFaults(run: FaultyRun): Promise<RunVerdict> {
  return withCleanup((cleanup) => runWith(run, cleanup))
}

async function runWith({ seed, machines, directory, seconds, bug }: FaultyRun, cleanup: Cleanup): Promise<RunVerdict> {
  const disk = noSmallDisk === false ? smallDisk(cleanup, DISK_MB) : undefined
  const plant = ['--import', join(import.meta.dirname, 'plant-bug.ts')]
  const cluster = await startCluster(cleanup, {
    ...{ directory, count: NODES, places: machines?.places, hasDoors: true },
    lastDataDir: disk === undefined ? undefined : join(disk, 'data'),
    ...(bug === undefined ? {} : { nodeOptions: plant, environment: { PLANTED_BUG: bug } }),
  })
  const random = seededRandom(seed)
  const history: Operation[] = []
  const record = (operation: Operation): void => void history.push(operation)
  const begun = performance.now()
  const isOver = (): boolean => performance.now() - begun > seconds * 1000
  const said: string[] = []
  const tell = (text: string): void => {
    said.push(text)
    if (bug === undefined) console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${text}`)
  }
  const documents = await prepareDocuments(cluster, record)
  const mailbox = createMailbox(cluster.mails)
  const clients = CLIENTS.flatMap(([work, count], kind) =>
    Array.from({ length: count }, (_, i) => ({ work, client: createClusterClient(1 + kind * 10 + i, cluster.nodes.ports) })),
  )
  const working = clients.map(({ work, client }) =>
    work({ client, random: seededRandom(seed + client.id), nodes: NODES, token: cluster.token, ...documents, mailbox, record, isOver }),
  )
  const fillDisk = disk === undefined ? undefined : () => fill(disk)
  const reported: string[] = []
  const report = (fault: string): void => void reported.push(fault)
  await causeFaults({ ...cluster, machines, fillDisk, random, only: PLANTED_BUGS[bug ?? '']?.fault, report }, isOver, tell)
  await Promise.all(working)
  for (const { client } of clients) client.close()
  const settled = await settle(cluster)
  await readEverything(cluster, documents, record)
  const inspected = await inspectNodes(cluster, documents.lists)
  writeHistory(join(directory, 'history.ndjson'), history)
  const faults = [...reported, ...settled, ...inspected.faults, ...faultsOfHistory(history, inspected.state)]
  // The small disk goes with the run; what it holds may explain a fault.
  const { differences } = inspected
  if (faults.length + differences.length > 0 && disk !== undefined) cpSync(disk, join(directory, 'last-node'), { recursive: true })
  return { faults, differences, summary: summaryOf(history, said, begun) }
}

/** Waits until each node serves again. */
async function settle({ nodes }: RunningCluster): Promise<readonly string[]> {
  const faults = [...nodes.ended()]
  for (let i = 0; i < nodes.count; i++) {
    try {
      await nodes.ready(i)
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  return faults
}

function fill(disk: string): () => void {
  const ballast = join(disk, 'ballast')
  try {
    writeFileSync(ballast, Buffer.alloc(DISK_MB * 2 ** 20))
  } catch {
    // It is full now, which is what was wanted.
  }
  return () => rmSync(ballast, { force: true })
}

function summaryOf(history: readonly Operation[], said: readonly string[], begun: number): string {
  const count = (outcome: string): number => history.filter((operation) => operation.outcome === outcome).length
  const gap = longestGap(history)
  return (
    `${history.length} operations: ${count('ok')} ok, ${count('failed')} failed, ${count('unknown')} unknown; ` +
    `${said.length} faults; longest time without a write ${(gap.end - gap.start).toFixed(0)} ms, from ${((gap.start - begun) / 1000).toFixed(1)} s`
  )
}

function longestGap(history: readonly Operation[]): { readonly start: number; readonly end: number } {
  const isWrite = ({ kind, outcome }: Operation): boolean => outcome === 'ok' && !kind.endsWith('Read')
  const ends = history.filter(isWrite).map(({ end }) => end).sort((a, b) => a - b)
  const gaps = ends.slice(1).map((end, i) => ({ start: ends[i] ?? end, end }))
  return gaps.reduce((longest, gap) => (gap.end - gap.start > longest.end - longest.start ? gap : longest), { start: 0, end: 0 })
}

