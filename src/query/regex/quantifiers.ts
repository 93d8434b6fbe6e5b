/** Quantifiers: `*`, `+`, `?`, `{2}`, `{2,}` and `{2,5}`, each also lazy, which makes no difference to a test. */
import { accept, INVALID_PATTERN, peek, takeMatch, type PatternReader } from './pattern-reader.ts'

/** `{2}`, `{2,}`, `{2,5}`. Braces of another form stand for themselves, in the older dialect. */
export const INTERVAL = /\{(\d+)(?:(,)(\d*))?\}/y
/** V8 compares the two numbers of an interval up to this one. */
const COMPARED_MAX = 2 ** 31 - 1

/** Takes a quantifier. Infinity is without end; undefined where none stands there. */
export function takeQuantifier(reader: PatternReader): readonly [least: number, most: number] | undefined {
  const bounds = takeBounds(reader)
  if (bounds !== undefined) accept(reader, '?')
  return bounds
}

function takeBounds(reader: PatternReader): readonly [least: number, most: number] | undefined {
  if (accept(reader, '*')) return [0, Number.POSITIVE_INFINITY]
  if (accept(reader, '+')) return [1, Number.POSITIVE_INFINITY]
  if (accept(reader, '?')) return [0, 1]
  if (peek(reader) !== '{') return undefined
  const found = takeMatch(reader, INTERVAL)
  if (found === undefined) {
    if (reader.unicode) throw INVALID_PATTERN
    return undefined
  }
  const least = readCount(found[1] as string)
  if (found[2] !== undefined && found[3] === '') return [least, Number.POSITIVE_INFINITY]
  const most = found[3] === undefined ? least : readCount(found[3])
  if (Math.min(most, COMPARED_MAX) < Math.min(least, COMPARED_MAX)) throw INVALID_PATTERN
  return [least, Math.max(least, most)]
}

/** A number of any length, which never becomes the Infinity that stands for "without end". */
function readCount(digits: string): number {
  return Math.min(Number(digits), Number.MAX_VALUE)
}
