/**
 * The entries that have arrived from the log and are not applied yet, in their order.
 *
 * The log delivers as fast as it can. Past INBOX_BYTES_MAX this node stops following, and goes on behind the last entry
 * that it has once they are applied.
 */
import { within } from '../../base/pause.ts'
import type { CommitLog, LogEntry, Sealer } from './commit-log.ts'
import type { LastEntry } from './position-table.ts'

const INBOX_BYTES_MAX = 32 * 1024 * 1024
/** An entry that is in the log for so long, while none arrives, is not on its way. */
const STALLED_MS = 10_000

export interface InboxEvents {
  /** The position of this node: entries up to it are ignored. */
  readonly applied: () => number
  readonly onEntry: () => void
  readonly onGap: (reason: string) => void
  /** Milliseconds of a clock that is never set. */
  readonly ticks: () => number
}

export type EntryInbox = ReturnType<typeof createEntryInbox>

export function createEntryInbox(log: CommitLog, after: number, { applied, onEntry, onGap, ticks }: InboxEvents) {
  const entries: (LogEntry & { readonly arrivedAt: number })[] = []
  let bytes = 0
  let received = after
  let isStopped = false
  let follower: { stop(): void } | undefined
  let wake = (): void => {}
  /** Since when an entry of the log is missing here, and the last one that had arrived then. */
  let missing: { readonly since: number; readonly behind: number } | undefined

  const pause = (): void => {
    follower?.stop()
    follower = undefined
  }
  const follow = (): void => {
    if (isStopped || follower !== undefined || bytes > INBOX_BYTES_MAX) return
    follower = log.follow(received, {
      entry(entry) {
        received = Math.max(received, entry.position)
        if (entry.position <= applied()) return
        entries.push({ ...entry, arrivedAt: ticks() })
        bytes += entry.body.length
        if (bytes > INBOX_BYTES_MAX) pause()
        wake()
        onEntry()
      },
      gap: onGap,
    })
    if (bytes > INBOX_BYTES_MAX) pause()
  }
  return {
    /** Begins to follow the log. */
    follow,
    /** All entries, oldest first. */
    entries: (): readonly LogEntry[] => entries,
    first: (): LogEntry | undefined => entries[0],
    /** For how many milliseconds the first entry has waited; 0 where there is none. */
    waitMs: (): number => (entries[0] === undefined ? 0 : ticks() - entries[0].arrivedAt),
    /** The position of the last entry that arrived. */
    received: (): number => received,
    /** To be called with the position of an entry in the log. Follows the log again where it delivers nothing any more. */
    expect(position: number): void {
      if (position <= received || follower === undefined) missing = undefined
      else if (missing?.behind !== received) missing = { since: ticks(), behind: received }
      else if (ticks() - missing.since >= STALLED_MS) {
        missing = undefined
        pause()
        follow()
      }
    },
    /** Removes the entries up to a position, which are applied. */
    removeTo(position: number): void {
      const at = entries.findIndex((entry) => entry.position > position)
      for (const { body } of entries.splice(0, at < 0 ? entries.length : at)) bytes -= body.length
      follow()
    },
    /** Resolves with the next entry that arrives, or after a time. */
    async arrival(msMax: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await within(msMax, promise)
    },
    stop(): void {
      isStopped = true
      pause()
      wake()
    },
  }
}

// Looks for an entry in the log.

/**
 * Whether the log still has an entry: false where another one is at its position, or that was trimmed. Every log has what
 * is before its first entry. Does not resolve while the log cannot be reached.
 */
export async function isInLog(log: CommitLog, { position, entry }: LastEntry, sealer: Sealer): Promise<boolean> {
  if (position === 0) return true
  const found = Promise.withResolvers<boolean>()
  const { stop } = log.follow(position - 1, {
    entry: (first) => found.resolve(first.position === position && isEntry(first.body, entry, sealer)),
    gap: () => found.resolve(false),
  })
  const isThere = await found.promise
  stop()
  return isThere
}

function isEntry(body: Uint8Array, entry: string, sealer: Sealer): boolean {
  try {
    return sealer.open(body).id === entry
  } catch {
    return false
  }
}
