/**
 * A moment without long queries, so that the WAL can be restarted.
 *
 * SQLite appends to its WAL while a reader is in it (sqlite.org/wal.html#avoiding_excessively_large_wal_files). A flood of
 * long queries always leaves a reader in it: the WAL would grow with every write until the disk is full, and keep what
 * was deleted. So now and then no query starts until the running ones are done and the WAL is empty. Queries wait in
 * their lines meanwhile, as they do for their turn.
 */
import type { Clock } from '../../../base/clock.ts'
import { MINUTE_MS } from '../../../base/duration.ts'
import type { FairSlots } from './fair-slots.ts'

const POLL_MS = 20
/** Longer than a query may run by default, and than moving a WAL of 16 MiB takes. */
const PAUSE_MS_MAX = 4_000
/** After a pause without success: something else reads an old state, such as a backup. */
const RETRY_MS = MINUTE_MS

type Pausable = Pick<FairSlots, 'counts' | 'hold' | 'resume'>

export function createReaderPause(threads: Pausable, now: Clock) {
  let timer: NodeJS.Timeout | undefined
  let notBefore = Number.NEGATIVE_INFINITY

  const isQuiet = (): boolean => {
    const { guest, user, dashboard } = threads.counts().running
    return guest + user + dashboard === 0
  }
  const end = (): void => {
    clearInterval(timer)
    timer = undefined
    threads.resume()
  }
  return {
    /** Starts a pause where there is none. `settle` is called while no query runs, until it returns true. */
    request(settle: () => boolean): void {
      if (timer !== undefined || now() < notBefore) return
      threads.hold()
      let polls = 0
      timer = setInterval(() => {
        if (isQuiet() && settle()) return end()
        if (++polls * POLL_MS < PAUSE_MS_MAX) return
        notBefore = now() + RETRY_MS
        end()
      }, POLL_MS)
    },
    close: end,
  }
}
