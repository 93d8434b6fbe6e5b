import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fold, foldPoint } from '../../src/query/fold.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

/** Every code point but the surrogates. None beyond the short form has case. */
const POINTS = Array.from({ length: longRun(0x20000, 0x110000) }, (_, i) => i).filter((point) => point < 0xd800 || point > 0xdfff)

describe('foldPoint()', () => {
  const folds = POINTS.map(foldPoint)

  it('names each class by one of its members', () => {
    for (const [i, folded] of folds.entries()) {
      if (folded !== POINTS[i]) assert.equal(foldPoint(folded), folded, hex(folded))
    }
  })

  it('joins only what a RegExp with the flags iu joins', () => {
    let joined = 0
    for (const [i, folded] of folds.entries()) {
      if (folded === POINTS[i]) continue
      assert.match(String.fromCodePoint(folded), new RegExp(`^\\u{${hex(POINTS[i] as number)}}$`, 'iu'))
      joined++
    }
    assert.ok(joined > 1400, `${joined} code points folded`)
  })

  it('joins all that a RegExp with the flags iu joins', () => {
    const classes = POINTS.filter((point, i) => folds[i] === point)
    const cased = classes.filter((point) => HAS_CASE.test(String.fromCodePoint(point)))
    assert.ok(cased.length > 1400, `${cased.length} classes with case`)
    // Any two of them differ in some bit of their number, so it is enough that for each bit no class with the bit
    // clear matches one with the bit set.
    for (let bit = 0; 1 << bit < cased.length; bit++) {
      const clear = cased.filter((_, i) => ((i >> bit) & 1) === 0)
      assertApart(clear, cased.filter((_, i) => ((i >> bit) & 1) === 1))
    }
    assertApart(cased, classes.filter((point) => !HAS_CASE.test(String.fromCodePoint(point))))
  })

  it('keeps the length of every text', () => {
    for (const [i, folded] of folds.entries()) assert.equal(folded > 0xffff, (POINTS[i] as number) > 0xffff)
  })
})

describe('fold()', () => {
  it('folds pairs as code points and leaves lone halves alone', () => {
    assert.equal(fold('\u{10400}A\u{1F600}'), '\u{10428}a\u{1F600}')
    assert.equal(fold('\uDC00\uD801\uD801\uDC00\uD801'), '\uDC00\uD801\uD801\uDC28\uD801')
    assert.equal(fold('\0\u017F\u212A\u03A3\u03C2'), '\0sk\u03C3\u03C3')
    assert.equal(fold(''), '')
  })
})

/** Unicode's own word for what any case mapping or folding changes, or may depend on. */
const HAS_CASE = /[\p{Cased}\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}\p{Changes_When_NFKC_Casefolded}]/u

function assertApart(some: readonly number[], others: readonly number[]): void {
  const text = others.map((point) => String.fromCodePoint(point)).join('')
  const crossing = new RegExp(`[${ranges(some)}]`, 'iu').exec(text)
  assert.equal(crossing?.[0].codePointAt(0), undefined)
}

function ranges(points: readonly number[]): string {
  let source = ''
  for (let i = 0; i < points.length; i++) {
    const from = points[i] as number
    while (points[i + 1] === (points[i] as number) + 1) i++
    source += `\\u{${hex(from)}}-\\u{${hex(points[i] as number)}}`
  }
  return source
}

function hex(point: number): string {
  return point.toString(16)
}
