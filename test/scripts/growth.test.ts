/** What the soak calls growth without bound, and what it must not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { growthOf, MEASUREMENTS_MIN } from '../../scripts/soak/growth.ts'

const LIMIT = { name: 'memory', unit: 'MiB', share: 0.1, amount: 10 }
const MINUTES = 30
const series = (valueAt: (minute: number) => number): number[] => Array.from({ length: MINUTES }, (_, i) => valueAt(i))

describe('growthOf()', () => {
  for (const [name, values] of [
    ['a steady leak', series((i) => 200 + 3 * i)],
    ['a leak in steps', series((i) => 200 + 20 * Math.floor(i / 5))],
    ['a leak under spikes', series((i) => 200 + 3 * i + (i % 7 === 0 ? 150 : 0))],
  ] as const) {
    it(`finds fault with ${name}`, () => assert.match(growthOf(values, LIMIT).fault ?? 'none', /^memory grows: /))
  }

  for (const [name, values] of [
    ['caches that fill and are full', series((i) => 200 + Math.min(i * 12, 100))],
    ['a level that rises once', series((i) => (i < 12 ? 200 : 300))],
    ['spikes', series((i) => (i % 4 === 3 ? 500 : 200))],
    ['growth within the limit', series((i) => 200 + i)],
  ] as const) {
    it(`finds no fault with ${name}`, () => assert.equal(growthOf(values, LIMIT).fault, undefined))
  }

  it('does not check a series that is too short', () => {
    const values = Array.from({ length: MEASUREMENTS_MIN }, (_, i) => 1_000 * i)
    assert.ok(growthOf(values, LIMIT).fault !== undefined)
    assert.equal(growthOf(values.slice(1), LIMIT).fault, undefined)
  })
})
