import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextTry } from '../../src/auth/retry-schedule.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'

const LIFETIME_MS = 900_000
const next = (attempts: number, { chance = 0, now = 0, expiresAt = LIFETIME_MS } = {}) =>
  nextTry({ now, attempts, expiresAt, random: () => chance })

describe('the pause after a failed attempt', () => {
  for (const [attempts, shortest, longest] of [
    [1, 1_000, 2_000],
    [2, 2_000, 4_000],
    [3, 4_000, 8_000],
    [5, 16_000, 32_000],
    [6, 30_000, 60_000],
    [7, 30_000, 60_000],
    [5_000, 30_000, 60_000],
  ] as const) {
    it(`number ${attempts} lasts from ${shortest} to ${longest} milliseconds, at random`, () => {
      assert.equal(next(attempts), shortest)
      assert.equal(next(attempts, { chance: 0.5 }), (shortest + longest) / 2)
      assert.equal(next(attempts, { chance: 1 - 2 ** -32 }), longest)
    })
  }
})

describe('near the end of the code', () => {
  const expiresAt = 100_000
  for (const { name, now, expected } of [
    { name: 'an attempt that still leaves 30 seconds is set as usual', now: 40_000, expected: 70_000 },
    { name: 'a pause that would pass them ends 30 seconds before the code', now: 40_001, expected: 70_000 },
    { name: 'that last attempt is set while it is 2 seconds away', now: 68_000, expected: 70_000 },
    { name: 'there is none after it', now: 68_001, expected: undefined },
    { name: 'there is none after the last attempt', now: 70_000, expected: undefined },
    { name: 'there is none after the end', now: 100_000, expected: undefined },
  ]) {
    it(name, () => assert.equal(next(6, { now, expiresAt }), expected))
  }

  it('with any random numbers, every code gets an attempt 30 seconds before its end, and a bounded number of them', () => {
    const random = seededRandom(seedOfRun())
    for (let i = 0; i < 500; i++) {
      const lifetime = 60_000 + random.below(1_440) * 60_000
      const tries: number[] = [0]
      for (let now: number | undefined = 0; now !== undefined;) {
        now = nextTry({ now, attempts: tries.length, expiresAt: lifetime, random: () => random.below(1_000) / 1_000 })
        if (now !== undefined) tries.push(now)
      }
      const last = tries.at(-1) ?? 0
      const seed = `SEED=${random.seed} ${tries.join()}`
      assert.ok(last <= lifetime - 30_000 && last > lifetime - 32_000, seed)
      assert.ok(tries.every((at, k) => k === 0 || at - (tries[k - 1] ?? 0) >= 1_000), seed)
      assert.ok(tries.length <= 10 + lifetime / 30_000, seed)
    }
  })
})
