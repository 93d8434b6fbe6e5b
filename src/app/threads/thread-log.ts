/**
 * The log of a serving thread. Its lines go to the main thread in batches, one at a time: a batch goes when the one before
 * it was taken. So a thread that logs faster than the main thread writes holds a bounded number of bytes; past it lines
 * are dropped, those of level info first, and counted.
 */
import type { Clock } from '../../base/clock.ts'
import { createLineDrops, type LineCounts } from '../../base/line-drops.ts'
import { createLog, type ThreadLine } from '../../base/log.ts'
import type { ServingData } from './thread-messages.ts'

const HELD_CHARS_MAX = 1024 * 1024

export interface ThreadLogOptions extends Pick<ServingData, 'log'> {
  readonly now: Clock
  /** Gives lines to the main thread; resolves when it has taken them. */
  readonly send: (lines: readonly ThreadLine[]) => Promise<void>
}

export function createThreadLog({ log: { level, format }, now, send }: ThreadLogOptions) {
  const drops = createLineDrops(HELD_CHARS_MAX)
  let held: ThreadLine[] = []
  let heldChars = 0
  let charsInFlight = 0
  let sending: Promise<void> | undefined
  let written = ''

  const sendHeld = async (): Promise<void> => {
    while (held.length > 0) {
      const lines = held
      ;[held, charsInFlight, heldChars] = [[], heldChars, 0]
      await send(lines).catch(() => {}) // The main thread is gone, and this one with it.
      charsInFlight = 0
      const missing = drops.resume(heldChars)
      if (missing !== undefined) log.warn('log.dropped', { lines: missing })
    }
    sending = undefined
  }
  const log = createLog({
    level,
    format,
    now,
    write(line) {
      written = line
    },
    keep(line) {
      const chars = line.text.length
      if (drops.isDue(line.level, heldChars + charsInFlight + chars)) return drops.count(line.level)
      held.push({ ...line, written: format === 'json' ? undefined : written })
      heldChars += chars
      sending ??= Promise.resolve().then(sendHeld)
    },
  })
  return {
    log,
    /** Resolves when the lines that are held now are taken. */
    settled: async (): Promise<void> => sending,
    output: {
      get heldBytes() {
        return heldChars + charsInFlight
      },
      dropped: drops.dropped as LineCounts,
    },
  }
}
