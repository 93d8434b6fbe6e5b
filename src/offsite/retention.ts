/** Which snapshots stay: the newest, and the last one of each of some days, weeks and months. */
import { DAY_MS } from '../base/duration.ts'
import { segmentKey, segmentsIn, snapshotKeys, snapshotsIn, unfinishedIn, type Segment, type Snapshot } from './object-keys.ts'
import type { PlaceObject } from './place.ts'

const KINDS = ['latest', 'days', 'weeks', 'months'] as const
const COUNT_MAX = 1_000

/** How many of each kind stay; one of `latest` at least. */
export type Retention = Readonly<Record<(typeof KINDS)[number], number>>

/** Two days of snapshots at the default period, and those of days, weeks and months. */
export const DEFAULT_RETENTION: Retention = { latest: 8, days: 7, weeks: 4, months: 12 }

/** Reads `latest:8,days:7,weeks:4,months:12`; a kind that is not named is 0. Throws an Error. */
export function parseRetention(text: string): Retention {
  const counts = { latest: 0, days: 0, weeks: 0, months: 0 }
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, kind = '', count = ''] = /^([a-z]+):(\d{1,4})$/.exec(part) ?? []
    if (!isKind(kind) || Number(count) > COUNT_MAX) throw new Error(`expected counts up to ${COUNT_MAX} such as ${showRetention(DEFAULT_RETENTION)}, found "${part}"`)
    counts[kind] = Number(count)
  }
  if (counts.latest < 1) throw new Error(`expected latest:1 at least, found "${text}"`)
  return counts
}

export function showRetention(retention: Retention): string {
  return KINDS.map((kind) => `${kind}:${retention[kind]}`).join(',')
}

function isKind(kind: string): kind is (typeof KINDS)[number] {
  return KINDS.some((one) => one === kind)
}

/** Those that stay, of snapshots that are listed oldest first. */
function keptSnapshots(snapshots: readonly Snapshot[], { latest, days, weeks, months }: Retention): readonly Snapshot[] {
  const newest = snapshots.toReversed()
  const kept = new Set(newest.slice(0, latest))
  const keepLastOf = (count: number, periodOf: (at: number) => string): void => {
    const periods = new Set<string>()
    for (const snapshot of newest) {
      const period = periodOf(snapshot.at)
      if (periods.has(period)) continue
      if (periods.size === count) return
      periods.add(period)
      kept.add(snapshot)
    }
  }
  keepLastOf(days, (at) => String(Math.floor(at / DAY_MS)))
  // The epoch was a Thursday: weeks begin on Monday.
  keepLastOf(weeks, (at) => String(Math.floor((at / DAY_MS + 3) / 7)))
  keepLastOf(months, (at) => new Date(at).toISOString().slice(0, 7))
  return snapshots.filter((snapshot) => kept.has(snapshot))
}

/** The changes of a chain behind this number, which are not stored yet, or are being stored. */
export interface UnprovedChanges {
  readonly chain: string
  readonly behind: number
}

/**
 * The keys of all that may go, in the order in which to remove them: a manifest before its archive, so that what is left of a
 * removal is no snapshot. Changes stay from the oldest of the latest snapshots on: a time before it has that of its snapshot alone.
 * Those that may still be read back, to be compared with what was sent, stay in any case.
 */
export function surplus(objects: readonly PlaceObject[], retention: Retention, unproved?: UnprovedChanges): readonly string[] {
  const snapshots = snapshotsIn(objects)
  const kept = new Set(keptSnapshots(snapshots, retention))
  const old = snapshots.filter((snapshot) => !kept.has(snapshot)).flatMap((snapshot) => [snapshotKeys(snapshot).manifest, snapshotKeys(snapshot).archive])
  const latest = snapshots.slice(-retention.latest)
  const isNeeded = ({ chain, last, at }: Segment): boolean => {
    if (chain === unproved?.chain && last > unproved.behind) return true
    if (latest.length === 0) return true
    const ofChain = latest.filter((snapshot) => snapshot.chain === chain)
    // A chain without a snapshot is one whose first snapshot is on its way, or has ended.
    if (ofChain.length === 0) return at >= (latest[0]?.at ?? 0)
    return last > Math.min(...ofChain.map(({ seq }) => seq))
  }
  const passed = segmentsIn(objects).filter((segment) => !isNeeded(segment)).map(segmentKey)
  return [...old, ...passed, ...unfinishedIn(objects)]
}
