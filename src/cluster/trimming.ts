/**
 * How far the log may be trimmed: behind the slowest node, but nodes are waited for within a window only, of 24 hours
 * or 256 MiB of etcd; a node that comes back later fetches a copy of another one. Never past what a power cut of all
 * nodes would leave in their databases, nor past the last backup: with it and the log, nothing is lost even where all
 * nodes are. With the entries go the keys that open them.
 *
 * What is measured here is measured in ticks, so that a clock that is set back stops nothing.
 */
import type { Clock } from '../base/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import type { CommitLog } from '../store/cluster/commit-log.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import type { Epochs } from './log/epochs.ts'
import type { KnownNode } from './membership.ts'

const WINDOW_BYTES = 256 * 1024 * 1024
const WINDOW_MS = DAY_MS
/** What was deleted can be read in no file of etcd, nor in a copy of one, a while after its epoch. */
const EPOCH_MS = DAY_MS
/** Shorter, where an account was deleted in it. */
const ERASURE_EPOCH_MS = HOUR_MS
const SAMPLE_MS = 10 * MINUTE_MS
/** The log that a new backup lets go is worth one no more often than this. */
const BACKUP_MS = 10 * MINUTE_MS

export interface TrimmingOptions {
  readonly etcd: Pick<Etcd, 'endpoints' | 'statusAt'>
  readonly log: Pick<CommitLog, 'trim'>
  readonly epochs: Pick<Epochs, 'begunAt' | 'rotate' | 'destroyBefore'>
  readonly own: string
  readonly backUp: () => Promise<void>
  /** How often something was erased on this node. */
  readonly erasures: () => number
  /** Appends an entry that changes nothing. */
  readonly mark: () => Promise<void>
  readonly now: Clock
  /** Milliseconds of a clock that is never set. */
  readonly ticks: Clock
}

export function createTrimming({ etcd, log, epochs, own, backUp, erasures, mark, now, ticks }: TrimmingOptions) {
  /** Where this node was at which time, the oldest first, a little more than a window of it. */
  const samples: { readonly at: number; readonly position: number }[] = []
  let trimmed = 0
  /** Those of epochs that are over. */
  let erasuresBefore = 0
  /** An idle site has no entry behind the last epoch, which would keep the key of what was deleted in it. */
  let needsMark = false
  /** Also where the clock was set back, or the epoch was begun by one that was ahead. */
  const isPast = (at: number, ms: number): boolean => Math.abs(now() - at) > ms
  return {
    /** Remembers where this node is now. */
    sample(position: number): void {
      if (ticks() - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < SAMPLE_MS) return
      samples.push({ at: ticks(), position })
      if (ticks() - (samples[1]?.at ?? ticks()) > WINDOW_MS) samples.shift()
    },
    /** Trims what no node and no restored backup needs. Rejects with LogUnavailable and EtcdError. */
    async trim(nodes: readonly KnownNode[], position: number): Promise<void> {
      const erased = erasures()
      if (isPast(epochs.begunAt(), erased > erasuresBefore ? ERASURE_EPOCH_MS : EPOCH_MS) && (await epochs.rotate())) {
        erasuresBefore = erased
        needsMark = true
      }
      if (needsMark) await mark()
      needsMark = false
      const isFull = (await usedBytes(etcd)) > WINDOW_BYTES
      const snapshot = nodes.find(({ node }) => node === own)?.snapshot
      if (isFull && isPast(snapshot?.at ?? 0, BACKUP_MS) && snapshot?.position !== position) await backUp()
      const [oldest] = samples
      const windowStart = oldest !== undefined && ticks() - oldest.at > WINDOW_MS ? oldest.position : 0
      const before = trimPosition(nodes, { windowStart, isFull, position })
      if (before > trimmed) await log.trim(before)
      trimmed = Math.max(trimmed, before)
      await epochs.destroyBefore(trimmed, nodes.map(({ node }) => node))
    },
    trimmedTo: (): number => trimmed,
  }
}

interface Window {
  /** The position of this node a window ago; 0 where it has not run for so long. */
  readonly windowStart: number
  /** Whether the log is longer than the window. */
  readonly isFull: boolean
  readonly position: number
}

/** The position before which no entry is needed; 0 where all may be. */
function trimPosition(nodes: readonly KnownNode[], { windowStart, isFull, position }: Window): number {
  const living = nodes.filter(({ isAlive }) => isAlive)
  const backups = living.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [snapshot.position]))
  const waitedFor = nodes.filter((one) => one.position >= windowStart && (one.isAlive || !isFull))
  return Math.max(0, Math.min(position, Math.max(0, ...backups), ...waitedFor.map((one) => one.durable)))
}

/** Of the first server that answers: all have the same keys. */
async function usedBytes({ endpoints, statusAt }: TrimmingOptions['etcd']): Promise<number> {
  for (const url of endpoints) {
    const status = await statusAt(url).catch(() => undefined)
    if (status !== undefined) return status.dbBytesInUse
  }
  return 0
}
