/**
 * How long a node waits for further jobs before it proposes an entry.
 *
 * An entry costs every node and every etcd server nearly the same, however many jobs are in it. Clients whose writes were
 * committed together send their next ones together: so a node waits until as many jobs are there as it had clients at its
 * last commit. It waits no longer than the log took for that entry, within some milliseconds. A client that writes alone
 * never waits.
 *
 * This is also what keeps nodes that write at the same time from racing all the time. A node that has just written leaves
 * the log to the others for the whole time where one of them wrote lately, and a node whose entry came too late does not
 * wait: it is the first one next.
 */
import { SECOND_MS } from '../../base/duration.ts'
import { within } from '../../base/pause.ts'

const GATHER_MS_MIN = 4
const GATHER_MS_MAX = 20
/** Since the last entry of another node. */
const RIVAL_MS = SECOND_MS

export interface GatheringOptions {
  /** How many jobs wait. */
  readonly waiting: () => number
  /** Milliseconds of a clock that is never set. */
  readonly ticks: () => number
}

export function createEntryGathering({ waiting, ticks }: GatheringOptions) {
  /** How many jobs the next entry is expected to have; 0 where it is proposed with those that are there. */
  let expected = 0
  let patienceMs = GATHER_MS_MIN
  let rivalAt = Number.NEGATIVE_INFINITY
  let wake: () => void = () => {}

  const leavesLog = (): boolean => expected > 0 && ticks() - rivalAt < RIVAL_MS
  const isComplete = (): boolean => waiting() >= expected && !leavesLog()
  return {
    /** This node has written an entry with so many jobs, which took so long. */
    won(jobs: number, tookMs: number): void {
      expected = jobs + waiting()
      patienceMs = Math.min(GATHER_MS_MAX, Math.max(GATHER_MS_MIN, tookMs))
    },
    /** Another entry came first. */
    lost(): void {
      expected = 0
    },
    /** An entry has come: what this node would write next may be out of date until it is applied. */
    entryCame(): void {
      wake()
    },
    /** Entries of other nodes were applied. */
    rivalWrote(): void {
      rivalAt = ticks()
    },
    /** A job waits. */
    jobCame(): void {
      if (isComplete()) wake()
    },
    /** Nothing is waited for any more. */
    stop(): void {
      expected = 0
      wake()
    },
    /** Resolves when the next entry may be proposed, or an entry has come. */
    async wait(): Promise<void> {
      if (isComplete()) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await within(patienceMs, promise)
    },
  }
}
