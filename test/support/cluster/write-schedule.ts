/**
 * A schedule of random writes on three nodes over one log whose connections fail, and the judgement of what came of it.
 *
 * Beside the random writes, some clients append marks to a few topics and others read them strongly. A mark that was acknowledged
 * must be there once, one that was reported as not made must not be there, and a strong read has all marks that were
 * acknowledged before it began.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { topic } from '../../../src/models/topic.ts'
import { seededRandom } from '../../../scripts/tools/random.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { baseHashes, derivedFaults, inspect, openCluster, type ClusterNode } from './cluster-stores.ts'
import { randomWrite, readsOf } from './random-writes.ts'

const MARKED = ['marked-0', 'marked-1']
export const SCHEDULE_CLIENTS = 9

interface Mark {
  readonly topic: string
  readonly text: string
  outcome: 'pending' | 'made' | 'not made' | 'unknown'
}

export interface Schedule {
  readonly seed: number
  /** How many operations each client makes. */
  readonly operations: number
}

/** Runs a schedule. Returns what is wrong, nothing where all is well, and counts of what happened. */
export async function runSchedule(t: Cleanup, { seed, operations }: Schedule) {
  const random = seededRandom(seed)
  let time = 0
  const { nodes } = await openCluster(t, ['a', 'b', 'c'], { ticks: () => (time += 40) })
  const marks: Mark[] = []
  const faults: string[] = []
  const counts = { made: 0, notMade: 0, unknown: 0, reads: 0, cuts: 0 }
  for (const id of MARKED) await nodes[0].store.insert(topic, { id, value: { id, name: '', status: 'active' } })

  const client = async (number: number): Promise<void> => {
    for (let i = 0; i < operations; i++) {
      const node = random.pick(nodes)
      const kind = random.below(10)
      if (kind < 3) await mark(node, { topic: random.pick(MARKED), text: `<${number}.${i}>`, outcome: 'pending' })
      else if (kind < 5) await readStrongly(node, random.pick(MARKED))
      else await randomWrite(random).run(node.store).catch(rethrowBugs)
    }
  }
  const mark = async ({ store }: ClusterNode, made: Mark): Promise<void> => {
    marks.push(made)
    const append = store.update(topic, made.topic, (stored) => ({ ...stored, name: `${String(stored['name'])}${made.text}` }))
    made.outcome = await append.then(() => 'made' as const, outcomeOfError)
  }
  const readStrongly = async ({ store, replication }: ClusterNode, id: string): Promise<void> => {
    const before = marks.filter((one) => one.topic === id && one.outcome === 'made')
    try {
      // A change to the same document changes nothing, and sees the newest state as newest() does.
      const usesWrite = random.oneIn(2)
      if (!usesWrite) await replication.newest()
      const text = usesWrite ? await store.update(topic, id, (stored) => stored) : store.documents.get(topic, id)
      counts.reads++
      for (const { text: missing } of before.filter((one) => text?.includes(one.text) !== true)) {
        faults.push(`a strong read of ${id} did not have ${missing}, which was acknowledged before`)
      }
    } catch (error) {
      rethrowBugs(error)
    }
  }
  let isOver = false
  const disturb = async (): Promise<void> => {
    while (!isOver) {
      const { log } = random.pick(nodes)
      const [begin, end] = random.pick([[log.cut, log.restore], [log.hold, log.release], [log.loseResponse]] as const)
      begin()
      counts.cuts++
      for (let turns = random.oneIn(8) ? 150 : random.below(8); turns > 0; turns--) await turn()
      end?.()
      await turn()
    }
  }
  const disturbing = disturb()
  await Promise.all(Array.from({ length: SCHEDULE_CLIENTS }, (_, number) => client(number)))
  isOver = true
  await disturbing
  for (const { replication } of nodes) await replication.newest().catch((error: unknown) => faults.push(String(error)))
  faults.push(...(await differences(nodes)), ...faultsOfMarks(nodes[0], marks))
  for (const { outcome } of marks) {
    if (outcome === 'made') counts.made++
    else counts[outcome === 'unknown' ? 'unknown' : 'notMade']++
  }
  return { faults, counts }
}

function outcomeOfError(error: unknown): 'not made' | 'unknown' {
  rethrowBugs(error)
  return String(error).includes('may have happened') ? 'unknown' : 'not made'
}

/** Writes may fail for what the log does, for what the data is, and for ids that are random elsewhere; not for a bug. */
function rethrowBugs(error: unknown): void {
  const isExpected = error instanceof Error && (error.name === 'Failure' || error.message.startsWith('UNIQUE constraint'))
  if (!isExpected) throw error
}

async function differences(nodes: readonly ClusterNode[]): Promise<string[]> {
  const views = nodes.map(({ dir }) => inspect(dir, (database) => JSON.stringify(baseHashes(database))))
  const reads = await Promise.all(nodes.map(async ({ store }) => JSON.stringify(await readsOf(store))))
  const derived = nodes.flatMap(({ dir }) => inspect(dir, (database) => derivedFaults(database)))
  const states = nodes.map(({ replication }) => JSON.stringify(replication.state()))
  const places = nodes.map(({ replication }) => replication.position())
  return [
    ...(new Set(views).size > 1 ? [`the nodes differ: ${views.join(' ')}`] : []),
    ...(new Set(reads).size > 1 ? [`reads of the nodes differ: ${reads.join(' ')}`] : []),
    ...(new Set(places).size > 1 ? [`the nodes are at ${places.join(', ')}`] : []),
    ...states.filter((state) => state !== '{"kind":"in-step"}'),
    ...derived,
  ]
}

function faultsOfMarks({ store }: ClusterNode, marks: readonly Mark[]): string[] {
  const texts = new Map(MARKED.map((id) => [id, store.documents.get(topic, id) ?? '']))
  return marks.flatMap(({ topic: id, text, outcome }) => {
    const times = (texts.get(id) ?? '').split(text).length - 1
    const isRight = outcome === 'made' ? times === 1 : outcome === 'unknown' ? times <= 1 : times === 0
    return isRight ? [] : [`${text} in ${id} is ${outcome}, and there ${times} times`]
  })
}

