/**
 * Ranges of dates that a list is filtered by, as they stand in a URL: `today`, `week` and `month`, which go on with the
 * calendar, or the first and the last day as `2026-03-01..2026-03-31`, of which one may be missing. Days are those of the
 * reader's time zone.
 */
import type { Filter } from '../../../client/client.ts'
import { locale, t } from '../../texts.ts'
import { now } from '../../timing.ts'

export const QUICK_RANGES = ['today', 'week', 'month'] as const

/** Days without their times, as an input of the type `date` has them; empty where the range has no such end. */
export interface Days {
  readonly first: string
  readonly last: string
}

/** The days of a range that was chosen by days; undefined for any other text. */
export function readDays(text: string): Days | undefined {
  const { first = '', last = '' } = /^(?<first>[\d-]*)\.\.(?<last>[\d-]*)$/.exec(text)?.groups ?? {}
  const isKnown = [first, last].every((day) => day === '' || dayOf(day) !== undefined)
  return isKnown && first + last !== '' && (first === '' || last === '' || first <= last) ? { first, last } : undefined
}

export function writeDays({ first, last }: Days): string {
  return `${first}..${last}`
}

export function isRange(text: string): boolean {
  return isQuick(text) || readDays(text) !== undefined
}

/** The condition for a date: from the beginning of the first day to the end of the last. */
export function rangeFilter(text: string): Filter[string] {
  const { from, to } = boundsOf(text)
  return {
    ...(from !== undefined && { $gte: from.toISOString() }),
    ...(to !== undefined && { $lt: dayAfter(to, 1).toISOString() }),
  }
}

/** As a chip shows it: `Last 7 days`, `Mar 1 – 31, 2026`. */
export function rangeTitle(text: string): string {
  if (isQuick(text)) return t(`range.${text}`)
  const { from, to } = boundsOf(text)
  const days = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' })
  if (from !== undefined && to !== undefined) return days.formatRange(from, to)
  return from === undefined ? t('range.until', { day: days.format(to) }) : t('range.since', { day: days.format(from) })
}

function isQuick(text: string): text is (typeof QUICK_RANGES)[number] {
  return (QUICK_RANGES as readonly string[]).includes(text)
}

/** The beginnings of the first and the last day. */
function boundsOf(text: string): { readonly from?: Date | undefined; readonly to?: Date | undefined } {
  const today = new Date(now())
  today.setHours(0, 0, 0, 0)
  if (text === 'today') return { from: today, to: today }
  if (text === 'week') return { from: dayAfter(today, -6), to: today }
  if (text === 'month') {
    const [year, month] = [today.getFullYear(), today.getMonth()]
    return { from: new Date(year, month, 1), to: new Date(year, month + 1, 0) }
  }
  const { first = '', last = '' } = readDays(text) ?? {}
  return { from: dayOf(first), to: dayOf(last) }
}

/** A day has 23 or 25 hours where clocks are changed. */
function dayAfter(day: Date, count: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + count)
}

/** The beginning of a day; undefined for a text that names none. The end of the year 9999 has five digits, which no date has. */
function dayOf(text: string): Date | undefined {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  if (!/^(?!9999)[1-9]\d{3}-\d\d-\d\d$/.test(text)) return undefined
  const date = new Date(year, month - 1, day)
  return date.getMonth() === month - 1 && date.getDate() === day ? date : undefined
}
