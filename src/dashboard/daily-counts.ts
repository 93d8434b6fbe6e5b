/**
 * From headlines in each hour of UTC to headlines on each of the reader's last days.
 *
 * Days begin at the reader's midnight, so one can have 23 or 25 hours. Where a time zone is off by half an hour, an
 * hour counts for the day in which it begins.
 */

export interface DailyCount {
  /** The reader's midnight at which it begins. */
  readonly day: Date
  readonly count: number
}

export const DAYS = 30

/** The last days, the oldest first and today last, with zeros where nothing was. */
export function dailyCounts(
  hours: readonly { readonly hour: string; readonly headlines: number }[],
  today: Date,
): readonly DailyCount[] {
  const counts = new Map<string, number>()
  for (const { hour, headlines } of hours) {
    const name = dayName(new Date(hour))
    counts.set(name, (counts.get(name) ?? 0) + headlines)
  }
  return Array.from({ length: DAYS }, (_, i) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (DAYS - 1 - i))
    return { day, count: counts.get(dayName(day)) ?? 0 }
  })
}

const LINES_MAX = 5

/** The values of the lines of a chart, from 0 to the first that no count is above: steps of 1, 2 or 5 times a power of ten. */
export function scaleOf(counts: readonly number[]): readonly number[] {
  const most = Math.max(2, ...counts)
  const size = 10 ** Math.floor(Math.log10(most / LINES_MAX))
  const step = [1, 2, 5, 10].map((one) => Math.max(1, one * size)).find((one) => most <= one * LINES_MAX) ?? most
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}

function dayName(date: Date): string {
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}
