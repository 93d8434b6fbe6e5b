/** The place of this node in the log, and the callers that wait until it has come to another. */
import type { LastEntry } from './position-table.ts'

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
