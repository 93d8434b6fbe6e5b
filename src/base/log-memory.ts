/**
 * The newest lines of the log, kept in memory for an administrator who has no terminal.
 *
 * Only lines that are written are kept, so this holds nothing that may not be in a log. Each request writes a line, which
 * would evict all others within seconds: so warnings and errors have a ring of their own.
 */
import { isoDate } from './dates.ts'
import { LOG_LEVELS, type LogLevel } from './log-level.ts'
import { visible, type LogLine } from './log.ts'

/** Both rings together hold at most 1,000 lines, and 1 MiB: a character takes one or two bytes. */
const LINES_MAX = 500
const CHARS_MAX = 256 * 1024
/** Words of a search beyond these are not looked for. */
const WORDS_MAX = 16
/** A longer line is cut: one must not evict all others. */
const LINE_CHARS_MAX = 16 * 1024

export type LogMemory = ReturnType<typeof createLogMemory>

interface RecentLines {
  readonly items: readonly RecentLine[]
  readonly dropped: number
}

interface RecentLine {
  readonly time: string
  readonly level: LogLevel
  readonly event: string
  /** Texts unchanged, all other values as JSON. */
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

/** What is left out leaves nothing out. */
export interface LogQuery {
  /** The least important level. */
  readonly level: LogLevel
  readonly limit: number
  /** Each of its words has to be somewhere in the event, or in a field, in any case. */
  readonly text?: string | undefined
  /** The beginning of a request: `/api/v1/data`, or `GET /api/v1/data`. */
  readonly route?: string | undefined
  /** Milliseconds since the epoch: the first moment, and the last. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

interface KeptLine extends LogLine {
  /** Grows with each line, since two can have the same time. */
  readonly order: number
}

export function createLogMemory() {
  const dropped = LOG_LEVELS.map(() => 0)
  const countDropped = (rank: number): void => void (dropped[rank] = (dropped[rank] ?? 0) + 1)
  const [ordinary, important] = [createRing(countDropped), createRing(countDropped)]
  let order = 0
  return {
    keep({ time, level, event, text }: LogLine): void {
      const ring = level === 'warn' || level === 'error' ? important : ordinary
      ring.add({ time, level, event, text: text.length > LINE_CHARS_MAX ? cut(text) : text, order: order++ })
    },
    /**
     * The newest lines that a query finds, newest first; and how many of its levels were evicted. It looks at no more than
     * both rings hold, and reads only lines of its time and levels.
     */
    newest({ level, limit, text = '', route = '', from = -Infinity, to = Infinity }: LogQuery): RecentLines {
      const least = LOG_LEVELS.indexOf(level)
      const lines = [...ordinary.lines(), ...important.lines()].filter((line) => {
        return LOG_LEVELS.indexOf(line.level) >= least && line.time >= from && line.time <= to
      })
      lines.sort((a, b) => b.order - a.order)
      const words = text.toLowerCase().split(/\s+/, WORDS_MAX)
      const items: RecentLine[] = []
      for (const line of lines) {
        if (items.length === limit) break
        const found = readLine(line)
        if (hasWords(found, words) && isOfRoute(found, route)) items.push(found)
      }
      return { items, dropped: dropped.slice(least).reduce((sum, count) => sum + count, 0) }
    },
  }
}

function hasWords({ event, fields }: RecentLine, words: readonly string[]): boolean {
  if (words.every((word) => word === '')) return true
  const whole = [event, ...fields.map(({ name, value }) => `${name}=${value}`)].join('\n').toLowerCase()
  return words.every((word) => whole.includes(word))
}

function isOfRoute({ fields }: RecentLine, route: string): boolean {
  if (route === '') return true
  const valueOf = (name: string): string => fields.find((field) => field.name === name)?.value ?? ''
  const path = valueOf('path')
  return path !== '' && (path.startsWith(route) || `${valueOf('method')} ${path}`.startsWith(route))
}

/** `onEvicted` gets the place of the line's level among LOG_LEVELS. */
function createRing(onEvicted: (rank: number) => void) {
  /** Each line has the slot of its number, counted modulo LINES_MAX; those from `oldest` to `next` are kept. */
  const slots: (KeptLine | undefined)[] = []
  /** Of each slot: an old line itself is no longer in the processor's cache. */
  const [lengths, ranks] = [new Uint16Array(LINES_MAX), new Uint8Array(LINES_MAX)]
  let [oldest, next, chars] = [0, 0, 0]
  const at = (number: number): KeptLine => slots[number % LINES_MAX] as KeptLine
  const evict = (): void => {
    const slot = oldest++ % LINES_MAX
    slots[slot] = undefined
    chars -= lengths[slot] ?? 0
    onEvicted(ranks[slot] ?? 0)
  }
  return {
    add(line: KeptLine): void {
      if (next - oldest === LINES_MAX) evict()
      const slot = next++ % LINES_MAX
      slots[slot] = line
      lengths[slot] = line.text.length
      ranks[slot] = LOG_LEVELS.indexOf(line.level)
      chars += line.text.length
      while (chars > CHARS_MAX) evict()
    },
    /** The oldest first. */
    lines: (): readonly KeptLine[] => Array.from({ length: next - oldest }, (_, i) => at(oldest + i)),
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
