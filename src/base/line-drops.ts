/** Which lines of the log are dropped while its reader is slow, and how many. */
import { LOG_LEVELS, type LogLevel } from './log-level.ts'

/** Lines of a level are taken while less than this share of the bytes is held. */
const SHARE_OF_LEVEL: Readonly<Record<LogLevel, number>> = { debug: 0.75, info: 0.75, warn: 0.875, error: 1 }
/** Lines are taken again when no more than this share is held. */
const RESUME_SHARE = 0.25

export type LineCounts = Readonly<Record<LogLevel, number>>

export function createLineDrops(heldBytesMax: number) {
  const dropped: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 }
  let missing: Record<LogLevel, number> | undefined
  /** Of the most important level that is missing; -1 where none is. */
  let rankMissing = -1
  return {
    /** How many lines were dropped since the start. */
    dropped: dropped as LineCounts,
    /** Whether to drop a line. After one of a level, so are the next, or a slow reader would get report after report. */
    isDue: (level: LogLevel, heldBytes: number): boolean =>
      LOG_LEVELS.indexOf(level) <= rankMissing || heldBytes > heldBytesMax * SHARE_OF_LEVEL[level],
    count(level: LogLevel): void {
      missing ??= { debug: 0, info: 0, warn: 0, error: 0 }
      missing[level]++
      dropped[level]++
      rankMissing = Math.max(rankMissing, LOG_LEVELS.indexOf(level))
    },
    /** The lines that are missing, once there is room again; from then on lines are taken. */
    resume(heldBytes: number): LineCounts | undefined {
      if (missing === undefined || heldBytes > heldBytesMax * RESUME_SHARE) return undefined
      const counts = missing
      missing = undefined
      rankMissing = -1
      return counts
    },
  }
}
