/**
 * `npm run drill -- cluster [--minutes N]`: three etcd servers and three nodes as processes, clients that
 * write, read and check at all nodes, and faults: servers and nodes are killed, paused and restarted, answers are dropped,
 * delayed and cut off, machines are partitioned, a disk is full. What the clients saw must have an explanation
 * (scripts/cluster/history-verdict.ts), and all nodes must hold the same in the end.
 *
 * Then the same with a bug planted in the nodes, once for each bug: the drill fails where it does not see it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { etcdVersion, noEtcd } from './tools/cluster/etcd-server.ts'
import { noSmallDisk } from './tools/small-disk.ts'
import { isInsideNamespace, makeMachines, noMachines, runInsideNamespace } from './cluster/machines.ts'
import { checkPlantedBugs, PLANTED_BUGS } from './cluster/planted-bugs.ts'
import { runUnderFaults, type FaultyRun } from './cluster/faulty-run.ts'
import { SERVER_COUNT } from './cluster/running-cluster.ts'

const MINUTES = 3
const BUG_SECONDS = 12
/** A bug that shows itself in no run of this time is not caught. Most do in the first run. */
const BUG_SECONDS_MAX = 360
const FAULTS_SHOWN = 20

export interface ClusterDrill {
  readonly minutes: number
  readonly seed: number
}

/** Undefined where they are not those of this drill. */
export function readClusterWords(words: readonly string[]): Omit<ClusterDrill, 'seed'> | undefined {
  const [flag = '--minutes', count = String(MINUTES), ...rest] = words
  const minutes = Number(count)
  return flag === '--minutes' && rest.length === 0 && minutes > 0 && minutes <= 24 * 60 ? { minutes } : undefined
}

/** Prints what it does. Throws what should not have happened, and keeps the directory then. */
export async function drillCluster({ minutes, seed }: ClusterDrill): Promise<readonly string[]> {
  if (noEtcd !== false) return [`skipped: ${noEtcd}`]
  const withoutMachines = noMachines()
  if (withoutMachines === false && !isInsideNamespace) {
    assert.equal(runInsideNamespace(process.argv.slice(1), seed), 0, 'the drill failed inside its network namespace')
    return []
  }
  checkPlantedBugs()
  console.log(`etcd ${etcdVersion}`)
  if (withoutMachines !== false) console.log(`no partitions of machines: ${withoutMachines}`)
  if (noSmallDisk !== false) console.log(`no full disk: ${noSmallDisk}`)
  const directory = mkdtempSync(join(tmpdir(), 'dateline-cluster-'))
  const machines = isInsideNamespace ? makeMachines(SERVER_COUNT) : undefined
  const room: Room = { seed, machines, directory }
  const verdict = await runUnderFaults({ ...room, directory: join(directory, 'run'), seconds: minutes * 60 })
  failFor([...verdict.differences, ...verdict.faults], directory)
  const caught = await catchBugs(room)
  rmSync(directory, { recursive: true, force: true })
  return [verdict.summary, ...caught]
}

function failFor(faults: readonly string[], directory: string): void {
  if (faults.length === 0) return
  throw new Error(`${faults.length} faults, see ${directory}:\n  ${faults.slice(0, FAULTS_SHOWN).join('\n  ')}`)
}

type Room = Pick<FaultyRun, 'seed' | 'machines' | 'directory'>

async function catchBugs(room: Room): Promise<readonly string[]> {
  const lines: string[] = []
  for (const [bug, { does }] of Object.entries(PLANTED_BUGS)) {
    let fault: string | undefined
    const begun = performance.now()
    for (let i = 0; fault === undefined && performance.now() - begun < BUG_SECONDS_MAX * 1000; i++) {
      const own = { bug, seed: room.seed + i, directory: join(room.directory, `${bug}${i}`), seconds: BUG_SECONDS }
      const { faults, differences } = await runUnderFaults({ ...room, ...own })
      failFor(differences, own.directory)
      fault = faults[0]
    }
    if (fault === undefined) throw new Error(`A cluster that ${does} was not found out in ${BUG_SECONDS_MAX} s`)
    lines.push(`a cluster that ${does} was found out: ${fault}`)
  }
  return lines
}
