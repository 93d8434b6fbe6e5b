/**
 * A position in a pattern that is read, and the reading of numbers and names from there.
 *
 * With the flag `u` a pattern is a list of code points, without it one of UTF-16 units; names of groups are code points
 * in either case. All that has a meaning of its own in a pattern is ASCII, so it is compared by unit.
 */

/** Thrown where a text is no pattern of the dialect. It is made once: a stack costs more than reading a pattern. */
export const INVALID_PATTERN = new Error('The text is no pattern')

export interface PatternReader {
  readonly source: string
  /** The dialect of the flag `u`. */
  readonly unicode: boolean
  /** UTF-16 units before the position. */
  at: number
}

/** The unit at the position, or further on; '' past the end. */
export function peek({ source, at }: PatternReader, ahead = 0): string {
  return source.charAt(at + ahead)
}

/** Moves past a text, if it stands there. */
export function accept(reader: PatternReader, text: string): boolean {
  if (!reader.source.startsWith(text, reader.at)) return false
  reader.at += text.length
  return true
}

/** Takes one character of the dialect. */
export function takeChar(reader: PatternReader): number {
  return reader.unicode ? takePoint(reader) : reader.source.charCodeAt(reader.at++)
}

/** Takes one code point, whatever the dialect. */
export function takePoint(reader: PatternReader): number {
  const point = reader.source.codePointAt(reader.at)
  if (point === undefined) throw INVALID_PATTERN
  reader.at += point > 0xffff ? 2 : 1
  return point
}

/** Takes what a sticky expression finds at the position. */
export function takeMatch(reader: PatternReader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at
  const found = expression.exec(reader.source)
  if (found === null) return undefined
  reader.at = expression.lastIndex
  return found
}
