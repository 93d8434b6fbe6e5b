/** What `/metrics` tells of a node and its cluster. */
import type { Metrics } from '../../base/metrics.ts'
import type { KeeperRequests } from '../../cluster/keeper-requests.ts'
import type { LogCounts } from '../../cluster/log/counted-log.ts'
import type { Replication } from '../../store/cluster/replication.ts'
import { readings } from '../service-metrics.ts'
import type { ClusterWork } from './cluster-work.ts'

export interface ClusterFigures {
  readonly replication: Replication
  readonly counts: LogCounts
  readonly forwarded: KeeperRequests['counts']
  readonly work: ClusterWork
}

/** Registers the figures of a node. */
export function clusterMetrics(metrics: Metrics, { replication, counts, forwarded, work }: ClusterFigures): void {
  const { heartbeat } = work
  const newest = (): number => Math.max(replication.position(), ...heartbeat.nodes().map(({ position }) => position))
  metrics.gauge('dateline_cluster_position', 'Position of the last entry that this node has applied.', () => [
    [{}, replication.position()],
  ])
  metrics.gauge('dateline_cluster_lag', 'How many revisions of etcd the newest position that a node told is ahead of this node: at least as many as entries.', () => [
    [{}, newest() - replication.position()],
  ])
  metrics.gauge('dateline_cluster_lag_seconds', 'How long the oldest entry that has arrived waits to be applied.', () => [
    [{}, replication.lagMs() / 1000],
  ])
  metrics.gauge('dateline_cluster_state', 'In which state this node is: 1 for that one.', () => {
    const { kind } = replication.state()
    return ['in-step', 'behind', 'no-quorum', 'diverged'].map((state) => [{ state }, Number(state === kind)] as const)
  })
  metrics.gauge('dateline_cluster_keeper', 'Whether this node sends mail and makes backups.', () => [
    [{}, Number(heartbeat.isKeeper())],
  ])
  metrics.gauge('dateline_cluster_nodes', 'Nodes by whether they were heard within the last seconds.', () => {
    const alive = heartbeat.nodes().filter(({ isAlive }) => isAlive).length
    return readings('state', { alive, silent: heartbeat.nodes().length - alive })
  })
  metrics.gauge('dateline_cluster_clock_difference_seconds', 'The largest difference to the clock of a node, past two seconds.', () => [
    [{}, Math.max(0, ...[...heartbeat.clocks.values()].map(Math.abs)) / 1000],
  ])
  metrics.counted('dateline_cluster_appends_total', 'Appends to the log by their outcome.', () => readings('outcome', counts.appends))
  metrics.counted('dateline_cluster_forwarded_total', 'Writes that went to the keeper, by their outcome.', () => readings('outcome', forwarded))
  metrics.counted('dateline_cluster_append_seconds_total', 'How long appends took in all.', () => [[{}, counts.appendMs / 1000]])
  metrics.counted('dateline_cluster_reruns_total', 'How often writes ran again, as another node wrote first.', () => [
    [{}, replication.counts().reruns],
  ])
  metrics.counted('dateline_cluster_apply_seconds_total', 'How long entries of other nodes took to apply in all.', () => [
    [{}, replication.counts().applyMs / 1000],
  ])
  metrics.counted('dateline_cluster_entries_total', 'Entries of the log that arrived.', () => [[{}, counts.entries]])
  metrics.counted('dateline_cluster_entry_bytes_total', 'Bytes of those entries.', () => [[{}, counts.entryBytes]])
}
