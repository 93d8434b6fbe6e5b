/** Durations in settings: `90s`, `30m`, `24h`, `7d`. */

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

export interface DurationRange {
  /** Milliseconds. */
  readonly min: number
  readonly max: number
}

/** Milliseconds of a whole number with its unit, as in `30m`. Throws an Error that says what is wanted and found. */
export function parseDuration(text: string, { min, max }: DurationRange): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? []
  const value = Number(digits) * (UNIT_MS[unit] ?? Number.NaN)
  if (value >= min && value <= max) return value
  throw new Error(
    `expected a time from ${showDuration(min)} to ${showDuration(max)}, such as 30m, 24h or 7d, found "${text}"`,
  )
}

/** The shortest exact form: 86,400,000 is `1d`, 90,000 is `90s`. Below a second, milliseconds. */
export function showDuration(ms: number): string {
  const unit = ['d', 'h', 'm', 's'].find((name) => ms >= (UNIT_MS[name] ?? 1) && ms % (UNIT_MS[name] ?? 1) === 0)
  return unit === undefined ? `${ms}ms` : `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
}
