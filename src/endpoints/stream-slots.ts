/** Limits how many streams and waiting requests are open at the same time: in all, of a user, and of a client address, over all threads. */
import { fail } from '../base/failure.ts'
import type { SharedCounts } from '../base/shared-counts.ts'
import { limitKey } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'

/** What one user may have open of a kind of stream, and what a request past it gets. */
export interface StreamShare {
  readonly name: string
  readonly perUserMax: number
  readonly code: 'tooManyRequests' | 'networkError'
}

/** A browser opens six connections to a server at most, and a user may have a second device. */
export const CHANGE_STREAMS: StreamShare = { name: 'changes', perUserMax: 8, code: 'tooManyRequests' }
/** Of all streams, as many as one client address may have: guests cost nothing, so the limit of a user bounds none. */
const ADDRESS_SHARE = 0.5
/** A guess: how long the others stay is unknown. */
const RETRY_AFTER_S = 15

/** What a stream counts for: its user, and its client address unless that is a trusted proxy, through which many come. */
export interface StreamOwner {
  readonly user: string
  readonly address: string | undefined
}

export function streamOwner({ clientAddress, isFromProxy, headers }: Pick<Exchange, 'clientAddress' | 'isFromProxy' | 'headers'>, user: string): StreamOwner {
  const isProxy = isFromProxy && headers['x-forwarded-for'] === undefined
  return { user, address: isProxy ? undefined : limitKey(clientAddress) }
}

export interface StreamLimits {
  readonly streamsMax: number
  /** Where connections of a client address have no limit, its streams have none; they never have a higher one. 0 is no limit. */
  readonly connectionsPerAddress: number
}

export type StreamSlots = ReturnType<typeof createStreamSlots>

/** `counts` is what all threads share. */
export function createStreamSlots(
  { streamsMax: max, connectionsPerAddress }: StreamLimits,
  counts: Pick<SharedCounts, 'add' | 'addToTotal' | 'of' | 'total'>,
) {
  const perAddressMax = connectionsPerAddress === 0 ? Infinity : Math.min(connectionsPerAddress, Math.max(1, Math.ceil(max * ADDRESS_SHARE)))
  /** What a stream counts for, and how many there may be. */
  const keysOf = ({ user, address }: StreamOwner, { name, perUserMax }: StreamShare) => [
    { of: 'user', key: `${name} ${user}`, most: perUserMax },
    ...(address === undefined ? [] : [{ of: 'client address', key: `address ${address}`, most: perAddressMax }]),
  ]
  return {
    inUse: (): number => counts.total(),
    /** Throws the failure of the share where a user or a client address has all of theirs, or all are in use. */
    require(owner: StreamOwner, share: StreamShare): void {
      const full = keysOf(owner, share).find(({ key, most }) => counts.of(key) >= most)
      if (full === undefined && counts.total() < max) return
      const what = full === undefined ? `${max} streams` : `${full.most} streams of one ${full.of}`
      throw fail(share.code, `Cannot open a stream: at most ${what} can be open, waiting requests included: close one`, {
        headers: { 'Retry-After': String(RETRY_AFTER_S) },
      })
    },
    /** Takes one, and returns what gives it back; undefined where another request was faster. */
    take(owner: StreamOwner, share: StreamShare): (() => void) | undefined {
      const keys = keysOf(owner, share)
      const add = (by: number): void => {
        for (const { key } of keys) counts.add(key, by)
        counts.addToTotal(by)
      }
      add(1)
      let isHeld = true
      const free = (): void => {
        if (isHeld) add(-1)
        isHeld = false
      }
      // Counted before it is compared: threads that take at the same time never have one too many.
      if (keys.every(({ key, most }) => counts.of(key) <= most) && counts.total() <= max) return free
      free()
      return undefined
    },
  }
}
