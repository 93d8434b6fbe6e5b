/** A moment as an input of a date with its time wants it, in the zone of the reader: `2026-03-01T13:30`. */
export function localMinute(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}
