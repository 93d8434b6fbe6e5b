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

/** The smallest round number that no count is above: 2, 4, 6, 8 or 10 times a power of ten, so that it has a half. */
export function roundTop(counts: readonly number[]): number {
  const most = Math.max(2, ...counts)
  const step = 2 * 10 ** Math.floor(Math.log10(most - 1))
  return Math.ceil(most / step) * step
}

function dayName(date: Date): string {
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}
