/** A Log that keeps what it is told, for tests to look at and to wait for. */
import type { LogLevel } from '../../src/base/log-level.ts'
import type { Log, LogFields } from '../../src/base/log.ts'

export interface LogEntry {
  readonly level: LogLevel
  readonly event: string
  readonly fields: LogFields
}

export interface RecordingLog {
  readonly log: Log
  readonly entries: readonly LogEntry[]
  /** Resolves with the first entry of this event that is there or comes. */
  logged(event: string): Promise<LogEntry>
}

export function recordingLog(): RecordingLog {
  const entries: LogEntry[] = []
  const awaited: { event: string; resolve: (entry: LogEntry) => void }[] = []
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      const entry = { level, event, fields }
      entries.push(entry)
      for (const one of awaited) if (one.event === event) one.resolve(entry)
    }
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), flush: () => {} },
    entries,
    async logged(event) {
      const there = entries.find((entry) => entry.event === event)
      if (there !== undefined) return there
      const { promise, resolve } = Promise.withResolvers<LogEntry>()
      awaited.push({ event, resolve })
      return await promise
    },
  }
}
