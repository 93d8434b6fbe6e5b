/** What a look at the log brings that the one before did not have. */
import type { LogLines } from '../../../models/responses.ts'

export type LogLine = LogLines['items'][number]

/** Lines that our own looks leave there would push everything else away. */
export function withoutOurs(lines: readonly LogLine[]): readonly LogLine[] {
  return lines.filter(
    ({ event, fields }) =>
      event !== 'request' || !fields.some(({ name, value }) => name === 'path' && value === '/api/v1/admin/log'),
  )
}

/** How many lines at the beginning of `now` are newer than all of `before`; both have the newest first. */
export function newerThan(before: readonly LogLine[], now: readonly LogLine[]): number {
  const known = before.slice(0, 1).map(keyOf)
  if (known.length === 0) return now.length
  for (const [i, line] of now.entries()) {
    if (keyOf(line) === known[0] && isOverlap(before, now.slice(i))) return i
  }
  return now.length
}

/** Lines may be alike, so one that is found again is not enough. */
function isOverlap(before: readonly LogLine[], rest: readonly LogLine[]): boolean {
  return rest.every((line, i) => before[i] === undefined || keyOf(before[i]) === keyOf(line))
}

function keyOf(line: LogLine): string {
  return JSON.stringify(line)
}
