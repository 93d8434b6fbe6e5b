/** How long nothing is written after a failure. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClusterClient } from '../cluster/cluster-client.ts'
import type { RunningCluster } from '../cluster/running-cluster.ts'
import type { ClusterStatus } from '../../src/models/responses.ts'
import { median } from '../tools/percentile.ts'

const ROUNDS = 3
const CLIENTS = 6
/** The longest time without a write is looked for in this time after the failure. */
const WATCHED_MS = 6_000
const BEFORE_MS = 1_500
const REST_MS = 10

interface Failure {
  readonly name: string
  /** The node that gets no writes. */
  readonly without: (cluster: RunningCluster) => Promise<number>
  /** Causes it; the result heals it. */
  readonly cause: (cluster: RunningCluster, without: number) => Promise<() => Promise<void> | void>
}

const lastNode = async ({ nodes }: RunningCluster): Promise<number> => nodes.count - 1

/** The node that has been the keeper for so long that the others send their writes to it. */
async function keeperNode({ nodes, token }: RunningCluster): Promise<number> {
  const response = await fetch(`${nodes.urls[0]}/api/v1/admin/cluster`, { headers: { authorization: `Bearer ${token}` } })
  const { data } = (await response.json()) as { data: ClusterStatus }
  const url = data.nodes.find(({ id }) => id === data.keeper)?.url ?? ''
  return Math.max(0, nodes.urls.indexOf(url))
}

async function killNode({ nodes }: RunningCluster, i: number): Promise<() => Promise<void>> {
  await nodes.end(i, 'SIGKILL')
  return async () => {
    nodes.start(i)
    await nodes.ready(i)
  }
}

const FAILURES: readonly Failure[] = [
  {
    name: 'leader killed',
    without: lastNode,
    async cause({ etcd }) {
      const i = (await etcd.leader()) ?? 0
      await etcd.end(i, 'SIGKILL')
      return () => etcd.start(i)
    },
  },
  {
    name: 'leader paused',
    without: lastNode,
    async cause({ etcd }) {
      const i = (await etcd.leader()) ?? 0
      await etcd.signal(i, 'SIGSTOP')
      return () => etcd.signal(i, 'SIGCONT')
    },
  },
  { name: 'node killed', without: lastNode, cause: killNode },
  { name: 'keeper killed', without: keeperNode, cause: killNode },
  {
    name: 'keeper paused',
    without: keeperNode,
    async cause({ nodes }, i) {
      nodes.pause(i)
      return () => nodes.resume(i)
    },
  },
]

/** Clients write at all nodes but one, which is the one that is killed. */
export async function measureFailover(cluster: RunningCluster, body: unknown): Promise<void> {
  for (const failure of FAILURES) {
    const gaps: number[] = []
    for (let round = 0; round < ROUNDS; round++) gaps.push(await gapAfter(cluster, body, failure))
    const worst = Math.max(...gaps)
    console.log(`${`${failure.name}, ms`.padEnd(24)} ${median(gaps).toFixed(0)} [most ${worst.toFixed(0)}] without a write; wanted at most 2500`)
  }
}

async function gapAfter(cluster: RunningCluster, body: unknown, failure: Failure): Promise<number> {
  const without = await failure.without(cluster)
  const acknowledged: number[] = []
  let isOver = false
  const writing = Array.from({ length: CLIENTS }, async (_, i) => {
    const client = createClusterClient(i, cluster.nodes.ports)
    const node = (without + 1 + (i % (cluster.nodes.count - 1))) % cluster.nodes.count
    const call = { node, method: 'POST', path: '/api/v1/data?model=headline', token: cluster.token, body, consistency: 'plain' } as const
    while (!isOver) {
      const { outcome, seen } = await client.call(call)
      if (outcome === 'ok') acknowledged.push(seen.end)
      else await pause(REST_MS)
    }
    client.close()
  })
  await pause(BEFORE_MS)
  const at = performance.now()
  const heal = await failure.cause(cluster, without)
  await pause(WATCHED_MS)
  isOver = true
  await heal()
  await Promise.all(writing)
  await pause(BEFORE_MS)
  const times = [at, ...acknowledged.filter((time) => time > at).sort((a, b) => a - b), at + WATCHED_MS]
  return times.reduce((longest, time, i) => Math.max(longest, time - (times[i - 1] ?? time)), 0)
}
