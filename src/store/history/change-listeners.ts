/**
 * Tells listeners that the change log has grown. Commits of this process are noticed immediately; those of others, such as an
 * import beside the service, by looking at the log four times a second while there are listeners that want them.
 */
import type { Model } from '../../models/schema.ts'

const POLL_MS = 250

export interface ListenerOptions {
  /** Whether commits of other processes count: true by default. */
  readonly ofOthers?: boolean
  /** Those whose changes it wants; without them, it wants those of all. */
  readonly models?: readonly Model[]
}

interface LogReads {
  /** The newest seq of the log; what it throws is tried again. */
  readonly newest: () => number
  /** A text that differs once a document of one of the models has changed. */
  readonly versionsOf: (models: readonly Model[]) => string
}

export function createChangeListeners({ newest, versionsOf }: LogReads) {
  const listeners = new Set<() => void>()
  /** Those that want the commits of other processes. */
  const polling = new Set<() => void>()
  let known = 0
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined

  const look = (): void => {
    isScheduled = false
    if (listeners.size === 0) return
    const found = readOr(newest, known)
    if (found === known) return
    known = found
    for (const listener of [...listeners]) listener()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    /** Adds a listener, which must not throw. Returns a function that removes it. */
    add(listener: () => void, { ofOthers = true, models }: ListenerOptions = {}): () => void {
      if (listeners.size === 0) known = readOr(newest, known)
      // Where they cannot be read, they count as changed.
      const versions = (): string => (models === undefined ? '' : readOr(() => versionsOf(models), ''))
      let seen = versions()
      // Each call is a listener of its own, whatever functions they share.
      const own = (): void => {
        const before = seen
        seen = versions()
        if (seen === '' || seen !== before) listener()
      }
      listeners.add(own)
      if (ofOthers) polling.add(own)
      if (polling.size > 0) timer ??= setInterval(look, POLL_MS).unref()
      return () => {
        listeners.delete(own)
        polling.delete(own)
        if (polling.size === 0) stop()
      }
    },
    /** To be called behind each commit: the listeners are called in the next turn of the event loop, so no write waits. */
    afterCommit(): void {
      if (isScheduled || listeners.size === 0) return
      isScheduled = true
      setImmediate(look)
    },
    close(): void {
      listeners.clear()
      polling.clear()
      stop()
    },
  }
}

/** A disk that fails passes, and the next look finds what this one did not. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
