/**
 * What was deleted leaves etcd, too: the keeper has the log trimmed past it, and then each etcd server rewrite its database,
 * one after the other. That happens within an hour after an account was deleted, and else once a day: no node knows
 * what was deleted before it started.
 *
 *     PREFIXerased    when it happened last, in milliseconds since 1970
 *
 * https://etcd.io/docs/v3.4/op-guide/maintenance/#defragmentation
 */
import type { Clock } from '../base/clock.ts'
import { concern, type Concern } from '../base/concern.ts'
import { DAY_MS, MINUTE_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import { systemReason } from '../base/system-error.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import { EtcdError } from './etcd/etcd-error.ts'

/** Between two erasures where accounts are deleted: with the minutes that one takes, an hour. */
const ERASURE_MS = 45 * MINUTE_MS

const MISSING_ROLE = 'the user of --cluster-user may not defragment it: give this user the role root, or run "etcdctl defrag --cluster" every hour'

export interface ErasureParts {
  readonly etcd: Pick<Etcd, 'endpoints' | 'range' | 'transact' | 'defragmentAt'>
  readonly prefix: string
  /** How often something was erased on this node. */
  readonly erasures: () => number
  /** Of the newest entry that this node has applied. */
  readonly position: () => number
  /** Appends an entry that changes nothing behind the newest one, which this node has applied. */
  readonly mark: () => Promise<void>
  readonly log: Log
  readonly now: Clock
  /** Milliseconds of a clock that is never set. */
  readonly ticks: Clock
}

/** What is being erased. */
interface Erasing {
  readonly erasures: number
  /** Where the log is trimmed up to it, no entry is left that was there when this began. */
  readonly position: number
  /** The servers that are to rewrite their database. */
  readonly left: readonly string[]
}

/**
 * Compaction keeps the last entry ahead of where it compacts, so that two entries must be behind what is to go. A third one
 * is appended when this node has applied the second.
 */
const MARKS = 3

export function createErasure({ etcd, prefix, erasures, position, mark, log, now, ticks }: ErasureParts) {
  const key = `${prefix}erased`
  let erasing: Erasing | undefined
  let erased = 0
  let endedAt: number | undefined
  let failure: string | undefined

  /** Whether it is time. A keeper that has just begun asks etcd when it was done last. */
  async function isDue(): Promise<boolean> {
    if (endedAt === undefined) {
      const { pairs } = await etcd.range({ key })
      const ago = Math.abs(now() - (Number(pairs[0]?.value.toString() ?? now() - ERASURE_MS) || 0))
      endedAt = ticks() - ago
    }
    return ticks() - endedAt > (erasures() > erased ? ERASURE_MS : DAY_MS)
  }

  return {
    /** Begins one if it is time. Rejects with LogUnavailable and EtcdError. */
    async begin(): Promise<void> {
      if (erasing !== undefined || !(await isDue())) return
      const found = erasures()
      for (let i = 0; i < MARKS; i++) await mark()
      erasing = { erasures: found, position: position(), left: etcd.endpoints }
    },
    /** Whether the log cannot be trimmed far enough without a newer backup than that of a position. */
    waitsFor: (backup: number): boolean => erasing !== undefined && backup < erasing.position,
    /** Has the next server rewrite its database, where the log is trimmed far enough. Rejects with EtcdError. */
    async goOn(trimmed: number): Promise<void> {
      if (erasing === undefined || trimmed < erasing.position) return
      const [url, ...left] = erasing.left
      if (url !== undefined) {
        try {
          await etcd.defragmentAt(url)
          failure = undefined
        } catch (error) {
          if (!(error instanceof EtcdError)) throw error
          failure = /permission denied/.test(error.message) ? MISSING_ROLE : `${error.message}: start ${url}, or run "etcdctl defrag" there`
          log.warn('cluster.erasure_failed', { url, reason: systemReason(error) })
          // It is tried again, behind the others.
          erasing = { ...erasing, left: [...left, url] }
          return
        }
      }
      erasing = { ...erasing, left }
      if (left.length > 0) return
      await etcd.transact({ compare: [], success: [{ kind: 'put', put: { key, value: Buffer.from(String(now())) } }] })
      log.info('cluster.erased', { position: erasing.position })
      erased = erasing.erasures
      erasing = undefined
      endedAt = ticks()
    },
    /** What needs attention. */
    concerns: (): readonly Concern[] =>
      failure === undefined ? [] : [concern('notErased', `etcd keeps what was deleted: ${failure}`, { detail: failure })],
  }
}
