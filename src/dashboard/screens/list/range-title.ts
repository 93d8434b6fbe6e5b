/** What a range of dates is called. */
import { locale, t } from '../../texts.ts'
import { boundsOf, isQuick } from './date-range.ts'

/** As a chip shows it: `Last 7 days`, `Mar 1 – 31, 2026`. */
export function rangeTitle(text: string): string {
  if (isQuick(text)) return t(`range.${text}`)
  const { from, to } = boundsOf(text)
  const days = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' })
  if (from !== undefined && to !== undefined) return days.formatRange(from, to)
  return from === undefined ? t('range.until', { day: days.format(to) }) : t('range.since', { day: days.format(from) })
}
