/** How long nothing is written after a failure. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClusterClient } from '../cluster/cluster-client.ts'
import type { RunningCluster } from '../cluster/running-cluster.ts'
import { median } from '../tools/percentile.ts'

const ROUNDS = 3
const CLIENTS = 6
/** The longest time without a write is looked for in this time after the failure. */
const WATCHED_MS = 6_000
const BEFORE_MS = 1_500
const REST_MS = 10

interface Failure {
  readonly name: string
  /** Causes it; the result heals it. */
  readonly cause: (cluster: RunningCluster) => Promise<() => Promise<void> | void>
}

const FAILURES: readonly Failure[] = [
  {
    name: 'leader killed',
    async cause({ etcd }) {
      const i = (await etcd.leader()) ?? 0
      await etcd.end(i, 'SIGKILL')
      return () => etcd.start(i)
    },
  },
  {
    name: 'leader paused',
    async cause({ etcd }) {
      const i = (await etcd.leader()) ?? 0
      etcd.signal(i, 'SIGSTOP')
      return () => etcd.signal(i, 'SIGCONT')
    },
  },
  {
    name: 'node killed',
    async cause({ nodes }) {
      const i = nodes.count - 1
      await nodes.end(i, 'SIGKILL')
      return async () => {
        nodes.start(i)
        await nodes.ready(i)
      }
    },
  },
]

/** Clients write at all nodes but the last, which is the one that is killed. */
export async function measureFailover(cluster: RunningCluster, body: unknown): Promise<void> {
  for (const { name, cause } of FAILURES) {
    const gaps: number[] = []
    for (let round = 0; round < ROUNDS; round++) gaps.push(await gapAfter(cluster, body, cause))
    const worst = Math.max(...gaps)
    console.log(`${`${name}, ms`.padEnd(24)} ${median(gaps).toFixed(0)} [most ${worst.toFixed(0)}] without a write; wanted at most 2500`)
  }
}

async function gapAfter(cluster: RunningCluster, body: unknown, cause: Failure['cause']): Promise<number> {
  const acknowledged: number[] = []
  let isOver = false
  const writing = Array.from({ length: CLIENTS }, async (_, i) => {
    const client = createClusterClient(i, cluster.nodes.ports)
    const node = i % (cluster.nodes.count - 1)
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
  const heal = await cause(cluster)
  await pause(WATCHED_MS)
  isOver = true
  await heal()
  await Promise.all(writing)
  await pause(BEFORE_MS)
  const times = [at, ...acknowledged.filter((time) => time > at).sort((a, b) => a - b), at + WATCHED_MS]
  return times.reduce((longest, time, i) => Math.max(longest, time - (times[i - 1] ?? time)), 0)
}
