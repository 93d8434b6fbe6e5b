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

let latest = { ms: 0, text: '1970-01-01T00:00:00.000Z' }

/** Any ISO 8601 date or date-time in that form, fractions of a millisecond cut off; undefined for any other text. */
export function parseIsoDate(text: string): string | undefined {
  if (known.has(text)) return text
  const date = readIsoDate(text)
  if (date === text) {
    if (known.size === KNOWN_MAX) known.clear()
    // Not the given text, which may be a slice that keeps a whole body in memory.
    known.add(date)
  }
  return date
}

/** Dates in the form above that were read: embedded copies in documents repeat the same few. */
const known = new Set<string>()
const KNOWN_MAX = 1_000

function readIsoDate(text: string): string | undefined {
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
