/** The clock of another node, as its responses tell it: the header Date, in seconds (RFC 9110, section 6.6.1). */
import type { Clock } from '../base/clock.ts'
import { sendToPeer, type Peer } from './peer-requests.ts'

/** As the guide says; etcd's leases and codes need no more. */
export const CLOCK_TOLERANCE_MS = 2_000
const DATE_UNIT_MS = 1_000
const HEALTH_PATH = '/healthz'

export interface PeerDate {
  /** The header, in milliseconds since the epoch. */
  readonly date: number
  /** Our clock before the request and behind the response. */
  readonly sent: number
  readonly received: number
}

/** By how much the clock of a peer differs from ours at least, in milliseconds. Rejects with PeerError. */
export async function peerClockDifference(peer: Peer, now: Clock): Promise<number> {
  const sent = now()
  const response = await sendToPeer(peer, { method: 'GET', path: HEALTH_PATH })
  const received = now()
  response.resume()
  return differenceOf({ date: Date.parse(response.headers.date ?? ''), sent, received })
}

/** The peer's clock was in the second of its date at some time between sending and receiving. 0 without a date. */
export function differenceOf({ date, sent, received }: PeerDate): number {
  if (Number.isNaN(date)) return 0
  if (date > received) return date - received
  return Math.min(0, date + DATE_UNIT_MS - sent)
}
