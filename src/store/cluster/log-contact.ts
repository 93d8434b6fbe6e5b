/** Whether the log answers: what its last calls said. */
import { LogUnavailable, type CommitLog } from './commit-log.ts'
import type { LastEntry } from './position-table.ts'

/** Shorter interruptions, such as the election of a leader, are waited out. */
const LOST_AFTER_MS = 1_000

export type LogContact = ReturnType<typeof createLogContact>

export interface ContactParts {
  readonly log: CommitLog
  /** Milliseconds of a clock that is never set. */
  readonly ticks: () => number
  /** The position of this node. */
  readonly applied: () => number
  /** Called where the log ends before an entry that this node has applied: it was set back, and has lost that entry. */
  readonly onSetBack: (last: number) => void
}

export function createLogContact({ log, ticks, applied, onSetBack }: ContactParts) {
  let failingSince: number | undefined
  let newest = 0
  let probe: Promise<unknown> | undefined
  const heard = (): void => {
    failingSince = undefined
  }
  /** Passes on the result of a call. Throws what it throws. */
  const watch = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const result = await call
      heard()
      return result
    } catch (error) {
      if (error instanceof LogUnavailable) failingSince ??= ticks()
      throw error
    }
  }
  const last = async (): Promise<number> => {
    const before = applied()
    const position = await watch(log.last())
    if (position < before) onSetBack(position)
    newest = Math.max(newest, position)
    return position
  }
  return {
    heard,
    /** Rejects as CommitLog.append() does. */
    append: (after: number, body: Uint8Array) => watch(log.append(after, body)),
    /** Rejects as CommitLog.last() does. */
    last,
    /** The largest position that last() returned. */
    newestKnown: (): number => newest,
    /** Whether no call was answered for a while. */
    isLost: (): boolean => failingSince !== undefined && ticks() - failingSince >= LOST_AFTER_MS,
    /** Asks once whether the log is back; at most one such call runs. */
    probe(): void {
      probe ??= last()
        .catch(() => {})
        .finally(() => {
          probe = undefined
        })
    },
  }
}

// The place of this node in the log, and the callers that wait until it has come to another.

interface Waiter {
  readonly position: number
  readonly settle: (error?: unknown) => void
}

export type LogPlace = ReturnType<typeof createLogPlace>

export function createLogPlace(start: LastEntry & { readonly schema: number }) {
  let { position, entry, schema } = start
  let left: unknown
  const waiters = new Set<Waiter>()
  return {
    /** The last entry that is committed in the database. */
    position: (): number => position,
    /** Its id. */
    entry: (): string => entry,
    schema: (): number => schema,
    /** To be called when the entry, and a schema with it, is committed. */
    move(to: LastEntry, raisedTo = schema): void {
      ;({ position, entry } = to)
      schema = raisedTo
      for (const waiter of waiters) if (waiter.position <= position) waiter.settle()
    },
    /** Resolves at a position. Rejects with the reason of the signal, or with what `leave` was called with. */
    reached(wanted: number, signal?: AbortSignal): Promise<void> {
      if (left !== undefined) return Promise.reject(left)
      if (position >= wanted) return Promise.resolve()
      if (signal?.aborted === true) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const abort = (): void => waiter.settle(signal?.reason)
        const settle = (error?: unknown): void => {
          waiters.delete(waiter)
          signal?.removeEventListener('abort', abort)
          if (error === undefined) resolve()
          else reject(error)
        }
        const waiter: Waiter = { position: wanted, settle }
        waiters.add(waiter)
        signal?.addEventListener('abort', abort)
      })
    },
    /** Rejects all that wait, and all that come later. */
    leave(error: unknown): void {
      left = error
      for (const waiter of waiters) waiter.settle(error)
    },
  }
}
