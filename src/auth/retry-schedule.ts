/**
 * When a message is retried. Pauses double and end in a random part ("equal jitter"). The last retry is shortly before
 * the code expires: by then a mail server that greylists for ten minutes accepts the mail.
 */
import { MINUTE_MS } from '../base/duration.ts'
import type { Random } from '../base/random.ts'

const PAUSE_FIRST_MS = 2_000
/** Short enough that a code of fifteen minutes is tried as often as a server may ask for. */
export const PAUSE_MAX_MS = MINUTE_MS
/** A code that arrives later than this before its end cannot be found and typed in time. */
const USEFUL_MS = 30_000
/** More doublings would exceed every limit. */
const DOUBLINGS_MAX = 16

export interface Pace {
  readonly first: number
  readonly max: number
}
const MESSAGE_PACE: Pace = { first: PAUSE_FIRST_MS, max: PAUSE_MAX_MS }

export interface FailedTry {
  /** Milliseconds since the epoch, as all times here. */
  readonly now: number
  /** Number of attempts, including this one. */
  readonly attempts: number
  readonly expiresAt: number
  readonly random: Random
}

/** The time of the next attempt; undefined where the code would be of no use by then. */
export function nextTry({ now, attempts, expiresAt, random }: FailedTry, pace = MESSAGE_PACE): number | undefined {
  const dueAt = now + pauseMs(attempts, random, pace)
  const last = expiresAt - USEFUL_MS
  if (dueAt <= last) return dueAt
  return last - now >= PAUSE_FIRST_MS ? last : undefined
}

function pauseMs(attempts: number, random: Random, { first, max }: Pace): number {
  const pause = Math.min(max, first * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX))
  return Math.round(pause / 2 + (random() * pause) / 2)
}
