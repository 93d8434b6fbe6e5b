/** Work beside queries in the turns of its caller: what a flood of one caller costs the others. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { NO_ARRIVALS } from '../../src/base/arrivals.ts'
import { SHORT_STEPS_MAX, SLICE_STEPS } from '../../src/store/scan/inline-budget.ts'
import { createShortWork } from '../../src/store/scan/short-work.ts'
import { createTurnLane } from '../../src/store/scan/turn-lane.ts'
import { createTurnShare } from '../../src/store/scan/turn-share.ts'
import type { QueryCaller, TurnWork } from '../../src/store/store.ts'

const STEP = SLICE_STEPS / 10
const guest = (id: string): QueryCaller => ({ id, class: 'guest' })

function open(t: TestContext) {
  const lane = createTurnLane({ now: () => 0, arrivals: NO_ARRIVALS })
  t.after(() => lane.close())
  return createShortWork({ share: createTurnShare(NO_ARRIVALS), lane })
}

/** Work of so many steps that is expected to take as many, unless it says something else. */
function work(steps: number, stepsExpected = steps): TurnWork<'done'> {
  let taken = 0
  return {
    stepsExpected,
    spent: () => taken,
    held: () => 0,
    advance(mayGoOn) {
      do {
        if (taken >= steps) return 'done'
        taken += STEP
      } while (mayGoOn())
      return undefined
    },
  }
}

describe('work in the turns of its caller', () => {
  it('is done at once where it is short', (t) => {
    assert.equal(open(t)(work(SHORT_STEPS_MAX), guest('a')), 'done')
  })

  it('of a flood lets the work of another caller through, short and long', async (t) => {
    const inTurns = open(t)
    const order: string[] = []
    const ask = async (caller: string, steps: number): Promise<void> => {
      await inTurns(work(steps), guest(caller))
      order.push(caller)
    }
    const flood = [...Array.from({ length: 100 }, () => ask('flood', SLICE_STEPS)), ...Array.from({ length: 15 }, () => ask('flood', 10 * SLICE_STEPS))]
    await Promise.all([ask('short', SLICE_STEPS), ask('long', 10 * SLICE_STEPS)])
    assert.ok(order.length < 60, `behind ${order.length} of ${flood.length}`)
    await Promise.all(flood)
  })

  it('is refused where many of its caller wait, and not where those of others do', async (t) => {
    const inTurns = open(t)
    const all = Array.from({ length: 18 }, () => Promise.resolve(inTurns(work(10 * SLICE_STEPS), guest('a'))).catch(String))
    const other = inTurns(work(10 * SLICE_STEPS), guest('b'))
    assert.match(String((await Promise.all(all)).at(-1)), /^Failure: Too many slow queries/)
    assert.equal(await other, 'done')
  })
})
