/**
 * Server-sent events as text (HTML standard, section 9.2.5, https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * A reader keeps the `id` of the last event and sends it as `Last-Event-ID` when it connects again, after the time that
 * `retry` names. A comment tells proxies and readers that the connection is alive.
 */

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'

/** Proxies are not to collect what is to arrive immediately: nginx is told by a header of its own. */
export const EVENT_STREAM_HEADERS = { 'X-Accel-Buffering': 'no' } as const

export const COMMENT = ':\n\n'

interface ServerEvent {
  /** One line. */
  readonly id: string
  /** `message` without one. */
  readonly event?: string
  readonly data: string
}

export function eventText({ id, event, data }: ServerEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `id: ${id}\n${name}${dataLines(data)}\n`
}

export function retryText(ms: number): string {
  return `retry: ${ms}\n\n`
}

/** A line break in the data begins another line of it, whichever of the three kinds it is. */
function dataLines(data: string): string {
  return data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')
}
