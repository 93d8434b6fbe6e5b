/** A node's part in its cluster: the log that its store follows, and the keys that open it. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { CommitLog, Sealer } from '../store/cluster/commit-log.ts'
import { DataDirError } from '../store/db/data-dir.ts'
import type { ClusterKeys } from './cluster-keys.ts'
import { checkEtcd } from './etcd/etcd-check.ts'
import { connectEtcd, type Etcd } from './etcd/etcd-client.ts'
import { EtcdError } from './etcd/etcd-error.ts'
import type { EtcdTarget } from './etcd-target.ts'
import { countedLog, type LogCounts } from './log/counted-log.ts'
import { createEtcdLog } from './log/etcd-log.ts'
import { readIdentity, type NodeIdentity } from './node-identity.ts'
import { createRecordSealer } from './log/record-sealer.ts'
import { readSite } from './site-record.ts'

export interface ClusterNode extends NodeIdentity {
  readonly target: EtcdTarget
  readonly etcd: Etcd
  readonly keys: ClusterKeys
  readonly log: CommitLog
  readonly counts: LogCounts
  readonly sealer: Sealer
  close(): Promise<void>
}

export interface NodeOptions {
  readonly target: EtcdTarget
  /** The data directory. */
  readonly directory: string
  /** Of the site; see clusterKeysOf(). */
  readonly keys: ClusterKeys
  /** In place of that of the directory, for a command that works beside its node. */
  readonly identity?: NodeIdentity
  readonly random: Random
  readonly now: Clock
  readonly log: Log
}

/**
 * Connects the node of a data directory. Rejects with DataDirError where the directory belongs to no cluster or to
 * another one, and with UnusableEtcd. An etcd that does not answer is no error: what the node has can be read
 * meanwhile.
 */
export async function openClusterNode(options: NodeOptions): Promise<ClusterNode> {
  const { target, directory, keys, identity, random, now, log } = options
  const own = identity ?? readIdentity(directory)
  if (own === undefined) {
    throw new DataDirError(
      `Cannot use the data directory "${directory}" with --cluster: it is not that of a node: ` +
        'run "dateline cluster init" for the first node, "dateline cluster join" for another one',
    )
  }
  const etcd = connectEtcd(target, { now, random })
  try {
    await orUnreachable(requireSite(etcd, target, own.site), log)
    const commitLog = createEtcdLog({ etcd, prefix: target.prefix, log })
    const counted = countedLog(commitLog, () => performance.now())
    const sealer = createRecordSealer({ keys: keys.entries, site: own.site })
    const close = async (): Promise<void> => {
      await commitLog.close()
      etcd.close()
    }
    return { ...own, target, etcd, keys, ...counted, sealer, close }
  } catch (error) {
    etcd.close()
    throw error
  }
}

async function requireSite(etcd: Etcd, { prefix }: EtcdTarget, site: string): Promise<void> {
  await checkEtcd(etcd)
  const found = await readSite(etcd, prefix)
  if (found?.site === site) return
  const problem = found === undefined ? 'there is no log' : 'there is the log of another site'
  throw new DataDirError(
    `Cannot use --cluster-prefix ${prefix}: ${problem} in etcd: name the prefix of this site, ` +
      'or join again with an empty data directory',
  )
}

async function orUnreachable(work: Promise<void>, log: Log): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error
    log.warn('cluster.etcd_unreachable', { reason: error.message })
  }
}
