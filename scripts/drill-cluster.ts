/**
 * `npm run drill -- cluster [--minutes N] [--etcd PATH]`: three etcd servers and three nodes as processes, clients that
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
import { noSmallDisk } from './tools/small-disk.ts'
import { etcdVersion, SERVER_COUNT } from './cluster/etcd-servers.ts'
import { isInsideNamespace, makeMachines, noMachines, runInsideNamespace } from './cluster/machines.ts'
import { checkPlantedBugs, PLANTED_BUGS } from './cluster/planted-bugs.ts'
import { runUnderFaults, type FaultyRun } from './cluster/faulty-run.ts'

const MINUTES = 3
const BUG_SECONDS = 12
/** A bug that shows itself in no run of this time is not caught. Most do in the first run. */
const BUG_SECONDS_MAX = 360
const FAULTS_SHOWN = 20

export interface ClusterDrill {
  readonly minutes: number
  /** Path of an etcd server; the one in PATH by default. */
  readonly etcd: string
  readonly seed: number
}

/** Undefined where they are not those of this drill. */
export function readClusterWords(words: readonly string[]): Omit<ClusterDrill, 'seed'> | undefined {
  let [minutes, etcd] = [MINUTES, 'etcd']
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (word === '--minutes') minutes = Number(words[++i])
    else if (word === '--etcd') etcd = words[++i] ?? ''
    else return undefined
  }
  return minutes > 0 && minutes <= 24 * 60 && etcd !== '' ? { minutes, etcd } : undefined
}

/** Prints what it does. Throws what should not have happened, and keeps the directory then. */
export async function drillCluster({ minutes, etcd, seed }: ClusterDrill): Promise<readonly string[]> {
  const version = etcdVersion(etcd)
  if (version === undefined) return [`skipped: there is no etcd at "${etcd}" (Debian: apt-get install etcd-server)`]
  const withoutMachines = noMachines()
  if (withoutMachines === false && !isInsideNamespace) {
    assert.equal(runInsideNamespace(process.argv.slice(1), seed), 0, 'the drill failed inside its network namespace')
    return []
  }
  checkPlantedBugs()
  console.log(`etcd ${version}`)
  if (withoutMachines !== false) console.log(`no partitions of machines: ${withoutMachines}`)
  if (noSmallDisk !== false) console.log(`no full disk: ${noSmallDisk}`)
  const directory = mkdtempSync(join(tmpdir(), 'dateline-cluster-'))
  const machines = isInsideNamespace ? makeMachines(SERVER_COUNT) : undefined
  const room: Room = { etcd, seed, machines, directory }
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

type Room = Pick<FaultyRun, 'etcd' | 'seed' | 'machines' | 'directory'>

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
