import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createSharedWindows, windowsMemory } from '../../src/base/shared-windows.ts'
import { seededRandom } from '../../scripts/tools/random.ts'

const WINDOW_MS = 60_000

/** What the limit says, kept as a list of times for each caller. */
function listedWindows(max: number) {
  const times = new Map<string, number[]>()
  return (caller: string, now: number, weight: number): number | undefined => {
    const own = (times.get(caller) ?? []).filter((time) => time > now - WINDOW_MS)
    times.set(caller, own)
    const tooMany = own.length + weight - max
    if (tooMany > 0) return (own[tooMany - 1] as number) + WINDOW_MS - now
    own.push(...Array<number>(weight).fill(now))
    return undefined
  }
}

describe('createSharedWindows()', () => {
  for (const [callers, pauseMs] of [[20, 1_000], [3_000, 12]] as const) {
    it(`counts as a list of times for each of ${callers} callers does`, () => {
      const random = seededRandom(7)
      const [count, wanted] = [createSharedWindows({ max: 5, windowMs: WINDOW_MS }, windowsMemory()), listedWindows(5)]
      let [now, refused] = [1_700_000_000_000, 0]
      for (let i = 0; i < 20_000; i++) {
        now += random.below(pauseMs)
        const caller = `caller ${random.below(callers)}`
        const weight = random.oneIn(10) ? 1 + random.below(4) : 1
        const found = count(caller, now, weight)
        assert.equal(found, wanted(caller, now, weight), `event ${i}`)
        if (found !== undefined) refused++
      }
      assert.ok(refused > 1_000 && refused < 19_000, String(refused))
    })
  }

  it('holds more events than it has room for at first', () => {
    const count = createSharedWindows({ max: 20_000, windowMs: WINDOW_MS }, windowsMemory())
    for (let i = 0; i < 3_000; i++) count('early', i, 1)
    for (let i = 0; i < 3_000; i++) count('early', WINDOW_MS + i, 1)
    for (let i = 0; i < 17_000; i++) assert.equal(count('late', WINDOW_MS + 3_000, 1), undefined)
    assert.equal(count('early', WINDOW_MS + 3_000, 17_000), undefined)
    assert.equal(count('early', WINDOW_MS + 3_000, 1), WINDOW_MS - 3_000)
  })

  // Each refusal of a heavy request went over the events of everybody, 18 ms long at 600,000, and held the lock of all threads.
  it('attack: a refusal of a heavy request does not go over the events of others', () => {
    const count = createSharedWindows({ max: 600, windowMs: WINDOW_MS }, windowsMemory())
    for (let i = 0; i < 600_000; i++) count(`reader ${i % 2_000}`, 1, 1)
    assert.equal(count('attacker', 2, 599), undefined)
    for (let i = 0; i < 20_000; i++) assert.equal(count('attacker', 3, 3), WINDOW_MS - 1)
  })

  it('counts nothing where the limit is off', () => {
    const count = createSharedWindows({ max: 0, windowMs: WINDOW_MS }, windowsMemory())
    for (let i = 0; i < 10; i++) assert.equal(count('one', 0, 1), undefined)
  })

  it('goes on after the clock was set back', () => {
    const count = createSharedWindows({ max: 1, windowMs: WINDOW_MS }, windowsMemory())
    assert.equal(count('one', 10 * WINDOW_MS, 1), undefined)
    assert.equal(count('one', WINDOW_MS, 1), undefined)
    assert.equal(count('one', WINDOW_MS + 1, 1), WINDOW_MS - 1)
  })

  it('admits a caller no more often where several threads count it at once', async () => {
    const memory = windowsMemory()
    const program = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.module).then(({ createSharedWindows }) => {
        const count = createSharedWindows({ max: 1000, windowMs: ${WINDOW_MS} }, workerData.memory)
        let admitted = 0
        for (let i = 0; i < 2000; i++) {
          for (const caller of ['a', 'b', 'c']) if (count(caller, i, 1) === undefined) admitted++
        }
        parentPort.postMessage(admitted)
      })`
    const module = new URL('../../src/base/shared-windows.ts', import.meta.url).href
    const start = () => new Worker(program, { eval: true, workerData: { module, memory } })
    const counts = await Promise.all([start(), start(), start()].map((worker) => once(worker, 'message')))
    assert.equal(counts.flat().reduce((sum: number, n: number) => sum + n, 0), 3_000)
  })
})
