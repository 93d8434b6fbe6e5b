/**
 * Turns for connections to others: one for each host and a number in all, so that neither a host nor this machine is
 * flooded by a thousand feeds that are due at the same time. Waiting callers have their turn in the order of their calls.
 */
import { OutboundError, stopped } from './outbound-error.ts'

const WAITING_MAX = 10_000

export interface SlotLimits {
  readonly perHost: number
  readonly total: number
}

interface Waiting {
  readonly host: string
  readonly start: () => void
}

export function createHostSlots({ perHost, total }: SlotLimits) {
  const taken = new Map<string, number>()
  let running = 0
  let waiting: Waiting[] = []

  const isFree = (host: string): boolean => running < total && (taken.get(host) ?? 0) < perHost
  const take = (host: string): void => {
    running++
    taken.set(host, (taken.get(host) ?? 0) + 1)
  }
  const release = (host: string): void => {
    running--
    const left = (taken.get(host) ?? 1) - 1
    if (left === 0) taken.delete(host)
    else taken.set(host, left)
    const next = running < total ? waiting.find((one) => isFree(one.host)) : undefined
    if (next === undefined) return
    waiting = waiting.filter((one) => one !== next)
    next.start()
  }
  const turn = (host: string, signal: AbortSignal | undefined): Promise<void> | void => {
    if (isFree(host)) return take(host)
    if (waiting.length >= WAITING_MAX) {
      throw new OutboundError('busy', `${WAITING_MAX} requests to others are waiting already: try again later`)
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting = waiting.filter((one) => one !== entry)
        reject(stopped())
      }
      const entry: Waiting = {
        host,
        start: () => {
          signal?.removeEventListener('abort', abort)
          take(host)
          resolve()
        },
      }
      waiting.push(entry)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Runs the work in the host's turn. Rejects with an OutboundError where the signal aborts before, or as the work does. */
  return async function inTurn<T>(host: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted === true) throw stopped()
    await turn(host, signal)
    try {
      return await work()
    } finally {
      release(host)
    }
  }
}
