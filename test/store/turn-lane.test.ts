/** Work in slices beside other requests: what others notice of it, and how it ends. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NO_ARRIVALS } from '../../src/base/arrivals.ts'
import { createTurnLane, SLICE_STEPS, type TurnWork } from '../../src/store/query/threads/turn-lane.ts'
import type { QueryCaller } from '../../src/store/query/find-query.ts'

const SLICES = 6
const guest = (id: string): QueryCaller => ({ id, class: 'guest' })
const openLane = () => createTurnLane({ now: () => 0, arrivals: NO_ARRIVALS })

/** Work of some slices, which pauses ten times in each. */
function workOf(slices: number): TurnWork<string> {
  let spent = 0
  return {
    stepsExpected: slices * SLICE_STEPS,
    spent: () => spent,
    held: () => 0,
    advance(mayGoOn) {
      do {
        spent += SLICE_STEPS / 10
        if (spent >= slices * SLICE_STEPS) return 'done'
      } while (mayGoOn())
      return undefined
    },
  }
}

/** Turns of the event loop until it is answered. */
async function turnsOf(answer: Promise<unknown>): Promise<number> {
  let isOver = false
  void answer.finally(() => (isOver = true))
  let turns = 0
  for (; !isOver; turns++) await nextTurn()
  return turns
}

it('long work leaves a turn of the event loop to others after each slice', async () => {
  const lane = openLane()
  const long = await turnsOf(lane.run(workOf(SLICES), guest('a')))
  const short = await turnsOf(lane.run(workOf(0.5), guest('a')))
  assert.ok(long >= SLICES - 1 && long <= 2 * SLICES, `${long} turns`)
  assert.ok(short <= 2, `${short} turns`)
})

it('work ends when its client disconnects, and makes room for the next', async () => {
  const lane = openLane()
  const client = new AbortController()
  const gone = assert.rejects(lane.run(workOf(SLICES), { ...guest('a'), signal: client.signal }), { name: 'AbortError' })
  const next = lane.run(workOf(SLICES), guest('b'))
  await nextTurn()
  client.abort()
  await gone
  assert.equal(await next, 'done')
})

it('running and waiting work ends when the lane is closed', async () => {
  const lane = openLane()
  const ended = ['a', 'b'].map((id) => assert.rejects(lane.run(workOf(SLICES), guest(id)), { message: 'The service is stopping' }))
  await nextTurn()
  await lane.close()
  await Promise.all(ended)
})

it("a flood of one guest: another caller's work waits for one piece at most", async () => {
  const lane = openLane()
  const done: string[] = []
  const ask = async (id: string): Promise<void> => {
    await lane.run(workOf(SLICES), guest(id))
    done.push(id)
  }
  const flood = Array.from({ length: 12 }, () => ask('flood'))
  await ask('other')
  assert.ok(done.length <= 3, `${done.length} answered before`)
  await Promise.all(flood)
})
