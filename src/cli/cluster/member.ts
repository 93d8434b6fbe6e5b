/** What commands about a cluster work on: etcd, and the identity and keys of the node whose data directory is named. */
import { resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { clusterKeysOf, type ClusterKeys } from '../../cluster/cluster-keys.ts'
import { checkEtcdPatiently } from '../../cluster/etcd/etcd-check.ts'
import { connectEtcd, type Etcd } from '../../cluster/etcd/etcd-client.ts'
import { ClusterSettingError, readEtcdTarget, type EtcdTarget } from '../../cluster/etcd-target.ts'
import { createMembership, type Membership } from '../../cluster/membership.ts'
import { readIdentity, type NodeIdentity } from '../../cluster/node-identity.ts'
import { readSite, type SiteRecord } from '../../cluster/site-record.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets, secretsInUse } from '../../config/secrets.ts'
import type { Config } from '../../config/settings.ts'
import { DataDirError, prepareDataDir } from '../../store/db/data-dir.ts'
import type { Arguments, Terminal } from '../command.ts'

export interface Reached {
  readonly config: Config
  readonly target: EtcdTarget
  readonly etcd: Etcd
  /** Of the log below the prefix; undefined where there is none. */
  readonly found: SiteRecord | undefined
}

/** Does the work with etcd, which was checked. Rejects with ClusterSettingError, UnusableEtcd and EtcdError. */
export async function withEtcd<T>(args: Arguments, terminal: Terminal, work: (reached: Reached) => Promise<T>): Promise<T> {
  const config = readConfig(args.settings, terminal.environment)
  const target = readEtcdTarget(config)
  if (target === undefined) {
    throw new ClusterSettingError('Cannot reach the cluster: name its etcd servers with --cluster, such as https://e1:2379')
  }
  const etcd = connectEtcd(target, { now: systemClock, random: systemRandom })
  try {
    await checkEtcdPatiently(etcd)
    return await work({ config, target, etcd, found: await readSite(etcd, target.prefix) })
  } finally {
    etcd.close()
  }
}

export interface Member extends Reached {
  readonly identity: NodeIdentity
  readonly keys: ClusterKeys
  readonly membership: Membership
}

/** The same for a data directory that is that of a node. Rejects with DataDirError for another one. */
export function withMember<T>(args: Arguments, terminal: Terminal, work: (member: Member) => Promise<T>): Promise<T> {
  return withEtcd(args, terminal, async (reached) => {
    const { config, target, etcd, found } = reached
    const directory = resolve(config.dataDir)
    const identity = readIdentity(directory)
    if (identity === undefined) {
      throw new DataDirError(`Cannot use the data directory "${directory}": it is not that of a node: name that of one with --data-dir`)
    }
    if (found?.site !== identity.site) {
      throw new DataDirError(
        `Cannot use the data directory "${directory}": the log at ${target.prefix} is not that of its site: check --cluster-prefix`,
      )
    }
    const keys = clusterKeysOf(secretsOf(config, terminal))
    const membership = createMembership({ etcd, prefix: target.prefix, sealKey: keys.seal })
    return work({ ...reached, identity, keys, membership })
  })
}

/** The secrets in use. */
export function secretsOf({ dataDir }: Config, { environment }: Terminal): readonly [string, ...string[]] {
  return secretsInUse(readSecrets(environment), () => prepareDataDir(dataDir).secrets)
}
