/**
 * The log: one event a line on stderr, as JSON or, for a person at a terminal, as text.
 *
 * Tokens, codes and mail bodies are never logged; errors are logged with their stack.
 */
import { setNewest } from './bounded-map.ts'
import type { Clock } from './clock.ts'
import { isoDate } from './dates.ts'
import { LOG_LEVELS, type LogLevel } from './log-level.ts'

export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** Writes the lines that are held, as far as that needs no waiting. */
  flush(): void
}

/** A log whose level can change while it is written, and that takes the lines of other threads. */
export interface AdjustableLog extends Log {
  readonly format: 'json' | 'pretty'
  readonly level: LogLevel
  setLevel(level: LogLevel): void
  /** Writes and keeps a line that the log of another thread made in the same format. */
  take(line: ThreadLine): void
}

/** A line of another thread: as it is written, where that is another text than the JSON. */
export interface ThreadLine extends LogLine {
  readonly written: string | undefined
}

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'pretty'
  readonly now: Clock
  /** Where finished lines go, each ending in a newline. */
  readonly write: (line: string, level: LogLevel) => void
  readonly flush?: () => void
  /** Called with each line that is written. */
  readonly keep?: (line: LogLine) => void
}

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly level: LogLevel
  readonly event: string
  /** The line as JSON, also where another format is written. */
  readonly text: string
}

export function createLog({ level, format, now, write, flush = () => {}, keep }: LogOptions): AdjustableLog {
  let lowest = LOG_LEVELS.indexOf(level)
  const at = (name: LogLevel) => {
    const rank = LOG_LEVELS.indexOf(name)
    return (event: string, fields: LogFields = {}): void => {
      if (rank < lowest) return
      const time = now()
      const json = format === 'json' || keep !== undefined ? jsonLine(isoDate(time), name, event, fields) : ''
      write(format === 'json' ? json : visible(prettyLine(isoDate(time), name, event, fields)), name)
      keep?.({ time, level: name, event, text: json })
    }
  }
  const setLevel = (next: LogLevel): void => {
    lowest = LOG_LEVELS.indexOf(next)
  }
  return {
    ...{ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    ...{ flush, format, setLevel },
    get level() {
      return LOG_LEVELS[lowest] ?? level
    },
    take({ written, ...line }) {
      write(written ?? line.text, line.level)
      keep?.(line)
    },
  }
}

/**
 * Put together by hand: one line for each request must not cost as much as a read of the database. Joined and not
 * concatenated, which makes a tree of parts: a line in memory keeps five times its length then.
 */
function jsonLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const parts = ['{"time":"', time, '","level":"', level, '","event":', jsonText(event)]
  for (const name in fields) {
    const text = jsonValue(fields[name])
    if (text !== undefined) parts.push(member(name), text)
  }
  parts.push('}\n')
  return parts.join('')
}

/** The JSON of a value without characters that control a terminal; undefined for one that JSON has not. */
function jsonValue(value: unknown): string | undefined {
  if (typeof value === 'string') return jsonText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  const text = JSON.stringify(value, errorAsText) as string | undefined
  return text === undefined ? undefined : visible(text)
}

/** What stands before the value of a member: the same few names come with every request. */
function member(name: string): string {
  let text = members.get(name)
  if (text === undefined) setNewest(members, name, (text = `,${jsonText(name)}:`), MEMBERS_MAX)
  return text
}

const members = new Map<string, string>()
const MEMBERS_MAX = 200

/** Almost all texts are ASCII without a character to escape. */
function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : visible(JSON.stringify(text))
}

const PLAIN = /^[ !#-[\]-~]*$/

/** `12:00:01 warn  mail.failed  id=… reply="550 no such user"` */
function prettyLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    if (value instanceof Error) return `\n${errorText(value)}`
    const text = typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value, errorAsText)
    return `${name}=${text}`
  })
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${event}  ${parts.join(' ')}`.trimEnd() + '\n'
}

/**
 * A text without characters that control a terminal or change the direction of text: JSON.stringify leaves U+009B, which
 * begins a command as ESC [ does, and the message of an error is unescaped.
 */
export function visible(line: string): string {
  if (!/[^\n -~]/.test(line)) return line // Almost all are ASCII.
  return line.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    [...Array(sign.length).keys()].map((i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}

function errorAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? errorText(value) : value
}

function errorText(error: Error): string {
  const text = error.stack ?? `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${text}\ncaused by ${errorText(error.cause)}` : text
}
