/**
 * The services of a test whose service is a cluster: one more node, without HTTP, in a data directory that has joined.
 * What a test writes goes through the log, and what it reads is the newest state.
 */
import { randomBytes } from 'node:crypto'
import { openServices, type Services } from '../../../src/app/services.ts'
import type { Clock } from '../../../src/base/clock.ts'
import type { Log } from '../../../src/base/log.ts'
import { clusterKeysOf } from '../../../src/cluster/cluster-keys.ts'
import { openClusterNode } from '../../../src/cluster/cluster-node.ts'
import { readEtcdTarget } from '../../../src/cluster/etcd-target.ts'
import type { Config } from '../../../src/config/settings.ts'
import { prepareDataDir } from '../../../src/store/db/data-dir.ts'
import { loadSecrets } from '../../../src/store/db/secret-file.ts'
import type { Store } from '../../../src/store/store.ts'

/** The subjects of a store whose reads wait here for the log. A test that runs on a cluster awaits them. */
const READ_SUBJECTS = ['documents', 'accounts', 'outbox'] as const satisfies readonly (keyof Store)[]

export interface MemberServices {
  readonly services: Services
  readonly dataDir: string
  /** Resolves when the services have all that is in the log. */
  newest(): Promise<unknown>
  /** Of the newest entry that the services have written or read. */
  position(): number
  close(): Promise<void>
}

/** `config` names the data directory of the member, and the cluster. */
export async function openMemberServices(
  config: Config,
  { now, log }: { readonly now: Clock; readonly log: Log },
): Promise<MemberServices> {
  const target = readEtcdTarget(config)
  if (target === undefined) throw new Error('The settings name no cluster')
  const keys = clusterKeysOf(loadSecrets(prepareDataDir(config.dataDir).secrets, randomBytes))
  const node = await openClusterNode({ target, directory: config.dataDir, keys, random: () => 0.5, now, log })
  const { log: commitLog, sealer, site } = node
  const cluster = { log: commitLog, sealer, node: node.node, site }
  const services = await openServices(config, { jwtSecret: undefined }, { now, log, own: true, cluster })
  const { store } = services
  const { replication } = store
  if (replication === undefined) throw new Error('The store follows no log')
  const waiting = (reads: object): object =>
    Object.fromEntries(
      Object.entries(reads).map(([name, read]: [string, (...query: readonly unknown[]) => unknown]) => [
        name,
        async (...query: readonly unknown[]): Promise<unknown> => {
          await replication.newest()
          return read(...query)
        },
      ]),
    )
  const fresh = { ...store, ...Object.fromEntries(READ_SUBJECTS.map((subject) => [subject, waiting(store[subject])])) }
  return {
    services: { ...services, store: fresh },
    dataDir: config.dataDir,
    newest: () => replication.newest(),
    position: () => replication.position(),
    async close() {
      await store.close()
      await node.close()
    },
  }
}
