/** What the soak calls growth without bound, and what it must not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { growthOf, MEASUREMENTS_MIN } from '../../scripts/soak/growth.ts'
import { seededRandom, seedOfRun } from '../support/random.ts'

const LIMIT = { name: 'memory', unit: 'MiB', share: 0.1, amount: 10 }
const MINUTES = 30
const series = (valueAt: (minute: number) => number): number[] => Array.from({ length: MINUTES }, (_, i) => valueAt(i))

describe('growthOf()', () => {
  for (const [name, values] of [
    ['a steady leak', series((i) => 200 + 3 * i)],
    ['a leak that accelerates', series((i) => 200 + i ** 2 / 8)],
    ['a leak in steps', series((i) => 200 + 20 * Math.floor(i / 5))],
    ['a leak under spikes', series((i) => 200 + 3 * i + (i % 7 === 0 ? 150 : 0))],
  ] as const) {
    it(`finds fault with ${name}`, () => assert.match(growthOf(values, LIMIT).fault ?? 'none', /^memory grows: /))
  }

  for (const [name, values] of [
    ['a level', series(() => 200)],
    ['caches that fill and are full', series((i) => 200 + Math.min(i * 12, 100))],
    ['a level that rises once', series((i) => (i < 12 ? 200 : 300))],
    ['spikes', series((i) => (i % 4 === 3 ? 500 : 200))],
    ['a fall', series((i) => 300 - i)],
    ['growth within the limit', series((i) => 200 + i)],
  ] as const) {
    it(`finds no fault with ${name}`, () => assert.equal(growthOf(values, LIMIT).fault, undefined))
  }

  it('finds a leak under noise, and none in noise alone', (t) => {
    const random = seededRandom(seedOfRun())
    t.diagnostic(`SEED=${random.seed}`)
    for (let round = 0; round < 200; round++) {
      const noise = series(() => random.below(25))
      assert.equal(growthOf(noise.map((value) => 200 + value), LIMIT).fault, undefined)
      assert.ok(growthOf(noise.map((value, i) => 200 + value + 5 * i), LIMIT).fault !== undefined)
    }
  })

  it('gives the medians of the thirds that it compared', () => {
    const { first, last } = growthOf([1, 2, 3, 50, 50, 50, 7, 8, 9], LIMIT)
    assert.deepEqual({ first, last }, { first: 2, last: 8 })
  })

  it('does not check a series that is too short', () => {
    const values = Array.from({ length: MEASUREMENTS_MIN }, (_, i) => 1_000 * i)
    assert.ok(growthOf(values, LIMIT).fault !== undefined)
    assert.equal(growthOf(values.slice(1), LIMIT).fault, undefined)
  })
})
