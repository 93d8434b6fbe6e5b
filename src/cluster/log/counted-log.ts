/** A commit log whose appends and deliveries are counted, for metrics. */
import type { Clock } from '../../base/clock.ts'
import { LogUnavailable, type CommitLog } from '../../store/cluster/commit-log.ts'

export interface LogCounts {
  /** Appends by their outcome: `lost` to another node, not `sent`, or `unknown`. */
  readonly appends: Record<'appended' | 'lost' | 'unsent' | 'unknown', number>
  /** How long appends took in all, in milliseconds. */
  appendMs: number
  /** Entries that arrived, those of this node included, and their bytes. */
  entries: number
  entryBytes: number
}

export function countedLog(log: CommitLog, ticks: Clock): { readonly log: CommitLog; readonly counts: LogCounts } {
  const appends = { appended: 0, lost: 0, unsent: 0, unknown: 0 }
  const counts: LogCounts = { appends, appendMs: 0, entries: 0, entryBytes: 0 }
  return {
    counts,
    log: {
      ...log,
      async append(after, body) {
        const since = ticks()
        try {
          const outcome = await log.append(after, body)
          counts.appends[outcome.kind]++
          return outcome
        } catch (error) {
          counts.appends[error instanceof LogUnavailable && !error.sent ? 'unsent' : 'unknown']++
          throw error
        } finally {
          counts.appendMs += ticks() - since
        }
      },
      follow: (after, reader) =>
        log.follow(after, {
          gap: (reason) => reader.gap(reason),
          entry(entry) {
            counts.entries++
            counts.entryBytes += entry.body.length
            return reader.entry(entry)
          },
        }),
    },
  }
}
