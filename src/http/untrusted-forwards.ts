/**
 * Reports requests with X-Forwarded-For from an address that is no trusted proxy: behind such a proxy all clients share the
 * limits of one address. Any client can send the header, so there is one report a day, which names no part of it.
 */
import type { Clock } from '../base/clock.ts'
import { DAY_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'

/** Takes the address of the other end of a socket. */
export type UntrustedForward = (peer: string) => void

/** Passes on the first of a day. */
export function firstOfDay(now: Clock, report: UntrustedForward): UntrustedForward {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (peer) => {
    if (now() - reportedAt < DAY_MS) return
    reportedAt = now()
    report(peer)
  }
}

export function warnOfForwards(log: Pick<Log, 'warn'>): UntrustedForward {
  return (peer) =>
    log.warn('proxy.unnamed', {
      peer,
      header: 'x-forwarded-for',
      remedy: `all its clients share the limits of one address: if this is your proxy, add ${peer} to --trusted-proxies`,
    })
}
