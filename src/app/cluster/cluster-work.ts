/**
 * What a running node does for its cluster: its pulse, the keeper's duties where it is the keeper, trimming the log, and
 * fetching its data again where it has diverged.
 */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../base/clock.ts'
import { concern, type Concern } from '../../base/concern.ts'
import { isoDate } from '../../base/dates.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import { repeat } from '../../base/repeating.ts'
import { systemReason } from '../../base/system-error.ts'
import { VERSION } from '../../base/version.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import { startHeartbeat } from '../../cluster/heartbeat.ts'
import { createMembership, JOINED, SAME_SECRETS, silenceOf, type NodeRecord } from '../../cluster/membership.ts'
import { createTrimming } from '../../cluster/trimming.ts'
import { createDurablePosition } from '../../store/cluster/position-table.ts'
import type { Replication } from '../../store/cluster/replication.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import { fetchCopy } from './fetched-copy.ts'

/** How often the duties are looked at: mail that another node took in is sent after this. */
const LOOK_MS = 250
/** Looks until a copy is asked for again, five seconds. */
const RETRY_LOOKS = 20
const TRIM_MS = MINUTE_MS
/** How often what is committed is made durable, for the log to be trimmed behind it. */
const SYNC_MS = 10_000

function ofSilent(one: NodeRecord): Concern {
  const message = `node ${one.node} ${silenceOf(one)}: start it, or run "dateline cluster remove ${one.node}"`
  return concern(one.state === JOINED ? 'nodeNotStarted' : 'nodeSilent', message, { name: one.node, at: isoDate(one.time) })
}

function ofClock(name: string, ms: number): Concern {
  const size = Math.abs(ms)
  const message = `the clock of node ${name} differs by ${(size / 1000).toFixed(1)} s or more from that of this one: set both by NTP`
  return concern('clock', message, { name, ms: size })
}

/** What the keeper does beside the other nodes. */
export interface KeeperDuties {
  /** Mail was put into the outbox, on whichever node. */
  wakeCourier(): void
  hasMail(): Promise<boolean>
  /** Looks whether a backup is due. */
  wakeBackups(): void
  /** Makes a backup now. */
  backUp(): Promise<void>
  /** The last backup of this node that is whole; undefined where it made none. */
  lastBackup(): NodeRecord['snapshot']
}

export interface ClusterWorkOptions {
  readonly node: ClusterNode
  readonly replication: Replication
  readonly directory: string
  readonly url: () => string | undefined
  readonly duties: KeeperDuties
  readonly startedAt: number
  /** Under which the node has its identity. */
  readonly lease: bigint | undefined
  readonly now: Clock
  readonly log: Log
}

export type ClusterWork = ReturnType<typeof startClusterWork>

export function startClusterWork(options: ClusterWorkOptions) {
  const { node, replication, directory, url, duties, startedAt, lease, now, log } = options
  const { etcd, target, keys, node: own } = node
  const { prefix } = target
  const membership = createMembership({ etcd, prefix, sealKey: keys.seal })
  const replaced = Promise.withResolvers<string>()
  const ticks = (): number => performance.now()
  const durable = createDurablePosition(databaseFile(directory), replication.position)
  const record = (): NodeRecord => ({
    ...{ node: own, url: url(), version: VERSION, schema: replication.schema().known, startedAt, time: now() },
    ...{ position: replication.position(), durable: durable.position() },
    ...{ state: replication.state().kind, snapshot: duties.lastBackup() },
  })
  const heartbeat = startHeartbeat({
    ...{ etcd, membership, prefix, node: own, replication, record, lease, now, log },
    // The next start claims the identity, and says that it cannot.
    onTaken: () => replaced.resolve('another process lives as this node'),
    onKeeper(isKeeper) {
      if (!isKeeper) return
      duties.wakeCourier()
      duties.wakeBackups()
    },
  })
  const trimming = createTrimming({
    ...{ etcd, prefix, commitLog: node.log, own, backUp: duties.backUp, erasures: replication.erasures, log, now, ticks },
    ...{ position: replication.position, mark: replication.mark },
  })
  const stopping = new AbortController()
  let seen = 0
  let trimAt = ticks() + TRIM_MS
  let syncAt = ticks()
  let looksToFetch = 0

  const look = async (): Promise<void> => {
    const position = replication.position()
    trimming.sample(position)
    const state = replication.state()
    if (state.kind === 'diverged') return state.isAhead ? undefined : fetchAgain(state.reason)
    if (ticks() >= syncAt) {
      syncAt = ticks() + SYNC_MS
      await durable.sync()
    }
    if (!heartbeat.isKeeper()) return
    if (position !== seen && (await duties.hasMail())) duties.wakeCourier()
    seen = position
    // How far a node is whose record cannot be read is not known.
    if (ticks() < trimAt || heartbeat.strangers().length > 0) return
    trimAt = ticks() + TRIM_MS
    await trimming.trim(heartbeat.nodes(), position)
  }
  /** The copy takes the place of the database at the next start, which `replaced` asks for. */
  const fetchAgain = async (reason: string): Promise<void> => {
    if (looksToFetch-- > 0) return
    looksToFetch = RETRY_LOOKS
    log.error('cluster.diverged', { reason, action: 'fetching a copy of another node' })
    const peers = heartbeat.nodes().filter((one) => one.node !== own && one.isAlive && one.url !== undefined && one.state !== 'diverged')
    await fetchCopy(peers, { ca: target.ca, node: own, signKey: keys.sign, directory, site: node.site, signal: stopping.signal, now, log })
    replaced.resolve(reason)
  }
  const looks = repeat(() => look().then(() => LOOK_MS), {
    onError(error) {
      log.warn('cluster.work_failed', { reason: systemReason(error) })
      return LOOK_MS
    },
  })

  return {
    membership,
    heartbeat,
    /** Resolves with the reason when the service has to start again: with a copy of another node, or as its identity is taken. */
    replaced: replaced.promise,
    trimmedTo: trimming.trimmedTo,
    /** What needs attention, besides what keeps this node out of service, which its readiness check finds. */
    concerns(): readonly Concern[] {
      const state = replication.state()
      const silent = heartbeat.nodes().filter(({ isAlive }) => !isAlive)
      const failure = heartbeat.failure()
      return [
        ...(url() === undefined ? [concern('noUrl', 'no other node can fetch the data of this one, as it tells no URL: set --cluster-node-url')] : []),
        ...(state.kind === 'no-quorum' ? [concern('noQuorum', 'the log has no quorum: nothing can be written until more servers of etcd run')] : []),
        ...(failure === undefined ? [] : [concern('etcdFailing', `the last exchange with etcd failed: ${failure}`, { detail: failure })]),
        ...trimming.concerns(),
        ...silent.map(ofSilent),
        ...heartbeat.strangers().map((name) => concern('otherSecrets', `node ${name} has other secrets than this one: ${SAME_SECRETS}`, { name })),
        ...[...heartbeat.clocks].map(([other, ms]) => ofClock(other, ms)),
      ]
    },
    async stop(): Promise<void> {
      stopping.abort()
      await looks.stop()
      await heartbeat.stop()
    },
  }
}
