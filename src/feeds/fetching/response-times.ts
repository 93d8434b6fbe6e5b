/** Times in the headers of a response, as durations: how long it is fresh, and how long to wait. */
import type { IncomingHttpHeaders } from 'node:http'
import { DAY_MS } from '../../base/duration.ts'

/** Beyond it a number says nothing more: the schedule has its own, lower bounds. */
const TIME_MAX_MS = 366 * DAY_MS

/** Milliseconds of `max-age`, or else of `Expires` less `Date` (RFC 9111 section 4.2.1); undefined where neither says more than 0. */
export function freshMs({ 'cache-control': control = '', expires, date }: IncomingHttpHeaders): number | undefined {
  if (/(?:^|[\s,])no-(?:cache|store)(?:$|[\s,=])/i.test(control)) return undefined
  const seconds = /(?:^|[\s,])max-age="?(\d{1,12})/i.exec(control)?.[1]
  const ms = seconds === undefined ? dateMs(expires) - dateMs(date) : Number(seconds) * 1_000
  return ms > 0 ? Math.min(ms, TIME_MAX_MS) : undefined
}

/** Milliseconds of Retry-After, which has seconds or a date (RFC 9110 section 10.2.3); undefined for any other text, and the past. */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  const given = text?.trim() ?? ''
  const ms = /^\d{1,12}$/.test(given) ? Number(given) * 1_000 : dateMs(given) - nowMs
  return ms > 0 ? Math.min(ms, TIME_MAX_MS) : undefined
}

/** NaN for what is no date of HTTP (RFC 9110 section 5.6.7): each has the name of a day and `GMT`, or is of asctime. */
function dateMs(text: string | undefined): number {
  return text !== undefined && /^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
}
