/** The service as a node of a cluster: what is opened before its store, what runs beside it, and what it adds to HTTP. */
import { existsSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../base/clock.ts'
import type { Concern } from '../../base/concern.ts'
import { SECOND_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { systemReason } from '../../base/system-error.ts'
import { VERSION } from '../../base/version.ts'
import { clusterKeysOf } from '../../cluster/cluster-keys.ts'
import { clusterStatus } from '../../cluster/cluster-status.ts'
import { EtcdError } from '../../cluster/etcd/etcd-error.ts'
import { openClusterNode } from '../../cluster/cluster-node.ts'
import { readEtcdTarget } from '../../cluster/etcd-target.ts'
import { claimIdentity, takenText } from '../../cluster/identity-claim.ts'
import { createJoinTokens } from '../../cluster/join-tokens.ts'
import { createKeeperRequests, type KeeperNode } from '../../cluster/keeper-requests.ts'
import { createMembership, type NodeRecord } from '../../cluster/membership.ts'
import { downloadPicture } from '../../cluster/peer-requests.ts'
import type { ClusterStatus } from '../../models/responses.ts'
import { secretsInUse, type Secrets } from '../../config/secrets.ts'
import type { Config } from '../../config/settings.ts'
import { NO_PROXIES } from '../../http/client-address.ts'
import type { Route } from '../../http/router.ts'
import type { BackupSchedule } from '../../store/backup/backup-schedule.ts'
import type { Replication } from '../../store/cluster/replication.ts'
import { filePosition } from '../../store/cluster/position-table.ts'
import { databaseFile, DataDirError, prepareDataDir } from '../../store/db/data-dir.ts'
import { fileNameOf, type PictureFiles } from '../../store/media/picture-files.ts'
import type { Store } from '../../store/store.ts'
import type { Services } from '../services.ts'
import { clusterMetrics } from './cluster-metrics.ts'
import { removeLeftCommands } from './command-copies.ts'
import { startClusterWork, type ClusterWork } from './cluster-work.ts'
import { createPictureFetching, type PictureFetching } from './fetched-pictures.ts'
import { nodeRoutes, removeCopies, type NodeRoutesOptions } from './node-routes.ts'

const PICTURE_MS_MAX = 20 * SECOND_MS
/** An entry that is not applied after so long keeps those behind it waiting. */
const STUCK_MS = SECOND_MS

export interface NodeServiceOptions {
  readonly config: Config
  readonly dataDir: string
  readonly secrets: Secrets
  readonly now: Clock
  readonly log: Log
}

/** What serves the writes that other nodes send. */
type ForwardedParts = Pick<NodeRoutesOptions, 'handlers' | 'bodyBytesMax'>

export type NodeService = Exclude<Awaited<ReturnType<typeof openNodeService>>, undefined>

/** Undefined where the service runs alone. Rejects with ClusterSettingError, DataDirError and UnusableEtcd. */
export async function openNodeService({ config, dataDir, secrets, now, log }: NodeServiceOptions) {
  const target = readEtcdTarget(config)
  if (target === undefined) return undefined
  const keys = clusterKeysOf(secretsInUse(secrets, () => prepareDataDir(dataDir).secrets))
  const node = await openClusterNode({ target, directory: dataDir, keys, random: systemRandom, now, log })
  const keeperRequests = createKeeperRequests({ node: node.node, signKey: keys.sign, ca: target.ca, now, ticks: () => performance.now(), log })
  let work: ClusterWork | undefined
  let startedAt = 0
  let lease: bigint | undefined
  const replaced = Promise.withResolvers<string>()
  return {
    /** What the store follows. */
    cluster: { log: node.log, sealer: node.sealer, node: node.node, site: node.site },
    isKeeper: (): boolean => work?.heartbeat.isKeeper() === true,
    /** How many nodes serve a user. */
    nodes: (): number => Math.max(1, work?.heartbeat.nodes().filter(({ isAlive }) => isAlive).length ?? 1),
    /** The same on all nodes whose versions of models mean the same documents, and that give the same results. */
    versionsOf: [node.site, VERSION, config.pageSize, config.pageSizeMax, config.hideInactive].join(' '),
    /** What nodes request from each other. */
    routes: ({ secrets, store: { replication } }: Services, pictures: PictureFiles, forwarded: ForwardedParts): readonly Route[] =>
      nodeRoutes({
        ...{ pictures, ...forwarded },
        startedAt: () => startedAt,
        takesWrites: () => work?.heartbeat.isKeeper() === true && replication !== undefined && canWrite(replication),
        position: () => replication?.position() ?? 0,
        ...{ directory: dataDir, database: databaseFile(dataDir), prefix: target.prefix, secrets },
        ...{ site: node.site, node: node.node },
        signKey: keys.sign,
        tokens: createJoinTokens(node.etcd, target.prefix),
        isInService: () => replication?.state().kind !== 'diverged',
        isEncrypted: config.tlsCert !== undefined || config.trustedProxies !== NO_PROXIES,
        ...{ now, log },
      }),
    /** The keeper where it is another node that takes writes, and the requests to it. */
    writes: {
      requests: keeperRequests,
      keeper(): KeeperNode | undefined {
        if (work === undefined || work.heartbeat.isKeeper()) return undefined
        const id = work.heartbeat.keeper()
        const found = id === node.node ? undefined : work.heartbeat.nodes().find((one) => one.node === id)
        if (found?.url === undefined || !found.isAlive || found.version !== VERSION || found.state === 'diverged') return undefined
        return { node: found.node, url: found.url, startedAt: found.startedAt }
      },
    },
    /** Gets the files of pictures that other nodes took in. */
    pictures: (store: Pick<Store, 'pictures'>, files: PictureFiles): PictureFetching =>
      createPictureFetching({
        ...{ store, files, now, log },
        peers: () => work?.heartbeat.nodes().filter((one) => one.node !== node.node && one.isAlive && one.url !== undefined) ?? [],
        download: ({ node: to, url = '' }, picture) =>
          downloadPicture(
            { url, ca: target.ca, signal: AbortSignal.timeout(PICTURE_MS_MAX) },
            { node: node.node, to, signKey: keys.sign, now, name: fileNameOf(picture), bytesMax: picture.bytes },
          ),
      }),
    /**
     * Takes the identity, before anything is served; to be called while the process owns the directory. Rejects with
     * DataDirError where another process lives as this node.
     */
    async claim(): Promise<void> {
      const membership = createMembership({ etcd: node.etcd, prefix: target.prefix, sealKey: keys.seal })
      try {
        lease = await claimIdentity({ etcd: node.etcd, membership, node: node.node })
      } catch (error) {
        // What the node has can be read meanwhile: the heartbeat goes on trying.
        if (!(error instanceof EtcdError)) throw error
        return log.warn('cluster.etcd_unreachable', { reason: error.message })
      }
      if (lease === undefined) throw new DataDirError(takenText(node.node, dataDir))
    },
    /** Begins to live among the other nodes; `url` is where they reach this one. */
    start({ services, url, wakeCourier, backups }: StartOptions): ClusterWork {
      const { store } = services
      const { replication } = store
      if (replication === undefined) throw new Error('The store follows no log')
      removeCopies(dataDir)
        .then(() => removeLeftCommands(dataDir))
        .catch((error: unknown) => log.warn('cluster.copies_not_removed', { reason: systemReason(error) }))
      startedAt = now()
      work = startClusterWork({
        ...{ node, replication, directory: dataDir, lease, now, log, startedAt },
        url: () => url,
        duties: {
          wakeCourier,
          hasMail: async () => store.outbox.oldestWaitingAt() !== undefined,
          wakeBackups: () => backups()?.wake(),
          backUp: async () => backups()?.make(),
          lastBackup: backupReader(backups, dataDir),
        },
      })
      void work.replaced.then(replaced.resolve)
      clusterMetrics(services.metrics, { replication, counts: node.counts, forwarded: keeperRequests.counts, work })
      return work
    },
    /** What needs attention. */
    concerns: (): readonly Concern[] => work?.concerns() ?? [],
    /** Rejects with networkError where etcd has no quorum. */
    async status(): Promise<ClusterStatus> {
      if (work === undefined) throw fail('networkError', 'This node is starting: try again soon')
      try {
        return await clusterStatus({ etcd: node.etcd, prefix: target.prefix, site: node.site, membership: work.membership })
      } catch (error) {
        if (error instanceof EtcdError) throw fail('networkError', 'Cannot read the state of the cluster: etcd does not answer', { cause: error })
        throw error
      }
    },
    /** Resolves with the reason when the service has to start again, with the copy of another node. */
    replaced: replaced.promise,
    /** Stops what start() began. */
    stop: async (): Promise<void> => work?.stop(),
    async close(): Promise<void> {
      keeperRequests.close()
      // A heartbeat has given it up itself.
      if (work === undefined && lease !== undefined) await node.etcd.revokeLease(lease).catch(() => {})
      await node.close()
    },
  }
}

/** Whether a node has the log, and its disk takes what is in it. */
function canWrite(replication: Replication): boolean {
  const { kind } = replication.state()
  return (kind === 'in-step' || kind === 'behind') && replication.lagMs() < STUCK_MS
}

interface StartOptions {
  readonly services: Services
  /** Undefined where the others would have to be told. */
  readonly url: string | undefined
  readonly wakeCourier: () => void
  readonly backups: () => BackupSchedule | undefined
}

/** Returns the function that gives the last backup in the directory of this node with its position, which is read from its file once. */
function backupReader(backups: () => BackupSchedule | undefined, directory: string): () => NodeRecord['snapshot'] {
  let known: { readonly file: string; readonly snapshot: NodeRecord['snapshot'] } | undefined
  return () => {
    const last = backups()?.state().last
    if (last === undefined) return undefined
    if (known?.file !== last.file) {
      const position = last.file.startsWith(directory) && existsSync(last.file) ? filePosition(last.file)?.position : undefined
      known = { file: last.file, snapshot: position === undefined ? undefined : { position, at: last.at } }
    }
    return known.snapshot
  }
}
