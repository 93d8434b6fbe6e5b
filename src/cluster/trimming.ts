/**
 * How far the log is trimmed: behind the slowest node, but nodes are waited for within a window only, of 24 hours
 * or 256 MiB of etcd; a node that comes back later fetches a copy of another one. Never past what a power cut of all
 * nodes would leave in their databases, nor past the last backup: with it and the log, nothing is lost even where all
 * nodes are. What is trimmed is gone from etcd's databases when erasure.ts has had them rewritten.
 *
 * What is measured here is measured in ticks, so that a clock that is set back stops nothing.
 */
import { DAY_MS, MINUTE_MS } from '../base/duration.ts'
import type { CommitLog } from '../store/cluster/commit-log.ts'
import { createErasure, type ErasureParts } from './erasure.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import type { KnownNode } from './membership.ts'

const WINDOW_BYTES = 256 * 1024 * 1024
const WINDOW_MS = DAY_MS
const SAMPLE_MS = 10 * MINUTE_MS
/** The log that a new backup lets go is worth one no more often than this. */
const BACKUP_MS = 10 * MINUTE_MS

export interface TrimmingOptions extends ErasureParts {
  readonly etcd: ErasureParts['etcd'] & Pick<Etcd, 'statusAt'>
  readonly commitLog: Pick<CommitLog, 'trim'>
  readonly own: string
  readonly backUp: () => Promise<void>
}

export function createTrimming(options: TrimmingOptions) {
  const { etcd, commitLog, own, backUp, now, ticks } = options
  const erasure = createErasure(options)
  /** Where this node was at which time, the oldest first, a little more than a window of it. */
  const samples: { readonly at: number; readonly position: number }[] = []
  let trimmed = 0
  let backedUpAt = Number.NEGATIVE_INFINITY
  return {
    /** Remembers where this node is now. */
    sample(position: number): void {
      if (ticks() - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < SAMPLE_MS) return
      samples.push({ at: ticks(), position })
      if (ticks() - (samples[1]?.at ?? ticks()) > WINDOW_MS) samples.shift()
    },
    /** Trims what no node and no restored backup needs. Rejects with LogUnavailable and EtcdError. */
    async trim(nodes: readonly KnownNode[], position: number): Promise<void> {
      await erasure.begin()
      const isFull = (await usedBytes(etcd)) > WINDOW_BYTES
      const snapshot = nodes.find(({ node }) => node === own)?.snapshot
      const isOld = Math.abs(now() - (snapshot?.at ?? 0)) > BACKUP_MS && ticks() - backedUpAt > BACKUP_MS
      const isWanted = (isFull && snapshot?.position !== position) || erasure.waitsFor(snapshot?.position ?? 0)
      if (isWanted && isOld) {
        backedUpAt = ticks()
        await backUp()
      }
      const [oldest] = samples
      const windowStart = oldest !== undefined && ticks() - oldest.at > WINDOW_MS ? oldest.position : 0
      const before = trimPosition(nodes, { windowStart, isFull, position })
      if (before > trimmed) await commitLog.trim(before)
      trimmed = Math.max(trimmed, before)
      await erasure.goOn(trimmed)
    },
    trimmedTo: (): number => trimmed,
    /** What needs attention. */
    concerns: erasure.concerns,
  }
}

interface Window {
  /** The position of this node a window ago; 0 where it has not run for so long. */
  readonly windowStart: number
  /** Whether the log is longer than the window. */
  readonly isFull: boolean
  readonly position: number
}

/** A position before which no entry is needed; 0 where all may be. */
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
