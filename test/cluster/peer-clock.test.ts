/** What the header Date of a response tells of a clock: seconds, at some time between request and response. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { differenceOf } from '../../src/cluster/peer-clock.ts'

const T = 1_700_000_000_000

for (const [name, { date, sent, received }, wanted] of [
  ['the same second', { date: T, sent: T + 10, received: T + 20 }, 0],
  ['a second that ended before the request', { date: T, sent: T + 1_001, received: T + 1_100 }, -1],
  ['a second that began before the response', { date: T, sent: T - 300, received: T }, 0],
  ['a second that began behind the response', { date: T, sent: T - 300, received: T - 1 }, 1],
  ['a minute behind', { date: T - 60_000, sent: T, received: T + 5 }, -59_000],
  ['no date', { date: Number.NaN, sent: T, received: T }, 0],
] as const) {
  it(`${name}: differs by ${wanted} ms at least`, () => assert.equal(differenceOf({ date, sent, received }), wanted))
}
