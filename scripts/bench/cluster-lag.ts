/** How long after a write is acknowledged another node has it. */
import { createClusterClient } from '../cluster/cluster-client.ts'
import type { RunningCluster } from '../cluster/running-cluster.ts'
import { median, percentile } from '../tools/percentile.ts'

const WRITES = 500

/**
 * Writes at one node and reads at another with the position of the write, which waits until it is there. The time of a
 * read that has nothing to wait for is taken off.
 */
export async function measureLag({ nodes, token }: RunningCluster, body: unknown): Promise<void> {
  const client = createClusterClient(1, nodes.ports)
  const read = { method: 'GET', path: '/api/v1/data?model=language&limit=1', token } as const
  const [lags, plain]: [number[], number[]] = [[], []]
  for (let i = 0; i < WRITES; i++) {
    await client.call({ node: 0, method: 'POST', path: '/api/v1/data?model=headline', token, body, consistency: 'session' })
    const node = 1 + (i % (nodes.count - 1))
    const { seen } = await client.call({ ...read, node, consistency: 'session' })
    lags.push(seen.end - seen.start)
    const free = await client.call({ ...read, node, consistency: 'plain' })
    plain.push(free.seen.end - free.seen.start)
  }
  client.close()
  const base = median(plain)
  const [p50, p99] = [0.5, 0.99].map((share) => Math.max(0, percentile(lags, share) - base).toFixed(2))
  console.log(`${'lag, ms'.padEnd(24)} p50 ${p50} p99 ${p99} (a plain read takes ${base.toFixed(2)}, its p99 ${percentile(plain, 0.99).toFixed(2)}); wanted p99 at most 10`)
}
