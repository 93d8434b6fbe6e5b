/** How measurements are judged in the drill of attacks: what it lets pass, and measurements that it must find fault with. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFAULT_LIMITS, faultsOf, type Felt, type Measured } from '../../scripts/attacks/verdict.ts'

const FAST: Felt = { count: 100, p50: 2, p99: 9, max: 12, failures: {} }
const UNHARMED: Measured = {
  felt: { item: FAST, list: FAST, new: FAST, query: { ...FAST, p99: 200 }, bare: { ...FAST, p50: 0.5, p99: 4 } },
  rssBeforeMib: 180,
  rssPeakMib: 220,
  rssAfterMib: 200,
  threadsBefore: 12,
  threadsAfter: 12,
  handlesBefore: 40,
  handlesAfter: 41,
  idleCpu: 0.01,
  stopMs: 60,
  slowness: 1,
}

/** The same with some kinds of requests changed. */
function felt(changes: Partial<Record<keyof Measured['felt'], Partial<Felt>>>): Measured {
  const kinds = Object.entries(UNHARMED.felt).map(([kind, one]) => [
    kind,
    { ...one, ...changes[kind as keyof typeof changes] },
  ])
  return { ...UNHARMED, felt: Object.fromEntries(kinds) as Measured['felt'] }
}

describe('faultsOf()', () => {
  it('finds no fault with a service that was not harmed', () => {
    assert.deepEqual(faultsOf(UNHARMED, DEFAULT_LIMITS), [])
  })

  for (const [name, measured, wanted] of [
    ['reads that wait', felt({ item: { p99: 400 } }), /^item p99: 400 ms, wanted at most 322 ms$/],
    ['a query that waits', felt({ query: { p99: 9_000 } }), /^query p99/],
    ['errors of others', felt({ item: { failures: { '503': 2, late: 1 } } }), /^others got item 503×2, item late×1$/],
    ['memory', { ...UNHARMED, rssPeakMib: 300 }, /^memory growth: 120 MiB, wanted at most 100 MiB$/],
    ['handles left', { ...UNHARMED, handlesAfter: 90 }, /^handles left: 50/],
    ['a thread that burns a core', { ...UNHARMED, idleCpu: 1 }, /^CPU afterwards: 1.0 cores/],
    ['a process that does not stop', { ...UNHARMED, stopMs: 9_000 }, /^time to stop: 9000 ms/],
    ['a probe that measured nothing', felt({ item: { count: 0 } }), /^item: nothing was measured$/],
  ] as const) {
    it(`finds fault with ${name}`, () => {
      const faults = faultsOf(measured, DEFAULT_LIMITS)
      assert.equal(faults.length, 1, faults.join('; '))
      assert.match(faults[0] ?? '', wanted)
    })
  }

  it('takes into account what a bare server beside the service needed', () => {
    const busy = felt({ item: { p99: 900 }, bare: { p99: 250 } })
    assert.deepEqual(faultsOf(busy, DEFAULT_LIMITS), [])
    assert.equal(faultsOf(felt({ item: { p99: 1_100 }, bare: { p99: 250 } }), DEFAULT_LIMITS).length, 1)
  })

  it('stretches limits on time by the slowness of the machine, and no others', () => {
    const slow = { ...felt({ item: { p99: 1_100 } }), slowness: 4 }
    assert.deepEqual(faultsOf(slow, DEFAULT_LIMITS), [])
    assert.equal(faultsOf({ ...slow, slowness: 3 }, DEFAULT_LIMITS).length, 1)
    assert.equal(faultsOf({ ...slow, rssPeakMib: 300 }, DEFAULT_LIMITS).length, 1)
  })

  it('forgives late queries on a slow machine, and nothing else', () => {
    const late = felt({ query: { failures: { '400': 2, '429': 1 } } })
    assert.equal(faultsOf(late, DEFAULT_LIMITS).length, 1)
    assert.deepEqual(faultsOf({ ...late, slowness: 5 }, DEFAULT_LIMITS), [])
    const refused = felt({ query: { failures: { '500': 2 } }, item: { failures: { '503': 1 } } })
    assert.match(faultsOf({ ...refused, slowness: 5 }, DEFAULT_LIMITS).join(), /item 503×1, query 500×2/)
  })

})
