/**
 * The time that a request to another server may take, over all its redirects. It does not pass while the request waits for
 * its turn: a thousand feeds that are due at once must not fail by it.
 */
import { OutboundError, stopped } from './outbound-error.ts'

export function createTimeBudget(totalMs: number, signal: AbortSignal | undefined) {
  let leftMs = totalMs

  return {
    /** Runs work whose signal aborts with an OutboundError: when the time is used up, or the caller's signal aborts. */
    async spend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const aborting = new AbortController()
      const stop = (): void => aborting.abort(stopped())
      const expire = (): void =>
        aborting.abort(
          new OutboundError(
            'timeout',
            `The server did not respond in full within ${totalMs / 1_000} s: it is slow, or a firewall in between drops what it sends; the service retries by itself`,
          ),
        )
      const startedMs = performance.now()
      const timer = setTimeout(expire, leftMs)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        if (signal?.aborted === true) stop()
        aborting.signal.throwIfAborted()
        return await work(aborting.signal)
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        leftMs = Math.max(0, leftMs - (performance.now() - startedMs))
      }
    },
  }
}
