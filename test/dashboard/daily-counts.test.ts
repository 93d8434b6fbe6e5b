/** The days of the chart: a reader's days, of hours in UTC. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dailyCounts, roundTop } from '../../src/dashboard/daily-counts.ts'

describe('days of the reader', () => {
  const today = new Date(2026, 10, 21, 15)
  const at = (day: number, hour: number): string => new Date(2026, 10, day, hour).toISOString()

  it('add up hours between two midnights of the reader, with zeros in between', () => {
    const days = dailyCounts(
      [{ hour: at(19, 0), headlines: 1 }, { hour: at(19, 23), headlines: 2 }, { hour: at(21, 14), headlines: 4 }],
      today,
    )
    assert.equal(days.length, 30)
    assert.deepEqual(days.slice(-3).map(({ count }) => count), [3, 0, 4])
    assert.equal(days.at(-1)?.day.getTime(), new Date(2026, 10, 21).getTime())
  })

  it('have a round top with a half', () => {
    for (const [most, top] of [[0, 2], [3, 4], [7, 8], [11, 20], [999, 1000]] as const) {
      assert.equal(roundTop([0, most]), top, String(most))
    }
  })
})
