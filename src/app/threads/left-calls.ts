/**
 * Bounds what clients leave behind in the main thread: it may be at a long write, and clients that send, leave and come
 * again would fill its memory meanwhile. Calls whose clients stay are bounded by the number of connections.
 */
import { fail, type Failure } from '../../base/failure.ts'

/** Calls whose clients have left and that the main thread has not answered. */
const LEFT_MAX = 4_096
/** Of one address, an IPv6 /64 being one, or of one user: so that one that floods the main thread keeps no others from it. */
const LEFT_PER_CLIENT_MAX = 256
const RETRY_AFTER_S = 1

export function createLeftCalls() {
  let left = 0
  const leftOf = new Map<string, number>()

  function count(client: string, by: number): void {
    left += by
    const ofClient = (leftOf.get(client) ?? 0) + by
    if (ofClient === 0) leftOf.delete(client)
    else leftOf.set(client, ofClient)
  }

  /** Makes a call for a client whose leaving aborts the signal. Throws networkError where too many wait without theirs. */
  return async <T>(client: string, leaving: AbortSignal, call: () => Promise<T>): Promise<T> => {
    if (left >= LEFT_MAX || (leftOf.get(client) ?? 0) >= LEFT_PER_CLIENT_MAX) throw tooManyLeft()
    let isCounted = false
    const leave = (): void => {
      isCounted = true
      count(client, 1)
    }
    if (leaving.aborted) leave()
    else leaving.addEventListener('abort', leave)
    try {
      return await call()
    } finally {
      leaving.removeEventListener('abort', leave)
      if (isCounted) count(client, -1)
    }
  }
}

function tooManyLeft(): Failure {
  return fail(
    'networkError',
    `Cannot take the request now: too many whose clients have left wait to be answered; try again in ${RETRY_AFTER_S} s`,
    { headers: { 'Retry-After': String(RETRY_AFTER_S) } },
  )
}
