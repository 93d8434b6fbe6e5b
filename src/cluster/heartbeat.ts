/**
 * The pulse of a node: it keeps the lease of its identity alive, says how far it is, reads how the others are, and
 * learns which node is the keeper.
 *
 * The keeper is the node whose key is under its lease. It believes so for no longer than the lease lasts, counted from
 * before the request that renewed it and by the clock, as timers of a node that stood still are late: so there are never
 * two while etcd keeps a lease for its whole time. One of its leaders that stood still may end leases that were renewed
 * elsewhere meanwhile (etcd issue 15247); what a keeper does is safe then as well, as it goes through the log.
 */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { repeat } from '../base/repeating.ts'
import { systemReason } from '../base/system-error.ts'
import type { Replication } from '../store/cluster/replication.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import { CLAIM_MS_MAX, claimOnce, LEASE_SECONDS } from './identity-claim.ts'
import { CLOCK_TOLERANCE_MS } from './peer-clock.ts'
import { clockDifference, type KnownNode, type Membership, type NodeRecord } from './membership.ts'

const LEASE_MS = LEASE_SECONDS * 1000
const BEAT_MS = 1_000
/** Records are read at every second beat. One that says nothing new is written rarely: each is a revision of etcd. */
const RECORD_BEATS = 2
const QUIET_MS = 30_000

export interface HeartbeatOptions {
  readonly etcd: Pick<Etcd, 'grantLease' | 'keepLeaseAlive' | 'revokeLease' | 'transact'>
  readonly membership: Pick<Membership, 'claim' | 'write' | 'list'>
  readonly prefix: string
  readonly node: string
  readonly replication: Pick<Replication, 'newest'>
  readonly record: () => NodeRecord
  /** Under which the node has its identity already; undefined where etcd did not answer. */
  readonly lease?: bigint | undefined
  /** Called when another process has lived as this node for longer than a lease lasts. */
  readonly onTaken: () => void
  /** Called when this node becomes the keeper, and when it no longer is. */
  readonly onKeeper: (isKeeper: boolean) => void
  readonly now: Clock
  /** Milliseconds of a clock that is never set; that of the process by default. */
  readonly ticks?: Clock
  readonly log: Log
}

export type Heartbeat = ReturnType<typeof startHeartbeat>

export function startHeartbeat(options: HeartbeatOptions) {
  const { etcd, membership, prefix, node, replication, record, onKeeper, onTaken, now, log, ticks = () => performance.now() } = options
  const stopping = new AbortController()
  let { lease } = options
  let takenSince: number | undefined
  let heldUntil = 0
  let isKeeper = false
  let keeper: string | undefined
  let nodes: readonly KnownNode[] = []
  let strangers: readonly string[] = []
  let listedAt = now()
  let written: NodeRecord | undefined
  const clocks = new Map<string, number>()
  let failure: string | undefined
  let beats = 0
  let expiry: NodeJS.Timeout | undefined

  const become = (keeper: boolean): void => {
    if (isKeeper === keeper) return
    isKeeper = keeper
    log.info(keeper ? 'cluster.keeper' : 'cluster.keeper_elsewhere', { node })
    onKeeper(keeper)
  }
  const isHeld = (): boolean => lease !== undefined && ticks() < heldUntil
  /** The lease is renewed from `since` on. */
  const renewed = (since: number): void => {
    heldUntil = since + LEASE_MS
    clearTimeout(expiry)
    expiry = setTimeout(() => become(false), heldUntil - ticks())
  }
  const holdLease = async (): Promise<void> => {
    const since = ticks()
    if (lease !== undefined && (await etcd.keepLeaseAlive(lease))) return renewed(since)
    become(false)
    lease = undefined
    lease = await claimOnce({ etcd, membership, node })
    if (lease !== undefined) {
      takenSince = undefined
      return renewed(since)
    }
    takenSince ??= since
    if (ticks() - takenSince > CLAIM_MS_MAX) onTaken()
    throw new Error(`another process lives as node ${node}: a data directory belongs to one node, which others join`)
  }
  const seekKeeper = async (): Promise<void> => {
    if (isKeeper || lease === undefined) return
    const key = `${prefix}keeper`
    const put = { key, value: Buffer.from(node), lease }
    const { hasSucceeded, ranges } = await etcd.transact({
      compare: [{ key, createRevision: 0 }],
      success: [{ kind: 'put', put }],
      failure: [{ kind: 'range', range: { key } }],
    })
    // With our id it is under our lease, as claim() waits until an earlier one is gone: the response was lost, or the
    // lease lasted longer than this node could know, such as through an election in etcd.
    keeper = hasSucceeded ? node : ranges[0]?.[0]?.value.toString()
    const isOurs = keeper === node
    if (isOurs && isHeld() && !stopping.signal.aborted) become(true)
  }
  const exchangeRecords = async (): Promise<void> => {
    const own = record()
    if (written === undefined || hasNews(written, own) || own.time - written.time > QUIET_MS) {
      await membership.write(own)
      written = own
    }
    const before = new Map(nodes.map(({ node, time }) => [node, time]))
    ;({ nodes, strangers } = await membership.list())
    const range = { since: listedAt, now: now() }
    for (const { node: other, time } of nodes) {
      // Only a record that is new since the last reading tells something.
      if (other === node || (before.get(other) ?? time) === time) continue
      const difference = clockDifference(time, range)
      if (Math.abs(difference) > CLOCK_TOLERANCE_MS) clocks.set(other, difference)
      else clocks.delete(other)
    }
    listedAt = range.now
  }

  const live = async (): Promise<void> => {
    await holdLease()
    await seekKeeper()
    if (beats++ % RECORD_BEATS === 0) await exchangeRecords()
  }
  /** Whether there is a quorum is known by asking, most of all where nothing else succeeds. */
  const askLog = (): Promise<unknown> => replication.newest(AbortSignal.timeout(BEAT_MS)).catch(() => {})
  const beat = (): Promise<unknown> => Promise.all([live(), askLog()])
  const report = (reason: string | undefined): number => {
    if (reason !== undefined && reason !== failure) log.warn('cluster.heartbeat_failed', { reason })
    failure = reason
    return BEAT_MS
  }
  const rounds = repeat(() => beat().then(() => report(undefined)), { onError: (error) => report(systemReason(error)) })

  return {
    isKeeper: (): boolean => isKeeper && isHeld(),
    /** The keeper, as it was read last. */
    keeper: (): string | undefined => keeper,
    /** All nodes, as they were read last. */
    nodes: (): readonly KnownNode[] => nodes,
    /** Nodes with other secrets, as they were read last. */
    strangers: (): readonly string[] => strangers,
    /** Nodes whose clocks differ by more than two seconds, and by how many milliseconds at least. */
    clocks: clocks as ReadonlyMap<string, number>,
    /** Why the last beat failed; undefined where it did not. */
    failure: (): string | undefined => failure,
    /** Gives up lease and keeper's work, so that another node takes them over immediately. */
    async stop(): Promise<void> {
      stopping.abort()
      await rounds.stop()
      become(false)
      clearTimeout(expiry)
      if (lease !== undefined) await etcd.revokeLease(lease).catch(() => {})
    },
  }
}

function hasNews(before: NodeRecord, after: NodeRecord): boolean {
  return before.position !== after.position || before.durable !== after.durable || before.state !== after.state
}
