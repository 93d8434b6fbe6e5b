/** Transactions of feeds leave twelve thirteenths of the time to others, by a fixed clock. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { abortable, createIngestPace } from '../../../src/content/feeds/ingest-pace.ts'

function fixedPace() {
  let ms = 0
  const pauses: number[] = []
  const pace = createIngestPace({
    clock: () => ms,
    async pause(wait) {
      pauses.push(wait)
      ms += wait
    },
  })
  /** Waits for others, and then takes so many milliseconds. */
  const run = (took: number, waits = 0): Promise<void> =>
    pace.run(async (begin) => {
      ms += waits
      begin()
      ms += took
    })
  return { pace, run, pauses, rest: (more: number) => void (ms += more) }
}

it('a transaction begins thirteen times as long behind its predecessor as that has taken', async () => {
  const { run, pauses, rest } = fixedPace()
  rest(1_000)
  // The long rest is credited with 100 ms: the first pause begins behind it.
  for (const took of [10, 10, 10]) await run(took)
  assert.deepEqual(pauses, [20, 120])
})

it('one that begins late has had a part of the next pause already, and time that it waits for others is not its own', async () => {
  const { run, pauses, rest } = fixedPace()
  for (const took of [20, 10]) await run(took)
  pauses.length = 0
  await run(10, 30)
  await run(10)
  rest(95)
  await run(10)
  assert.deepEqual(pauses, [120, 90, 25])
})

it('one that takes very long, as on a slow disk, is followed by the next one after 200 ms at most', async () => {
  const { run, pauses } = fixedPace()
  for (const took of [20, 90, 150, 1]) await run(took)
  assert.deepEqual(pauses, [80, 110, 50])
})

it('none begins behind an abort, also where its pause has begun before', async () => {
  const { pace } = fixedPace()
  const stopping = new AbortController()
  const ran: string[] = []
  const paced = abortable(pace, stopping.signal)
  await paced.run(async () => void ran.push('first'))
  stopping.abort()
  await assert.rejects(paced.run(async () => void ran.push('second')), { name: 'AbortError' })
  assert.deepEqual(ran, ['first'])
})
