/**
 * The newest lines of the log, kept in memory for an administrator who has no terminal.
 *
 * Only what is written anyway is kept, so nothing is in here that may not be in a log. Each request writes a line, which
 * would push everything else out within seconds: so warnings and errors have a place of their own beside the others.
 */
import { isoDate } from './dates.ts'
import { LOG_LEVELS, type LogLevel } from './log-level.ts'
import { visible, type LogLine } from './log.ts'

/** Both places together hold at most 1,000 lines, and 1 MiB: a character takes one or two bytes. */
const LINES_MAX = 500
const CHARS_MAX = 256 * 1024
/** What is longer is cut: one line must not push all others out. */
const LINE_CHARS_MAX = 16 * 1024

export interface LogMemory {
  keep(line: LogLine): void
  /** The newest lines of a level or above it, newest first; and how many of these levels are no longer here. */
  newest(query: { readonly level: LogLevel; readonly limit: number }): RecentLines
}

interface RecentLines {
  readonly items: readonly RecentLine[]
  readonly dropped: number
}

interface RecentLine {
  readonly time: string
  readonly level: LogLevel
  readonly event: string
  /** Texts as they are, everything else as JSON. */
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

interface KeptLine extends LogLine {
  /** Grows with each line, since two can have the same time. */
  readonly order: number
}

export function createLogMemory(): LogMemory {
  const dropped = new Map<LogLevel, number>()
  const [ordinary, important] = [createPlace(), createPlace()]
  let order = 0
  return {
    keep(line) {
      const place = line.level === 'warn' || line.level === 'error' ? important : ordinary
      for (const { level } of place.add({ ...line, order: order++ })) dropped.set(level, (dropped.get(level) ?? 0) + 1)
    },
    newest({ level, limit }) {
      const levels = LOG_LEVELS.slice(LOG_LEVELS.indexOf(level))
      const lines = [...ordinary.lines(), ...important.lines()].filter((line) => levels.includes(line.level))
      lines.sort((a, b) => b.order - a.order)
      return {
        items: lines.slice(0, limit).map(readLine),
        dropped: levels.reduce((sum, one) => sum + (dropped.get(one) ?? 0), 0),
      }
    },
  }
}

interface Place {
  /** Gives the lines that had to go. */
  add(line: KeptLine): readonly KeptLine[]
  /** The oldest first. */
  lines(): readonly KeptLine[]
}

function createPlace(): Place {
  const lines: KeptLine[] = []
  let chars = 0
  return {
    add(line) {
      const text = line.text.length > LINE_CHARS_MAX ? cut(line.text) : line.text
      lines.push({ ...line, text })
      chars += text.length
      const gone: KeptLine[] = []
      while (lines.length > LINES_MAX || chars > CHARS_MAX) {
        const oldest = lines.shift()
        if (oldest === undefined) break
        chars -= oldest.text.length
        gone.push(oldest)
      }
      return gone
    },
    lines: () => lines,
  }
}

/** The beginning of a line as the only field of another, which may be twice as long once it is escaped. */
function cut(text: string): string {
  return JSON.stringify({ line: `${text.slice(0, LINE_CHARS_MAX / 2)}…` })
}

const HEAD = ['time', 'level', 'event']

function readLine({ time, level, event, text }: KeptLine): RecentLine {
  const members = Object.entries(JSON.parse(text) as Record<string, unknown>)
  const fields = members
    .filter(([name]) => !HEAD.includes(name))
    .map(([name, value]) => ({
      name: visible(name),
      value: visible(typeof value === 'string' ? value : JSON.stringify(value)),
    }))
  return { time: isoDate(time), level, event: visible(event), fields }
}
