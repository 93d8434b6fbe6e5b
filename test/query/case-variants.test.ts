/** Letters that are the same when case is ignored, against RegExp, over all code points. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldPoint } from '../../src/query/fold.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { caseVariants, type Casing } from '../../src/query/regex/case-variants.ts'

/** No letter beyond the short form has another case. */
const POINT_MAX = longRun(0x1ffff, 0x10ffff)
const UNIT_MAX = 0xffff

/** Groups by what one character of each is turned to, which for both definitions is found by other means than ours. */
function groupsBy(last: number, canonical: (point: number) => number): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>()
  for (let point = 0; point <= last; point++) {
    const group = groups.get(canonical(point))
    if (group === undefined) groups.set(canonical(point), [point])
    else group.push(point)
  }
  return groups
}

/** ECMA-262, Canonicalize, without the flag `u`, word for word. */
function canonicalize(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase()
  if (upper.length !== 1) return unit
  const to = upper.charCodeAt(0)
  return unit >= 128 && to < 128 ? unit : to
}

function assertGroups(casing: Casing, groups: ReadonlyMap<number, readonly number[]>): number {
  let several = 0
  for (const group of groups.values()) {
    if (group.length > 1) several++
    for (const point of group) {
      const found = caseVariants(point, casing)
      if (found.length === 1 && group.length === 1 && found[0] === point) continue
      assert.deepEqual(found.toSorted((a, b) => a - b), group, `U+${point.toString(16)}`)
    }
  }
  return several
}

describe('caseVariants()', () => {
  it('finds all letters with the same folding', () => {
    assert.ok(assertGroups('folded', groupsBy(POINT_MAX, foldPoint)) > 1_300)
  })

  it('finds all units with the same upper case', () => {
    assert.ok(assertGroups('upper', groupsBy(UNIT_MAX, canonicalize)) > 1_000)
  })

  it('agrees with RegExp where a letter has several variants', () => {
    for (const [casing, flags] of [['folded', 'iu'], ['upper', 'i']] as const) {
      for (let point = 0; point <= UNIT_MAX; point++) {
        const variants = caseVariants(point, casing)
        if (variants.length < 3) continue
        const expression = new RegExp(`^\\u${point.toString(16).padStart(4, '0')}$`, flags)
        for (const variant of variants) assert.ok(expression.test(String.fromCodePoint(variant)), `U+${point.toString(16)}`)
      }
    }
  })
})
