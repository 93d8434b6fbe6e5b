/**
 * How much of the event loop items of feeds take: a thirteenth, however many there are, so that requests and other processes keep
 * the rest. A transaction that begins late, as where requests keep the loop busy, has had a part of the next pause already.
 */
import { pause as wait, type Pause } from '../../base/pause.ts'

/** From the begin of a transaction to that of the next one, in times of how long it took. */
const PERIODS_PER_STEP = 13
/** Where the disk is slow, feeds take more than that rather than for ever. */
const PERIOD_MS_MAX = 200
/** Behind a long rest, transactions do not follow each other without pauses. */
const CREDIT_MS_MAX = 100

export interface IngestPace {
  /** Runs a transaction when it is time for it. It is to call `begin` as its work begins: before, it waits for other writes. */
  readonly run: <T>(transaction: (begin: () => void) => Promise<T>) => Promise<T>
}

export interface PaceOptions {
  /** Gives milliseconds, by a clock that is never set. */
  readonly clock?: () => number
  readonly pause?: Pause
}

export function createIngestPace({ clock = () => performance.now(), pause = wait }: PaceOptions = {}): IngestPace {
  let nextAt = -Infinity
  return {
    async run(transaction) {
      // Another transaction may begin meanwhile.
      for (let left = nextAt - clock(); left > 0; left = nextAt - clock()) await pause(left)
      let begunAt = clock()
      const result = await transaction(() => (begunAt = clock()))
      nextAt = Math.max(nextAt, begunAt - CREDIT_MS_MAX) + Math.min(PERIOD_MS_MAX, PERIODS_PER_STEP * (clock() - begunAt))
      return result
    },
  }
}

/** The pace, whose next transaction is rejected with an AbortError once the signal has aborted. */
export function abortable({ run }: IngestPace, signal: AbortSignal): IngestPace {
  return {
    run: (transaction) =>
      run(async (begin) => {
        signal.throwIfAborted()
        return transaction(begin)
      }),
  }
}
