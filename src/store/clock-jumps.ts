/**
 * Whether a round of housekeeping may trust the clock. With a clock that is set a month ahead, the first round would empty the trash for
 * good, and delete guests, earlier versions and pictures. So where the clock is more than a day ahead of the last round, removal waits
 * for a day, in which the operator can set it back. It also waits after a stop of days, and in a restored database. It never waits
 * twice in a row, or a service that runs for an hour every third day would remove nothing.
 */
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { DAY_MS } from '../base/duration.ts'
import { isObject, type Json } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import { SYSTEM } from './actor.ts'
import type { Writable } from './writes/writer.ts'

const NOTE = 'clock'
const JUMP_MS = DAY_MS
const WAIT_MS = DAY_MS

export interface ClockJumpOptions {
  readonly store: Writable & { readonly settings: { readMeta(name: string): Json | undefined } }
  readonly now: Clock
  readonly log: Log
}

/** Returns a function to be called at each round: it resolves with whether the round may remove what is past its time. */
export function watchClockJumps({ store, now, log }: ClockJumpOptions): () => Promise<boolean> {
  return async () => {
    const at = now()
    const { seenAt, waitsUntil } = readNote(store.settings.readMeta(NOTE), at)
    const hasWaited = seenAt < waitsUntil
    const hasJumped = !hasWaited && at - seenAt > JUMP_MS
    // The stored time may be that of a clock which was ahead.
    const until = hasJumped ? at + WAIT_MS : Math.min(waitsUntil, at + WAIT_MS)
    await store.as(SYSTEM).writeMeta(NOTE, { seenAt: at, waitsUntil: until })
    if (hasJumped) log.warn('housekeeping.waits', { until: isoDate(until), lastRound: isoDate(seenAt), advice: 'set the clock, if it is ahead' })
    return at >= until
  }
}

/** The first round of a database has no note, and no jump. */
function readNote(note: Json | undefined, at: number): { readonly seenAt: number; readonly waitsUntil: number } {
  const { seenAt, waitsUntil } = isObject(note) ? note : {}
  return typeof seenAt === 'number' && typeof waitsUntil === 'number' ? { seenAt, waitsUntil } : { seenAt: at, waitsUntil: at }
}
