/**
 * A set of characters: one character of a pattern, a dot, an escape such as `\d`, or a class in brackets.
 *
 * Code points with the flag `u`, UTF-16 units without it. A set is plain data; membership is asked for one character
 * at a time, since a property (`\p{L}`) has no list of its members here, and ignoring case would make lists long.
 */
import { caseVariants, type Casing } from './case-variants.ts'
import { hasProperty } from './unicode-property.ts'

/** From the first to the last character, both included. */
export type CharRange = readonly [first: number, last: number]

export interface CharProperty {
  readonly name: string
  /** `\P{…}`: all characters that do not have it. */
  readonly negated: boolean
}

export interface CharSet {
  /** In order, without overlaps. */
  readonly ranges: readonly CharRange[]
  readonly properties: readonly CharProperty[]
  /** Members are all characters of which no variant is in the ranges or has a property. */
  readonly negated: boolean
  readonly casing: Casing
}

const POINT_MAX = 0x10ffff

/** Makes a set of ranges in any order. */
export function charSet(
  ranges: readonly CharRange[],
  { properties = [], negated = false, casing = 'exact' as Casing }: Partial<Omit<CharSet, 'ranges'>> = {},
): CharSet {
  return { ranges: merged(ranges), properties, negated, casing }
}

/** Whether a character is a member of the set. */
export function isMember({ ranges, properties, negated, casing }: CharSet, point: number): boolean {
  return holds(ranges, properties, casing, point) !== negated
}

function holds(ranges: CharSet['ranges'], properties: CharSet['properties'], casing: Casing, point: number): boolean {
  if (casing === 'exact') return isCovered(ranges, properties, point)
  for (const variant of caseVariants(point, casing)) if (isCovered(ranges, properties, variant)) return true
  return false
}

function isCovered(ranges: CharSet['ranges'], properties: CharSet['properties'], point: number): boolean {
  if (isInRanges(ranges, point)) return true
  for (const { name, negated } of properties) if (hasProperty(name, point) !== negated) return true
  return false
}

/** The only character that a set was made of; case may be ignored. */
export function onlyChar({ ranges, properties, negated }: CharSet): number | undefined {
  const [range] = ranges
  const isOne = range !== undefined && ranges.length === 1 && range[0] === range[1]
  return isOne && properties.length === 0 && !negated ? range[0] : undefined
}

/** All that lies between the ranges. */
export function complement(ranges: readonly CharRange[]): readonly CharRange[] {
  const between: CharRange[] = []
  let first = 0
  for (const range of merged(ranges)) {
    if (range[0] > first) between.push([first, range[0] - 1])
    first = range[1] + 1
  }
  return first > POINT_MAX ? between : [...between, [first, POINT_MAX]]
}

/** The ranges in order, those that touch or overlap made one. */
function merged(ranges: readonly CharRange[]): readonly CharRange[] {
  if (ranges.length < 2) return ranges
  const result: [number, number][] = []
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before === undefined || first > before[1] + 1) result.push([first, last])
    else before[1] = Math.max(before[1], last)
  }
  return result
}

function isInRanges(ranges: readonly CharRange[], point: number): boolean {
  let [low, high] = [0, ranges.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = ranges[middle] as CharRange
    if (point < first) high = middle - 1
    else if (point > last) low = middle + 1
    else return true
  }
  return false
}
