/** How the drill of attacks and the soak judge what they measured: what they let pass, and what they must find. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DEFAULT_LIMITS, faultsOf, type Felt, type Measured } from '../../scripts/attacks/verdict.ts'
import { growthOf } from '../../scripts/soak/growth.ts'

const FAST: Felt = { count: 100, p50: 2, p99: 9, max: 12, failures: {} }
const UNHARMED: Measured = {
  felt: { item: FAST, list: FAST, new: FAST, query: { ...FAST, p99: 200 }, save: FAST, bare: { ...FAST, p50: 0.5, p99: 4 } },
  ...{ rssBeforeMib: 180, rssPeakMib: 220, rssAfterMib: 200, threadsBefore: 12, threadsAfter: 12 },
  ...{ handlesBefore: 40, handlesAfter: 41, idleCpu: 0.01, stopMs: 60, slowness: 1 },
}
const slowItems: Measured = { ...UNHARMED, felt: { ...UNHARMED.felt, item: { ...FAST, p99: 1_100 } } }
const failedItems: Measured = { ...UNHARMED, felt: { ...UNHARMED.felt, item: { ...FAST, failures: { '503': 2 } } } }

it('faultsOf() finds reads that wait, failures, memory, handles and CPU that stay, and allows for a slow machine', () => {
  for (const [measured, wanted] of [
    [UNHARMED, /^$/],
    [slowItems, /^item p99: 1100 ms, wanted at most 322 ms$/],
    [{ ...slowItems, slowness: 4 }, /^$/],
    [failedItems, /^others got item 503×2$/],
    [{ ...UNHARMED, rssPeakMib: 300, slowness: 4 }, /^memory growth: 120 MiB, wanted at most 100 MiB$/],
    [{ ...UNHARMED, handlesAfter: 90 }, /^handles left: 50/],
    [{ ...UNHARMED, idleCpu: 1 }, /^CPU afterwards: 1.0 cores/],
    [{ ...UNHARMED, stopMs: 9_000 }, /^time to stop: 9000 ms/],
  ] as const) {
    assert.match(faultsOf(measured, DEFAULT_LIMITS).join('; '), wanted)
  }
})

it('growthOf() finds a leak under spikes and in steps, and none in caches that fill and in spikes', () => {
  const fault = (valueAt: (minute: number) => number): string | undefined =>
    growthOf(Array.from({ length: 30 }, (_, i) => valueAt(i)), { name: 'memory', unit: 'MiB', share: 0.1, amount: 10 }).fault
  assert.match(fault((i) => 200 + 3 * i + (i % 7 === 0 ? 150 : 0)) ?? '', /^memory grows: /)
  assert.match(fault((i) => 200 + 20 * Math.floor(i / 5)) ?? '', /^memory grows: /)
  assert.equal(fault((i) => 200 + Math.min(i * 12, 100)), undefined)
  assert.equal(fault((i) => (i % 4 === 3 ? 500 : 200)), undefined)
})
