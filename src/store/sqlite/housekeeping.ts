/** Removes expired rows, old audit records and inactive guests, in small steps with pauses that no request notices. */
import type { Clock } from '../../base/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import type { Writer } from '../store.ts'

const FIRST_ROUND_MS = MINUTE_MS
const ROUND_MS = 6 * HOUR_MS
/** A step takes a few milliseconds; one that removes guests empties the WAL as well. */
const PAUSE_MS = 100

export type Housekeeping = ReturnType<typeof startHousekeeping>

export interface HousekeepingOptions {
  readonly store: Pick<Writer, 'removeExpired' | 'removeOldRecords' | 'registerGuests' | 'removeGuests'>
  /** How long audit records are kept; undefined keeps them for ever. */
  readonly auditMs: number | undefined
  /** How long guests may be inactive; undefined keeps them for ever. */
  readonly guestMs: number | undefined
  readonly now: Clock
  readonly log: Log
}

export function startHousekeeping({ store, auditMs, guestMs, now, log }: HousekeepingOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  let round: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(wait)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const wait = setTimeout(done, PAUSE_MS).unref()
      signal.addEventListener('abort', done)
    })
  const tidy = async (): Promise<void> => {
    while (!signal.aborted && (await store.removeExpired(now()))) await pause()
    const before = (): number | undefined => (auditMs === undefined ? undefined : now() - auditMs)
    while (!signal.aborted && (await store.removeOldRecords(before()))) await pause()
    if (guestMs === undefined) return
    let after: number | undefined = 0
    while (!signal.aborted && after !== undefined) {
      after = await store.registerGuests(after, now())
      if (after !== undefined) await pause()
    }
    let removed = 0
    while (!signal.aborted) {
      const step = await store.removeGuests(now() - guestMs, now())
      removed += step.removed
      if (step.isDone) break
      await pause()
    }
    if (removed > 0) log.info('guests.removed', { guests: removed })
  }
  const run = (): Promise<void> =>
    (round ??= tidy()
      .catch((error: unknown) => log.error('housekeeping.failed', { error }))
      .finally(() => {
        round = undefined
      }))
  const sleep = (ms: number): void => {
    timer = setTimeout(() => void run().then(() => (signal.aborted ? undefined : sleep(ROUND_MS))), ms).unref()
  }
  sleep(FIRST_ROUND_MS)
  return {
    /** Goes through everything once; resolves when that is done. */
    run,
    async stop(): Promise<void> {
      clearTimeout(timer)
      stopping.abort()
      await round
    },
  }
}
