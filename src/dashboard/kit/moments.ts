/** Dates as a reader wants them: in the own time zone and language, with the exact time in UTC on hover. */
import { locale, t } from '../texts.ts'
import { now } from '../timing.ts'
import { h } from './dom.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_DAYS = 7
const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

/** A date with its time; anything else that stands where a date should is shown as it is. */
export function dateTime(iso: string): HTMLElement {
  return moment(iso, (date) => date.toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' }))
}

/** The same as a text. */
export function dateTimeText(iso: string): string {
  return dateTime(iso).textContent
}

/** A day with its time, as short as a cell of a list wants it: `Nov 23, 9:35 AM`. */
export function shortTime(iso: string): HTMLElement {
  return moment(iso, (date) => {
    const year = date.getFullYear() === new Date(now()).getFullYear() ? undefined : 'numeric'
    return date.toLocaleString(locale(), { year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
  })
}

/** When it is to be, as a sentence has it: `tomorrow at 8:00 AM`, `Monday at 8:00 AM`, `Dec 24 at 8:00 AM`. */
export function momentText(iso: string, at = now()): string {
  const [date, today] = [new Date(iso), new Date(at)]
  const days = Math.round((midnightOf(date) - midnightOf(today)) / DAY_MS)
  const isNear = days >= 0 && days < WEEK_DAYS
  const year = date.getFullYear() === today.getFullYear() ? undefined : 'numeric'
  const day =
    days === 0 || days === 1
      ? new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day')
      : date.toLocaleDateString(locale(), isNear ? { weekday: 'long' } : { year, month: 'short', day: 'numeric' })
  return t('when.dayTime', { day, time: date.toLocaleTimeString(locale(), { timeStyle: 'short' }) })
}

function midnightOf(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

/** How long ago, as `3 hours ago`, or `now` within a minute; what is older than a week has its date. */
export function ago(iso: string): HTMLElement {
  return moment(iso, (date) => {
    const past = date.getTime() - now()
    const size = Math.abs(past)
    if (size >= 7 * DAY_MS) return date.toLocaleDateString(locale(), { dateStyle: 'medium' })
    const [unit, ms] = UNITS.find(([, unitMs]) => size >= unitMs && unitMs > SECOND_MS) ?? ['second', Infinity]
    return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.round(past / ms), unit)
  })
}

/** A date with its time to the second, short. */
export function exactTime(iso: string): HTMLElement {
  return moment(iso, (date) => date.toLocaleString(locale(), { dateStyle: 'short', timeStyle: 'medium' }))
}

/** How long something takes, by the two largest units that say something: `3 days, 4 hours`. */
export function duration(ms: number): string {
  const largest = UNITS.findIndex(([, size]) => ms >= size)
  const shown = UNITS.slice(...(largest === -1 ? [-1] : [largest, largest + 2]))
  let rest = ms
  const parts = shown.map(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return { unit, count }
  })
  const said = parts.filter(({ count }, i) => count > 0 || i === 0)
  const words = said.map(({ unit, count }) =>
    new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(count),
  )
  return new Intl.ListFormat(locale(), { type: 'unit' }).format(words)
}

/** A size in bytes, as `1.2 MB`. */
export function byteSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const unit = units[step] ?? 'byte'
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step)
}

function moment(iso: string, show: (date: Date) => string): HTMLElement {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return h('span', {}, iso)
  const exact = date.toISOString()
  return h('time', { datetime: exact, title: exact.replace('T', ' ').replace('Z', ' UTC') }, show(date))
}

/** A moment as an input of a date with its time wants it, in the zone of the reader: `2026-03-01T13:30`. */
export function localMinute(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}
