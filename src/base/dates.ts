/**
 * Dates as the API writes them: ISO 8601 in UTC with milliseconds and `Z`, so that comparing the texts compares the
 * instants. Clients send more forms: with a zone, without one (taken as UTC), with microseconds, or the day alone.
 */
import { HOUR_MS, MINUTE_MS } from './duration.ts'

/** `2025-10-20T12:34:56.789Z` for milliseconds since the epoch. */
export function isoDate(ms: number): string {
  // A busy server formats the same millisecond many times.
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() }
  return latest.text
}

/** `20251020T123456Z`, for names of files and keys: their order is that of the instants. */
export function compactDate(ms: number): string {
  return `${isoDate(ms).slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

let latest = { ms: 0, text: '1970-01-01T00:00:00.000Z' }

/** Any ISO 8601 date or date-time in that form, fractions of a millisecond cut off; undefined for any other text. */
export function parseIsoDate(text: string): string | undefined {
  if (WRITTEN.test(text)) return text
  const match = ISO_DATE.exec(text)
  if (match === null) return undefined
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const utc = `${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const ms = Date.parse(utc)
  // Date.parse takes 30 February for 2 March; a real date survives the round trip.
  if (Number.isNaN(ms) || isoDate(ms) !== utc) return undefined
  const shifted = ms - zoneOffsetMs(zone)
  return Number.isNaN(shifted) || shifted < YEAR_0_MS || shifted > YEAR_9999_MS ? undefined : isoDate(shifted)
}

/** Dates in the form above, which most are, but 29 February: that takes a calendar. */
const WRITTEN =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const ISO_DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00.000Z')
const YEAR_9999_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** `+02:00`, `-0330`, `+01` or `Z` in milliseconds; NaN when there is no such zone. */
function zoneOffsetMs(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))]
  if (hours > 23 || minutes > 59) return Number.NaN
  return (zone.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS)
}
