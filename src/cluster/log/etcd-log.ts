/**
 * The commit log as the history of one key in etcd. An append is a transaction: where the key was last written at the
 * revision that the node has applied, put the entry. So a position is the key's `mod_revision`, and the entries behind
 * it are what a watch of the key delivers from the next revision on. Trimming is compaction, which etcd does for all
 * its keys at once: a site has an etcd cluster for itself.
 */
import type { Log } from '../../base/log.ts'
import { ENTRY_BYTES_MAX, LogUnavailable, type CommitLog, type LogReader } from '../../store/cluster/commit-log.ts'
import type { Etcd } from '../etcd/etcd-client.ts'
import { EtcdError } from '../etcd/etcd-error.ts'
import type { Watch, Watcher } from '../etcd/etcd-watch.ts'
import { entryKeyOf } from './record-sealer.ts'

export interface EtcdLogOptions {
  readonly etcd: Pick<Etcd, 'transact' | 'range' | 'watch' | 'compact'>
  /** Begins and ends with a slash; the log is `PREFIXlog`. */
  readonly prefix: string
  readonly log: Log
}

/** Does not close `etcd`. */
export function createEtcdLog({ etcd, prefix, log }: EtcdLogOptions): CommitLog {
  const key = `${prefix}log`
  const watches = new Set<Watch>()

  /** The position of the last entry, now or after a revision; 0 where there was none. */
  async function lastPosition(revision?: number): Promise<number> {
    const at = revision === undefined ? {} : { revision }
    const { pairs } = await etcd.range({ key }, { isKeysOnly: true, ...at })
    return pairs[0]?.modRevision ?? 0
  }
  function createWatcher(after: number, reader: LogReader): Watcher {
    let at = after
    let number: number | undefined
    let isOver = false
    return {
      event(event) {
        const { modRevision, value, version } = event.pair
        if (event.kind === 'delete' || modRevision <= at || isOver) return undefined
        if (number !== undefined && version !== number + 1) {
          // A watch has no gaps; a node that went on behind one would never know.
          isOver = true
          return reader.gap(`entry ${version} of the log came behind entry ${number}`)
        }
        at = modRevision
        number = version
        return reader.entry({ position: modRevision, body: value })
      },
      async compacted(revision) {
        // Other keys may have been written since; what counts is whether an entry of the log was missed.
        const last = await lastPosition(revision)
        if (last <= at) return revision
        const missed = `behind position ${at}: entries up to ${last} are gone`
        reader.gap(`the log was compacted at revision ${revision}, ${missed}`)
        return undefined
      },
      trouble(error) {
        if (error === undefined) log.info('cluster.watch_restored')
        else log.warn('cluster.watch_failed', { reason: error instanceof Error ? error.message : String(error) })
      },
    }
  }

  return {
    async append(after, body) {
      if (body.length > ENTRY_BYTES_MAX) {
        throw new RangeError(`Cannot append ${body.length} bytes to the log: expected at most ${ENTRY_BYTES_MAX}`)
      }
      const compare = [{ key, modRevision: after }]
      const success = [{ kind: 'put', put: { key, value: body } } as const]
      const { hasSucceeded, revision } = await orUnavailable(etcd.transact({ compare, success }))
      return hasSucceeded ? { kind: 'appended', position: revision } : { kind: 'lost' }
    },
    last: () => orUnavailable(lastPosition()),
    follow(after, reader) {
      const watch = etcd.watch({ key }, after + 1, createWatcher(after, reader))
      watches.add(watch)
      return {
        stop() {
          watch.stop()
          watches.delete(watch)
        },
      }
    },
    // The entry ahead of `before` stays until the next trim: from its position, a follower knows that it missed
    // nothing.
    trim: (before) => (before <= 1 ? Promise.resolve() : orUnavailable(etcd.compact(before - 1))),
    close() {
      for (const watch of watches) watch.stop()
      watches.clear()
      return Promise.resolve()
    },
  }
}

/** The id of the key that opens the newest entry; undefined where there is none. Rejects with EtcdError. */
export async function newestEntryKey(etcd: Pick<Etcd, 'range'>, prefix: string): Promise<number | undefined> {
  const { pairs } = await etcd.range({ key: `${prefix}log` })
  return pairs[0] && entryKeyOf(pairs[0].value)
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error
    throw new LogUnavailable(error.message, { sent: error.isSent, cause: error })
  }
}
