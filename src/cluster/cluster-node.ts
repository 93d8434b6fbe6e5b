/** A node's part in its cluster: the log that its store follows, and the keys that open it. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CommitLog, Sealer } from '../store/cluster/commit-log.ts'
import { DataDirError } from '../store/db/data-dir.ts'
import { checkEtcd } from './etcd/etcd-check.ts'
import { connectEtcd, type Etcd } from './etcd/etcd-client.ts'
import { EtcdError } from './etcd/etcd-error.ts'
import type { EtcdTarget } from './etcd-target.ts'
import { countedLog, type LogCounts } from './log/counted-log.ts'
import { createEpochs, type Epochs } from './log/epochs.ts'
import { createEtcdLog } from './log/etcd-log.ts'
import { keyRingFile, nodeKeyFileOf, readIdentity, type NodeIdentity } from './node-identity.ts'
import { createRecordSealer } from './sealing/record-sealer.ts'
import { openKeyRing } from './sealing/key-ring.ts'
import { readSite } from './site-record.ts'

export interface ClusterNode extends NodeIdentity {
  readonly target: EtcdTarget
  readonly etcd: Etcd
  readonly epochs: Epochs
  readonly log: CommitLog
  readonly counts: LogCounts
  readonly sealer: Sealer
  close(): Promise<void>
}

export interface NodeOptions {
  readonly target: EtcdTarget
  /** The data directory. */
  readonly directory: string
  /** In place of that of the directory, for a command that works beside its node. */
  readonly identity?: NodeIdentity
  readonly random: () => number
  readonly now: Clock
  readonly log: Log
}

/**
 * Connects the node of a data directory. Rejects with DataDirError where the directory belongs to no cluster or to
 * another one, and with UnusableEtcd. An etcd that does not answer is no error: what the node has can be read
 * meanwhile.
 */
export async function openClusterNode(options: NodeOptions): Promise<ClusterNode> {
  const { target, directory, identity, random, now, log } = options
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
    const ring = openKeyRing(keyRingFile(directory))
    const nodeKeyFile = nodeKeyFileOf(directory)
    const { prefix } = target
    const epochs = createEpochs({ etcd, prefix, node: own.node, site: own.site, ring, nodeKeyFile, now, log })
    // A command goes on with the keys of its node, whose ring it reads.
    if (identity === undefined) await orUnreachable(epochs.start(), log)
    const commitLog = createEtcdLog({ etcd, prefix, node: own.node, log, epochs })
    const counted = countedLog(commitLog, () => performance.now())
    const sealer = createRecordSealer({ ring, site: own.site })
    const close = async (): Promise<void> => {
      await commitLog.close()
      etcd.close()
    }
    return { ...own, target, etcd, epochs, ...counted, sealer, close }
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
