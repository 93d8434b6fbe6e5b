/**
 * Which characters are the same when case is ignored.
 *
 * JavaScript has two definitions (ECMA-262, Canonicalize): with the flag `u` two code points are the same when their
 * simple case folding is; without it two UTF-16 units are the same when their upper case is, if that is one unit and
 * does not lead from outside ASCII into it.
 *
 * From one member of such a group the upper and lower case lead to most of the others. Those that they do not lead to
 * are listed. A test compares all groups with RegExp over all code points, so that a new Unicode version is noticed.
 */
import { foldPoint, lowerCase, upperCase } from '../fold.ts'

/** `folded` is the definition with the flag `u`, `upper` the one without it. */
export type Casing = 'exact' | 'folded' | 'upper'

/** All characters that are the same as this one, itself included. At most a handful. */
export function caseVariants(point: number, casing: Casing): readonly number[] {
  if (casing === 'exact') return [point]
  if (point >= REMEMBERED_END) return findVariants(point, casing)
  return (remembered[casing][point] ??= findVariants(point, casing))
}

/** The Latin letters, of which most texts consist. */
const REMEMBERED_END = 0x180
const remembered: Readonly<Record<Exclude<Casing, 'exact'>, (readonly number[])[]>> = { folded: [], upper: [] }

function findVariants(point: number, casing: Exclude<Casing, 'exact'>): readonly number[] {
  const canonical = CANONICAL[casing]
  const group = canonical(point)
  const variants = [point, group, lowerCase(group), upperCase(group), ...(UNREACHED[casing].get(group) ?? [])]
  return [...new Set(variants)].filter((variant) => canonical(variant) === group)
}

const CANONICAL: Readonly<Record<Exclude<Casing, 'exact'>, (point: number) => number>> = {
  folded: foldPoint,
  upper: canonicalUnit,
}

/** Canonicalize without the flag `u`. */
function canonicalUnit(unit: number): number {
  const upper = upperCase(unit)
  return upper > 0xffff || (unit >= 0x80 && upper < 0x80) ? unit : upper
}

/**
 * Letters whose upper or lower case has another lower or upper case: title case, final sigma, Greek symbols and letters
 * with iota, signs of units, Cyrillic letter forms, long s, ligatures.
 */
const UNREACHED_POINTS: readonly number[] = [
  ...[0x00b5, 0x017f, 0x01c5, 0x01c8, 0x01cb, 0x01f2, 0x0345, 0x03c2, 0x03d0, 0x03d1, 0x03d5, 0x03d6, 0x03f0, 0x03f1],
  ...[0x03f4, 0x03f5, 0x1c80, 0x1c81, 0x1c82, 0x1c83, 0x1c84, 0x1c85, 0x1c86, 0x1c87, 0x1c88, 0x1e9b, 0x1e9e, 0x1fbc],
  ...[0x1fbe, 0x1fcc, 0x1fd3, 0x1fe3, 0x1ffc, 0x2126, 0x212a, 0x212b, 0xfb05],
  ...[0x1f88, 0x1f98, 0x1fa8].flatMap((first) => Array.from({ length: 8 }, (_, i) => first + i)),
]

const UNREACHED: Readonly<Record<Exclude<Casing, 'exact'>, ReadonlyMap<number, readonly number[]>>> = {
  folded: Map.groupBy(UNREACHED_POINTS, foldPoint),
  upper: Map.groupBy(UNREACHED_POINTS, canonicalUnit),
}
