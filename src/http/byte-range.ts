/** Which part of a file a request wants (RFC 9110 section 14). */

/** From the first byte up to, but without, the last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * The part that the headers want: all of it where they name none, several, or one of another version; 'none' where the file
 * has no such part (416).
 */
export function wantedRange(headers: { readonly range?: string | undefined; readonly 'if-range'?: string | string[] | undefined }, bytes: number, tag: string): ByteRange | 'all' | 'none' {
  const { range, 'if-range': condition } = headers
  if (range === undefined || (condition !== undefined && condition !== tag)) return 'all'
  const [, first, last] = RANGE.exec(range) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'all'
  // `bytes=-500` means the last 500.
  if (first === '') return last === '0' || bytes === 0 ? 'none' : { start: Math.max(0, bytes - Number(last)), end: bytes }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'all'
  return start >= bytes ? 'none' : { start, end: last === '' ? bytes : Math.min(bytes, Number(last) + 1) }
}
